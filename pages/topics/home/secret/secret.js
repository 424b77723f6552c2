// A visitor's own secret, in four steps. The true answer, what the wheel makes of it, the question and the guess are kept
// in the memory of this page alone: nothing here is stored, or said to the server. All numbers come with the data.

const SPIN = 2400, JOIN = 900; // milliseconds in which the wheel turns, and the people join
const TURNS = 4;
const WORD = 2 ** 32;
const STEPS = ["ask", "spin", "join", "count", "skipped"];

// The place of the slider before there is a guess, so that none is suggested.
const UNMOVED = -1;
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const randomWord = () => crypto.getRandomValues(new Uint32Array(1))[0];

// One of 0 … n − 1, each as likely: words beyond the last whole multiple of n are left out.
function below(n) {
  const most = WORD - (WORD % n);
  for (;;) {
    const word = randomWord();
    if (word < most) return word % n;
  }
}

function svg(parent, name, attributes, text = "") {
  const child = parent.appendChild(document.createElementNS("http://www.w3.org/2000/svg", name));
  for (const [key, value] of Object.entries(attributes)) child.setAttribute(key, value);
  child.textContent = text;
  return child;
}

function add(parent, name, text, className = "") {
  const child = parent.appendChild(document.createElement(name));
  child.textContent = text;
  child.className = className;
  return child;
}

const fill = (words, numbers) => words.replace(/\{(\w+)\}/g, (_, name) => numbers[name]);

// Dots for people as Python renders them: each of a kind, and each kind with its look.
function renderField(place, plan, kinds, words, isFound = null) {
  const { columns, looks, look_of } = plan;
  place.replaceChildren();
  place.setAttribute("viewBox", `0 0 ${10 * columns} ${10 * Math.ceil(kinds.length / columns)}`);
  place.setAttribute("aria-label", words);
  const outlines = looks.map(() => ["", ""]); // of those who are found, and of the others
  kinds.forEach((kind, i) => {
    if (kind === null) return;
    const look = look_of[kind], { x, y, rest } = looks[look];
    const dim = isFound && !isFound(kind) ? 1 : 0;
    outlines[look][dim] += `M${10 * (i % columns) + 5 + x} ${10 * Math.floor(i / columns) + 5 + y}${rest}`;
  });
  looks.forEach(({ colour, hollow }, look) =>
    outlines[look].forEach((d, dim) => {
      const paint = hollow ? { fill: "none", stroke: colour, "stroke-width": 1.6 } : { fill: colour };
      if (d) svg(place, "path", { d, ...paint, class: dim ? "dim" : "" });
    })
  );
}

class Secret {
  constructor(root) {
    this.root = root.querySelector(".secret");
    const on = (part, event, act) =>
      this.root.querySelectorAll(part).forEach((one) => one.addEventListener(event, act.bind(this)));
    on(".yes", "click", () => this.answer(true));
    on(".no", "click", () => this.answer(false));
    on(".own", "input", () => (this.own.checked = true));
    on(".spin", "click", this.spin);
    on(".join", "click", this.join);
    on(".find", "click", this.find);
    on(".count", "click", this.count);
    on(".guess input", "input", this.guessed);
    on(".reveal", "click", this.reveal);
    on(".restart", "click", this.restart);
    on(".skip-story", "click", this.skip);
    // Streamlit takes letters typed in here for its shortcuts, of which one has the server run the page.
    for (const event of ["keydown", "keypress", "keyup"]) on(".own", event, (pressed) => pressed.stopPropagation());
    this.own = this.root.querySelector("[value=own]");
    this.forget();
  }

  start(data) {
    this.data = data;
    this.others = Uint8Array.from(atob(data.kinds), (one) => one.charCodeAt(0));
  }

  part(selector) {
    return this.step.querySelector(selector);
  }

  go(name, focus = true) {
    for (const one of STEPS) this.root.querySelector(`[data-step=${one}]`).hidden = one !== name;
    this.step = this.root.querySelector(`[data-step=${name}]`);
    if (focus) this.part("h2")?.focus();
  }

