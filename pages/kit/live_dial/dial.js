// The live dial: while it is dragged, every picture is corrupted here, in the browser, from the
// clean pixels and the fixed random numbers that Python handed over. The arithmetic follows the
// mechanisms' `apply` and `to_grey` step by step, in single precision where they use it, so that
// the pixels are the very ones that Python computes. A test compares them. Between two releases of the
// dial the guesses and the words of an attack are those of the nearest of the levels for which Python
// has computed them (guesses.js unpacks the pictures); at the level of the release they are exact.

const GRID = 2 ** 24;
const NARROW = 560;
const LINE = 10;
// Set by a slide: the most people of one line, and no further lines.
const SLIDE_LINE = "--slide-line";
// The value of the page's attribute data-dragging while this dial is dragged, and not another slider.
const DRAGGED = "dial";

function bytes(text) {
  const raw = atob(text);
  const array = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) array[i] = raw.charCodeAt(i);
  return array;
}
const floats = (text) => new Float32Array(bytes(text).buffer);

// Randomised response: the replacement where the uniform is below q = pk/(k−1), rounded up.
function replace(data, level) {
  const k = data.nStates;
  const q = Math.min(1, Math.ceil(((level * k) / (k - 1)) * GRID) / GRID);
  const grey = Uint8Array.from({ length: k }, (_, s) => Math.floor((s * 255) / (k - 1) + 0.5));
  return (i) => grey[data.uniform[i] < q ? data.replacement[i] : data.states[i]];
}

// Gaussian and Laplace noise: value + level · noise, clipped to [0, 1] for display only.
function add(data, level) {
  const f = Math.fround;
  const scale = f(level);
  return (i) => {
    const value = f(f(data.states[i] / (data.nStates - 1)) + f(scale * data.noise[i]));
    return Math.floor(f(f(Math.min(1, Math.max(0, value)) * 255) + 0.5));
  };
}

function decode(raw) {
  const data = { ...raw, states: bytes(raw.states), clean: bytes(raw.clean) };
  if (raw.noise) return { ...data, noise: floats(raw.noise), release: add };
  return { ...data, uniform: floats(raw.uniform), replacement: bytes(raw.replacement), release: replace };
}

function paint(canvas, size, grey) {
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  const rgba = new Uint32Array(image.data.buffer);
  for (let j = 0; j < size; j++) rgba[j] = 0xff000000 + 0x010101 * grey(j);
  context.putImageData(image, 0, 0);
}

class Dial {
  constructor(root) {
    this.root = root.querySelector(".dial");
    this.input = root.querySelector("input");
    this.output = root.querySelector("output");
    this.lines = root.querySelector(".lines");
    this.found = root.querySelector(".found");
    this.matching = root.querySelector(".matching");
    const { dataset } = document.documentElement; // while it is dragged, the page's words are of another level
    this.input.addEventListener("input", () => {
      dataset.dragging = DRAGGED;
      this.move(this.chosen());
    });
    this.input.addEventListener("change", () => {
      if (this.chosen() === this.exact.level) this.letGo();
      this.report(this.chosen());
    });
    document.addEventListener("privdemo-guesses", () => this.data && this.move(this.level));
    new ResizeObserver(() => this.data && this.perLine() !== this.columns && this.build()).observe(this.root);
  }

  // The last position is the limit itself, which need not be a whole number of steps away.
  chosen() {
    const { low, high, step } = this.data;
    const i = Number(this.input.value);
    return i >= Number(this.input.max) ? high : Number((low + i * step).toFixed(6));
  }

  async update(raw) {
    this.asked = raw;
    const wanted = () => this.asked === raw; // until the page runs again
    const addresses = [raw.pictures, raw.guesses, ...(raw.matching ? [raw.matching] : [])];
    const files = Promise.all(addresses.map((address) => fetchFile(address, wanted)));
    const [pictures, guesses, matching] = await files.catch((problem) => {
      if (wanted()) throw problem;
      return [];
    });
    if (!wanted()) return;
    const anew = this.token !== raw.token;
    if (anew) this.data = decode(JSON.parse(new TextDecoder().decode(pictures)));
    this.matching.innerHTML = matching ? new TextDecoder().decode(matching) : "";
    const size = this.data.clean.length;
    let first = 0; // those that are not ready yet are being learned
    const byPrior = raw.ready.map((ready) => (ready ? guesses.subarray(first, (first += size)) : null));
    const { dataset } = document.documentElement;
    const held = !anew && dataset.dragging === DRAGGED && this.exact.level === raw.level; // the page knows of no other yet
    this.token = raw.token;
    this.exact = { level: raw.level, sentence: raw.linkingHere, guesses: byPrior };
    this.grid = { levels: raw.levels, sentences: raw.linking };
    if (anew) this.build();
    const { low, high, step } = this.data;
    this.input.max = Math.ceil((high - low) / step - 1e-9);
    const { name } = this.data;
    this.root.querySelector(".name").textContent = name;
    this.root.querySelectorAll(".control .end").forEach((end, i) => (end.textContent = this.data.ends[i]));
    this.input.setAttribute("aria-label", name);
    this.input.disabled = false;
    dataset.dial = "rendered"; // its first frame, plain markup, may go
    if (held) return this.move(this.level);
    this.input.value = raw.level >= high ? this.input.max : Math.round((raw.level - low) / step);
    this.move(raw.level);
    this.letGo();
  }

  letGo() {
    const { dataset } = document.documentElement;
    if (dataset.dragging === DRAGGED) delete dataset.dragging;
  }

  slideLine() {
    return Number(getComputedStyle(this.root).getPropertyValue(SLIDE_LINE));
  }

  perLine() {
    if (this.slideLine()) return Math.min(this.data.labels.length, this.slideLine());
    return Math.min(this.data.labels.length, this.root.clientWidth < NARROW ? LINE / 2 : LINE);
  }

