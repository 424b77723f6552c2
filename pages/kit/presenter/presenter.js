// A clicker sends PageUp and PageDown. Arrows belong to a slider or a line of text that has the focus.
const KEYS = { ArrowRight: "next", PageDown: "next", ArrowLeft: "previous", PageUp: "previous", Escape: "leave" };
const OWN_ARROWS = 'input, textarea, select, [role="slider"], [role="radio"], [contenteditable="true"]';
// Where Tab leads, in this order: what the audience supplies, a guess, and the step's one control.
const CONTROLS = ['[class*="st-key-shown-"]', ".st-key-prediction", '[class*="st-key-main-control"]', ".st-key-chapter-controls"];
const SWIPE = 60;
const RESIZED = 150;

// The boxes and buttons of an element, those of components within it included.
const controlsOf = (root) =>
  [...root.querySelectorAll("*")].flatMap((one) =>
    one.shadowRoot ? controlsOf(one.shadowRoot) : one.matches("input, button") ? [one] : []
  );

export default function ({ data, setTriggerValue, parentElement }) {
  const find = (selector) => parentElement.querySelector(selector);
  find(".place").textContent = `${data.number} / ${data.steps}`;
  find(".title").textContent = data.title;
  const off = { previous: data.number === 1, next: data.number === data.steps };
  for (const where in off) find(`[data-move="${where}"]`).disabled = off[where];
  const move = (where) => off[where] || setTriggerValue("move", where);
  for (const button of parentElement.querySelectorAll("button")) button.onclick = () => move(button.dataset.move);

  const focused = (event) => event.composedPath()[0];
  // While nothing has the focus, Tab leads to the first control of the step, wherever the browser would begin.
  const toControl = (event) => {
    const controls = CONTROLS.flatMap((one) => [...document.querySelectorAll(one)]).flatMap(controlsOf);
    const first = controls.find((one) => one.checkVisibility());
    if (!first || event.shiftKey || document.activeElement !== document.body) return;
    event.preventDefault();
    first.focus();
  };
  const onKey = (event) => {
    if (event.key === "Tab") toControl(event);
    const where = KEYS[event.key];
    if (!where || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key.startsWith("Arrow") && focused(event).matches?.(OWN_ARROWS)) return;
    event.preventDefault();
    event.stopPropagation(); // a slider has uses of its own for PageDown
    if (focused(event).matches?.("input, textarea")) focused(event).blur(); // what is typed there is taken
    move(where);
  };
  let from = null;
  const onStart = (event) => {
    from = focused(event).matches?.(OWN_ARROWS) ? null : event.changedTouches[0];
  };
  const onEnd = (event) => {
    if (!from) return;
    const to = event.changedTouches[0];
    const [across, down] = [to.clientX - from.clientX, to.clientY - from.clientY];
    if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(down)) move(across < 0 ? "next" : "previous");
  };
  // Streamlit calls this anew with every step: the listeners of the last step are removed.
  parentElement.listeners?.abort();
  const listeners = (parentElement.listeners = new AbortController());
  window.addEventListener("keydown", onKey, { capture: true, signal: listeners.signal });
  window.addEventListener("touchstart", onStart, { passive: true, signal: listeners.signal });
  window.addEventListener("touchend", onEnd, { passive: true, signal: listeners.signal });

  // A slider that the mouse has released leaves the arrow keys to the lecture.
  const onRelease = (event) => {
    const slider = focused(event);
    if (slider.matches?.('input[type="range"], [role="slider"]')) setTimeout(() => slider.blur());
  };
  window.addEventListener("pointerup", onRelease, { signal: listeners.signal });

  // Charts are made for the size of the screen that shows them.
  const measure = () => {
    const now = [window.innerWidth, window.innerHeight];
    if (String(now) !== String(data.screen)) setTriggerValue("screen", now);
  };
  let later;
  const onResize = () => {
    clearTimeout(later);
    later = setTimeout(measure, RESIZED);
  };
  window.addEventListener("resize", onResize, { signal: listeners.signal });
  measure();
  return () => {
    clearTimeout(later);
    listeners.abort();
  };
}
