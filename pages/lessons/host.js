// What is the same in all lessons. The app's components are in `components`: each gets the same arguments as from
// Streamlit, and what it would tell the server goes to the lesson's own script, which defines `start`.
let lesson;

const byId = (id) => document.getElementById(id);

// Render a component in its place; `report` gets what the app's server would be told.
function render(id, data, report = () => {}) {
  const place = byId(id), name = place.dataset.component;
  if (!place.shadowRoot) {
    const { html, css } = lesson.components[name];
    // As deep as in Streamlit, for which the components' styles are.
    place.attachShadow({ mode: "open" }).innerHTML = `<style>${css}</style><div><div>${html}</div></div>`;
  }
  const parentElement = place.shadowRoot.lastElementChild.firstElementChild;
  return components[name]({ data, parentElement, setTriggerValue: (_, value) => report(value) });
}

// Ask for a guess, and go on with `show` once it is made, or is not wanted.
function askForGuess(show) {
  const { texts, results } = lesson.guess, form = byId("guess"), guessed = byId("guessed");
  const input = form.querySelector("input");
  const say = () => {
    form.querySelector("output").textContent = texts[input.value];
    input.setAttribute("aria-valuetext", texts[input.value]);
  };
  const end = (result) => {
    form.hidden = true;
    guessed.hidden = !result;
    guessed.innerHTML = result;
    show();
    (result ? guessed : byId("takeaway")).focus();
  };
  input.addEventListener("input", say);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    end(results[input.value]);
  });
  form.querySelector("[type=button]").addEventListener("click", () => end(""));
  say();
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

async function begin() {
  if (!globalThis.DecompressionStream) return (byId("problem").hidden = false);
  lesson = await unpacked(byId("packed").textContent);
  byId("lesson").hidden = false;
  await start();
  document.documentElement.dataset.lesson = "started";
}

begin();