  build() {
    this.columns = this.perLine();
    this.canvases = { clean: [], released: [], guesses: this.data.priorLabels.map(() => []) };
    this.titles = this.data.priorLabels.map(() => []);
    this.lines.replaceChildren();
    if (this.data.halves) this.buildHalves(this.data.halves);
    else {
      const parent = this.slideLine() ? this.lines : this.buildFold();
      this.lineUp().forEach((people) => this.buildLine(people, parent));
    }
    this.paintAll(this.canvases.clean, this.data.clean);
    if (this.level !== undefined) this.move(this.level);
  }

  // The people of each line: ten, of whom a narrow screen has every second one in a line and the others in the next,
  // so that a line holds people of several kinds. A slide has one line, of people at equal distances.
  lineUp() {
    const lines = [];
    const last = this.data.labels.length - 1, apart = last / Math.max(1, this.columns - 1);
    if (this.slideLine()) return [Array.from({ length: this.columns }, (_, n) => Math.round(n * apart))];
    for (let start = 0; start < this.data.labels.length; start += LINE) {
      const ten = [...this.data.labels.keys()].slice(start, start + LINE);
      if (ten.length <= this.columns) lines.push(ten);
      else lines.push(ten.filter((_, n) => n % 2 === 0), ten.filter((_, n) => n % 2 === 1));
    }
    return lines;
  }

  add(parent, element, className, text = "") {
    const child = parent.appendChild(document.createElement(element));
    child.className = className;
    child.textContent = text;
    return child;
  }

  canvas(parent, kind, name, person, into) {
    const canvas = this.add(parent, "canvas", kind);
    Object.assign(canvas, { width: this.data.width, height: this.data.height });
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${name}: person ${person + 1}, a ${this.data.labels[person]}`);
    into[person] = canvas;
  }

  // All people's releases in one half, their guesses in the other.
  buildHalves(titles) {
    const { released, guesses } = this.canvases;
    [["released", released], ["guess", guesses[0]]].forEach(([kind, into], half) => {
      const figure = this.add(this.lines, "figure", "half");
      this.add(figure, "figcaption", "row-name", titles[half]);
      this.data.labels.forEach((_, person) => this.canvas(figure, kind, titles[half], person, into));
    });
  }

  // What unfolds all lines of people.
  buildFold() {
    const fold = this.add(this.lines, "details", "fold");
    fold.open = this.unfolded;
    fold.addEventListener("toggle", () => (this.unfolded = fold.open));
    this.add(fold, "summary", "", this.data.foldTitle);
    return fold;
  }

  // One line of people: a grid whose first column names the rows, then one column each. A slide shows only the first
  // row of guesses.
  buildLine(people, parent) {
    const { priorLabels, sentNote } = this.data;
    const line = this.add(parent, "div", "line");
    line.style.setProperty("--columns", this.columns);
    const cells = (fill) => {
      for (let c = 0; c < this.columns; c++) {
        if (c < people.length) fill(people[c]);
        else this.add(line, "span", "");
      }
    };
    const row = (name, note, kind, into) => {
      const title = this.add(line, "div", "row-name", name);
      this.add(title, "small", "", note);
      cells((person) => this.canvas(line, kind, name, person, into));
      return title;
    };
    row("Original", "before the noise", "clean", this.canvases.clean);
    row("Sent", sentNote, "released", this.canvases.released);
    priorLabels.slice(0, this.slideLine() ? 1 : priorLabels.length).forEach(([name, note], g) => {
      const title = row(name, note, "guess", this.canvases.guesses[g]);
      this.titles[g].push(title);
    });
  }

  paintAll(canvases, pixels) {
    const size = this.data.height * this.data.width;
    canvases.forEach((canvas, n) => paint(canvas, size, (j) => pixels[n * size + j]));
  }

  move(level) {
    this.level = level;
    const size = this.data.height * this.data.width;
    const released = this.data.release(this.data, level);
    this.canvases.released.forEach((canvas, n) => paint(canvas, size, (j) => released(n * size + j)));
    this.paintGuesses(level);
    const { symbol } = this.data; // null where the level is a chance
    const shown = symbol ? `${symbol} = ${Number(level.toPrecision(3))}` : `${Number((100 * level).toPrecision(4))} %`;
    this.output.textContent = shown;
    this.input.setAttribute("aria-valuetext", `${shown}. ${this.found.textContent}`);
    this.root.dataset.level = level;
  }

  paintGuesses(level) {
    const { levels, sentences } = this.grid;
    const atRest = level === this.exact.level;
    const apart = levels.map((one) => Math.abs(one - level));
    const nearest = apart.indexOf(Math.min(...apart));
    const computed = globalThis.privdemoGuesses;
    const known = computed?.token === this.token;
    this.found.textContent = atRest ? this.exact.sentence : sentences[nearest];
    this.root.dataset.guesses = atRest ? "exact" : known ? "near" : "old";
    this.canvases.guesses.forEach((canvases, g) => {
      const exact = this.exact.guesses[g], near = known && computed.pictures[g][nearest];
      const shown = atRest || !near ? (exact ?? near) : near;
      if (shown) this.paintAll(canvases, shown);
      canvases.forEach((canvas) => canvas.classList.toggle("learning", !exact));
      this.titles[g].forEach((title) => title.classList.toggle("learning", !exact));
    });
  }
}

const dials = new WeakMap();

export default function ({ data, setTriggerValue, parentElement }) {
  if (!dials.has(parentElement)) dials.set(parentElement, new Dial(parentElement));
  const dial = dials.get(parentElement);
  dial.report = (level) => setTriggerValue("moved", level); // news even if the level is that of the last report
  dial.update(data);
}
