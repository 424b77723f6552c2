// The live dial: while it is dragged, every picture is corrupted here, in the browser, from the
// clean pixels and the fixed random draws that Python handed over. The arithmetic follows the
// mechanisms' `apply` and `to_grey` step by step, in single precision where they use it, so that
// the pixels are the very ones that Python computes. A test compares them.

const GRID = 2 ** 24;
const NARROW = 560;

function bytes(text) {
  const raw = atob(text);
  const array = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) array[i] = raw.charCodeAt(i);
  return array;
}
const floats = (text) => new Float32Array(bytes(text).buffer);

// Randomised response: the replacement where the uniform is below q = pk/(k−1), rounded up.
function redraw(data, level) {
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
  return { ...data, uniform: floats(raw.uniform), replacement: bytes(raw.replacement), release: redraw };
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
    this.input.addEventListener("input", () => this.move(this.chosen()));
    this.input.addEventListener("change", () => this.report(this.chosen()));
    new ResizeObserver(() => this.data && this.perLine() !== this.columns && this.build()).observe(this.root);
  }

  // The last position is the limit itself, which need not be a whole number of steps away.
  chosen() {
    const { low, high, step } = this.data;
    const i = Number(this.input.value);
    return i >= Number(this.input.max) ? high : Number((low + i * step).toFixed(6));
  }

  update(raw) {
    this.guesses = raw.guesses.map(bytes);
    if (this.token !== raw.token) {
      this.token = raw.token;
      this.data = decode(raw);
      this.build();
    } else {
      this.drawGuesses();
    }
    const { low, high, step } = this.data;
    this.input.max = Math.ceil((high - low) / step - 1e-9);
    this.released = raw.level;
    this.root.querySelector(".name").textContent = raw.name;
    this.input.setAttribute("aria-label", raw.name);
    this.input.value = raw.level >= high ? this.input.max : Math.round((raw.level - low) / step);
    this.move(raw.level);
  }

  perLine() {
    return Math.min(this.data.labels.length, this.root.clientWidth < NARROW ? 5 : 10);
  }

  // One line of people: a grid whose first column names the rows, then one column each.
  build() {
    const { labels, captions, priors, height, width } = this.data;
    this.columns = this.perLine();
    this.canvases = { clean: [], released: [], guesses: priors.map(() => []) };
    this.lines.replaceChildren();
    for (let start = 0; start < labels.length; start += this.columns) {
      const people = [...labels.keys()].slice(start, start + this.columns);
      const line = this.lines.appendChild(document.createElement("div"));
      line.className = "line";
      line.style.setProperty("--columns", this.columns);
      const row = (name, note, kind, into) => {
        const title = line.appendChild(document.createElement("div"));
        title.className = "row-name";
        title.textContent = name;
        title.appendChild(document.createElement("small")).textContent = note;
        for (let c = 0; c < this.columns; c++) {
          const cell = line.appendChild(document.createElement(c < people.length ? "canvas" : "span"));
          if (c >= people.length) continue;
          Object.assign(cell, { width, height, className: kind });
          cell.setAttribute("role", "img");
          cell.setAttribute("aria-label", `${name}: person ${people[c] + 1}, a ${labels[people[c]]}`);
          into[people[c]] = cell;
        }
      };
      row("Clean", "stays with the person", "clean", this.canvases.clean);
      row("Released", "what the collector gets", "released", this.canvases.released);
      line.appendChild(document.createElement("div")).className = "row-name";
      line.lastChild.textContent = "Label sent";
      for (let c = 0; c < this.columns; c++) {
        const cell = line.appendChild(document.createElement("div"));
        const caption = captions[people[c]];
        if (!caption) continue;
        cell.className = caption.flipped ? "caption flipped" : "caption";
        cell.appendChild(document.createElement("span")).textContent = caption.text;
      }
      priors.forEach(([name, note], g) => row(name, note, "guess", this.canvases.guesses[g]));
    }
    this.root.querySelector(".legend").textContent = this.data.legend;
    this.draw(this.canvases.clean, this.data.clean);
    this.drawGuesses();
    if (this.level !== undefined) this.move(this.level);
  }

  drawGuesses() {
    this.guesses.forEach((pixels, g) => this.draw(this.canvases.guesses[g], pixels));
  }

  draw(canvases, pixels) {
    const size = this.data.height * this.data.width;
    canvases.forEach((canvas, n) => paint(canvas, size, (j) => pixels[n * size + j]));
  }

  move(level) {
    this.level = level;
    const size = this.data.height * this.data.width;
    const released = this.data.release(this.data, level);
    this.canvases.released.forEach((canvas, n) => paint(canvas, size, (j) => released(n * size + j)));
    const shown = `${this.data.symbol} = ${Number(level.toPrecision(4))}`;
    this.output.textContent = shown;
    this.input.setAttribute("aria-valuetext", shown);
    this.root.classList.toggle("stale", level !== this.released);
    this.root.dataset.level = level;
  }
}

const dials = new WeakMap();

export default function ({ data, setStateValue, parentElement }) {
  if (!dials.has(parentElement)) dials.set(parentElement, new Dial(parentElement));
  const dial = dials.get(parentElement);
  dial.report = (level) => setStateValue("level", level);
  dial.update(data);
}