  // Put everything back as it was before the first click.
  forget() {
    clearTimeout(this.waiting);
    cancelAnimationFrame(this.joining);
    this.truth = this.kind = this.place = this.question = null;
    for (const one of this.root.querySelectorAll(".said")) one.replaceChildren();
    for (const one of this.root.querySelectorAll(".after")) one.hidden = true;
    for (const one of this.root.querySelectorAll("[aria-disabled]")) one.removeAttribute("aria-disabled");
    for (const one of this.root.querySelectorAll(".truth-word, .own-question, .observed")) one.textContent = "";
    for (const one of this.root.querySelectorAll(".field, .strip svg, .strip .keys, .legend")) one.replaceChildren();
    const disc = this.root.querySelector(".disc");
    disc.style.transition = "none";
    disc.style.transform = "rotate(0deg)";
    const guess = this.root.querySelector(".guess input");
    Object.assign(guess, { value: UNMOVED, disabled: false });
    this.root.querySelector(".own").value = "";
    this.root.querySelector("[name=question]").checked = true;
    this.go("ask", false);
  }

  restart() {
    this.forget();
    this.part("h2").focus();
  }

  skip() {
    this.forget();
    this.go("skipped", false);
    document.querySelector(".st-key-links-doors a")?.focus();
  }

  answer(truth) {
    const own = this.root.querySelector(".own");
    const chosen = this.root.querySelector("[name=question]:checked").value;
    if (chosen === "own" && !own.value.trim()) {
      this.part(".said").textContent = this.data.words.empty;
      own.focus();
      return;
    }
    this.truth = truth;
    this.question = chosen === "own" ? own.value.trim() : this.data.questions[Number(chosen)];
    this.go("spin");
    this.part(".truth-word").textContent = this.data.answers[truth ? 0 : 1];
  }

  spin() {
    if (this.kind !== null) return;
    const stop = randomWord() / WORD; // where the wheel stops, as a part of its round
    const changed = stop < this.data.lie;
    this.kind = (this.truth ? 0 : 2) + (changed ? 1 : 0); // as in Python: Yes, Yes changed, No, No changed
    this.said = this.truth !== changed;
    this.part(".spin").setAttribute("aria-disabled", "true");
    const seconds = still() ? 0 : SPIN / 1000;
    const disc = this.part(".disc");
    disc.style.transition = `transform ${seconds}s cubic-bezier(0.15, 0.6, 0.2, 1)`;
    disc.style.transform = `rotate(${360 * (TURNS - stop)}deg)`;
    this.waiting = setTimeout(() => this.stopped(changed), 1000 * seconds);
  }

  stopped(changed) {
    const { words, answers } = this.data, said = this.part(".said");
    add(said, "p", changed ? words.other : words.same);
    const line = add(said, "p", words.sent + " ");
    const look = this.data.sent.legend[this.said ? 0 : 1];
    Object.assign(add(line, "b", look.sign), { ariaHidden: "true" }).style.color = look.colour;
    add(line, "b", ` ${answers[this.said ? 0 : 1]}`);
    add(said, "p", words.deny);
    this.part(".after").hidden = false;
  }

  get seen() {
    return this.data.cases[this.said ? 0 : 1];
  }

  render(plan, words, isFound = null, joined = this.kinds.length) {
    const shown = joined < this.kinds.length ? this.kinds.map((kind, i) => (i < joined ? kind : null)) : this.kinds;
    renderField(this.part(".field"), plan, shown, words, isFound);
    this.part(".legend").replaceChildren();
    for (const { sign, colour, name } of plan.legend) {
      const entry = add(this.part(".legend"), "span", "");
      Object.assign(add(entry, "b", sign), { ariaHidden: "true" }).style.color = colour;
      entry.append(` ${name}`);
    }
  }

  join() {
    this.place = below(this.others.length + 1);
    this.kinds = [...this.others.slice(0, this.place), this.kind, ...this.others.slice(this.place)];
    this.go("join");
    this.part(".own-question").textContent = `“${this.question}”`;
    const began = performance.now(), plan = this.data.sent, { picture } = this.seen;
    const more = (now) => {
      const part = still() ? 1 : Math.min(1, (now - began) / JOIN);
      this.render(plan, picture, null, Math.floor(part * this.kinds.length));
      if (part < 1) this.joining = requestAnimationFrame(more);
    };
    more(began);
  }

