// Fields of people: each voted, and has a uniform random number of their own below which chance changes the answer. They
// are rendered here as Python renders them, dot for dot, at any lie. A test compares them.

const SECONDS = 0.9; // in which the people of a new poll answer, one after another
const NONE = -1; // of someone who has not answered yet

function bytes(text) {
  const raw = atob(text);
  const array = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) array[i] = raw.charCodeAt(i);
  return array;
}

const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

class Field {
  constructor(place, plan, size, isUpright, columns) {
    this.plan = plan;
    this.columns = columns ?? (isUpright ? plan.upright : plan.columns);
    this.figure = place.appendChild(document.createElement("figure"));
    this.caption = this.figure.appendChild(document.createElement("figcaption"));
    this.svg = this.figure.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    this.svg.setAttribute("viewBox", `0 0 ${10 * this.columns} ${10 * Math.ceil(size / this.columns)}`);
    this.svg.setAttribute("preserveAspectRatio", "xMinYMin");
    this.svg.style.setProperty("--width", `${1.5 * this.columns}rem`);
    this.paths = plan.looks.map((look) => this.path(look));
    this.waiting = this.path(plan.not_yet);
    this.waiting.classList.add("not-yet");
  }

  path({ colour, hollow }) {
    const path = this.svg.appendChild(document.createElementNS(this.svg.namespaceURI, "path"));
    path.setAttribute("fill", hollow ? "none" : colour);
    if (hollow) path.setAttribute("stroke", colour);
    if (hollow) path.setAttribute("stroke-width", 1.6);
    return path;
  }

  render(kinds) {
    const { columns } = this;
    const { looks, look_of, not_yet } = this.plan;
    const all = [...looks, not_yet];
    const outlines = all.map(() => "");
    for (let i = 0; i < kinds.length; i++) {
      const look = kinds[i] === NONE ? looks.length : look_of[kinds[i]];
      const { x, y, rest } = all[look];
      outlines[look] += `M${10 * (i % columns) + 5 + x} ${10 * Math.floor(i / columns) + 5 + y}${rest}`;
    }
    [...this.paths, this.waiting].forEach((path, look) => path.setAttribute("d", outlines[look]));
  }
}

class Dots {
  constructor(root) {
    this.place = root.querySelector(".people");
    this.legend = root.querySelector(".people-legend");
    this.rebuild = () => {
      this.build();
      this.settle();
    };
    this.follow = ({ detail }) => {
      this.data.sliders.forEach((sliders, vote) => {
        const found = sliders.find(({ key }) => key === detail.key);
        if (found) this.lies[vote] = found.at_0 + found.slope * detail.value;
      });
      this.settle();
    };
  }

  update(data) {
    const asked = this.data && this.data.poll !== data.poll;
    this.data = data;
    this.voted = bytes(data.voted);
    this.uniform = new Float64Array(bytes(data.uniform).buffer);
    this.lies = [...data.lies];
    this.narrow ??= matchMedia(data.narrow);
    this.resized ??= new ResizeObserver(() => {
      const columns = this.columnsOfSlide();
      if (columns && columns !== this.fields[0].columns) this.rebuild();
    });
    this.resized.observe(this.place);
    this.build();
    if (asked && !still()) this.ask();
    else if (!this.asking) this.settle();
  }

  build() {
    this.place.replaceChildren();
    this.place.setAttribute("aria-label", this.data.words);
    const areTwo = this.data.fields.length === 2;
    this.place.classList.toggle("two", areTwo);
    const isUpright = areTwo && this.narrow.matches;
    const columns = this.columnsOfSlide();
    this.fields = this.data.fields.map((plan) => new Field(this.place, plan, this.voted.length, isUpright, columns));
    this.legend.replaceChildren(
      ...this.data.legend.map(({ name, sign, colour, hollow }) => {
        const entry = document.createElement("span");
        entry.dataset.hollow = hollow;
        const mark = entry.appendChild(document.createElement("b"));
        Object.assign(mark, { textContent: sign, ariaHidden: "true" }).style.color = colour;
        entry.append(` ${name}`);
        return entry;
      })
    );
  }

  // On a slide, the dots of a row with which a field fills the space that is left; elsewhere undefined.
  columnsOfSlide() {
    const style = getComputedStyle(this.place), letters = parseFloat(style.fontSize);
    if (!style.getPropertyValue("--fill") || !this.place.clientHeight) return undefined;
    const width = this.place.clientWidth / this.data.fields.length - 1.5 * letters;
    const height = this.place.clientHeight - 3 * letters;
    return Math.max(1, Math.ceil(Math.sqrt((this.voted.length * width) / Math.max(height, 1))));
  }

  // The kind of a person: A and true, A and lied, B and true, B and lied.
  kind(i) {
    const lied = this.uniform[i] < this.lies[this.voted[i]];
    return (this.voted[i] ? 0 : 2) + (lied ? 1 : 0);
  }

  settle() {
    this.stop();
    this.show(this.voted.length);
  }

  // The people of a new poll answer one after another.
  ask() {
    this.stop();
    const started = performance.now();
    const step = (now) => {
      const part = Math.min(1, (now - started) / (1000 * SECONDS));
      this.show(Math.floor(part * this.voted.length));
      this.asking = part < 1 && requestAnimationFrame(step);
    };
    step(started);
  }

  stop() {
    cancelAnimationFrame(this.asking);
    this.asking = false;
  }

  // The first `answered` people have answered; of the others nothing is there yet.
  show(answered) {
    const kinds = Int8Array.from({ length: this.voted.length }, (_, i) => (i < answered ? this.kind(i) : NONE));
    const count = (...wanted) => kinds.reduce((sum, kind) => sum + wanted.includes(kind), 0);
    const counts = { voted_a: count(0, 1), said_a: count(0, 3), asked: answered };
    const mayChange = this.lies.some((lie) => lie > 0);
    for (const entry of this.legend.children) entry.hidden = entry.dataset.hollow === "true" && !mayChange;
    this.fields.forEach((field, f) => {
      field.render(kinds);
      const { heading: changed, heading_unchanged: unchanged } = this.data.fields[f];
      const heading = mayChange ? changed : unchanged;
      field.caption.textContent = heading.replace(/\{(\w+)\}/g, (_, name) => counts[name].toLocaleString("en"));
    });
  }
}

const all = new WeakMap();

export default function ({ data, parentElement }) {
  if (!all.has(parentElement)) all.set(parentElement, new Dots(parentElement));
  const dots = all.get(parentElement);
  dots.update(data);
  document.documentElement.dataset.dots = ""; // the still picture goes
  document.addEventListener("privdemo-number", dots.follow);
  dots.narrow.addEventListener("change", dots.rebuild);
  return () => {
    document.removeEventListener("privdemo-number", dots.follow);
    dots.narrow.removeEventListener("change", dots.rebuild);
  };
}