  find() {
    cancelAnimationFrame(this.joining);
    const said = (kind) => kind === 0 || kind === 3;
    this.render(this.data.sent, this.seen.picture, (kind) => said(kind) === this.said);
    const place = this.part(".said");
    place.replaceChildren();
    for (const words of this.seen.found) add(place, "p", words);
    this.part(".after").hidden = false;
  }

  count() {
    this.go("count");
    this.part(".observed").textContent = this.seen.observed;
    this.render(this.data.sent, this.seen.picture);
    this.guessed();
  }

  guessed() {
    const guess = Number(this.part(".guess input").value);
    const words = guess === UNMOVED ? this.data.words.unmoved : fill(this.data.words.guess, { guess });
    this.part(".value").textContent = words;
    this.part(".guess input").setAttribute("aria-valuetext", words);
    this.part(".reveal").setAttribute("aria-disabled", guess === UNMOVED);
  }

  reveal() {
    const input = this.part(".guess input");
    if (input.disabled || Number(input.value) === UNMOVED) return;
    input.disabled = true;
    this.part(".reveal").setAttribute("aria-disabled", "true");
    const guess = Number(input.value), { truth, words } = this.data;
    const off = Math.round(Math.abs(guess - truth.value)), side = off ? (guess > truth.value ? "high" : "low") : "right";
    const said = this.part(".said");
    add(said, "p", fill(words[side], { guess, off, points: off === 1 ? "point" : "points" }));
    add(said, "p", this.seen.sentence);
    this.renderStrip(guess);
    this.render(this.data.happened, this.data.words.happened);
    for (const one of this.step.querySelectorAll(".after")) one.hidden = false;
  }

  // The guess, the truth and the estimate with its interval on one line from 0 to 100.
  renderStrip(guess) {
    const { estimate } = this.seen, { truth, words } = this.data;
    const picture = this.part(".strip svg"), x = (percent) => 10 + 3 * percent;
    picture.setAttribute("aria-label", fill(words.strip, { guess, ...estimate, truth: truth.text }));
    svg(picture, "path", { class: "axis", d: `M${x(0)} 68H${x(100)}` });
    for (const tick of words.ticks) {
      svg(picture, "path", { class: "tick", d: `M${x(tick)} 68v5` });
      svg(picture, "text", { x: x(tick), y: 86 }, `${tick}`);
    }
    svg(picture, "path", { class: "true", d: `M${x(truth.value)} 4V68` });
    svg(picture, "path", { class: "estimate", d: `M${x(estimate.low)} 48H${x(estimate.high)}m0-6v12M${x(estimate.low)} 42v12` });
    svg(picture, "circle", { class: "estimate", cx: x(estimate.value), cy: 48, r: 4.5 });
    const corner = (i) => [7 * Math.sin((2 * Math.PI * i) / 5), -7 * Math.cos((2 * Math.PI * i) / 5)];
    const outline = [0, 1, 2, 3, 4].map((i) => corner(i).map((one) => one.toFixed(2)).join(" "));
    svg(picture, "path", { class: "mine", d: `M${outline.join("L")}Z`, transform: `translate(${x(guess)} 18)` });
    for (const [mark, text] of [
      ["⬠", fill(words.yours, { guess })],
      ["│", truth.key],
      ["●", estimate.key],
    ]) {
      const line = add(this.part(".strip .keys"), "li", "");
      Object.assign(add(line, "span", mark, "mark"), { ariaHidden: "true" });
      line.append(` ${text}`);
    }
  }
}

const all = new WeakMap();

export default function ({ data, parentElement }) {
  if (!all.has(parentElement)) {
    all.set(parentElement, new Secret(parentElement));
    all.get(parentElement).start(data);
  }
  document.documentElement.dataset.component = ""; // its HTML without JavaScript goes
}
