// The control of one number. It keeps its own state, and sends each change with a count. The server
// answers with the count of the last change that it has received: data from before a later change is
// ignored, so that neither a slow server nor a fast visitor moves the control back.

const shortest = (value) => String(Number(value.toPrecision(8)));

class Box {
  constructor(place, send) {
    this.input = place.querySelector("input");
    this.range = place.querySelector(".range");
    this.label = place.querySelector("label");
    this.help = place.querySelector(".help");
    this.words = place.querySelector(".words");
    this.place = place;
    this.send = send;
    this.input.addEventListener("input", () => (this.edited = true));
    this.input.addEventListener("change", () => this.commit());
    this.input.addEventListener("keydown", (event) => {
      const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!way) return;
      event.preventDefault();
      this.step(way);
    });
    const [less, more] = place.querySelectorAll(".step");
    less?.addEventListener("click", () => this.step(-1));
    more?.addEventListener("click", () => this.step(1));
  }

  update(plan, text) {
    this.plan = plan;
    this.label.textContent = plan.label;
    this.label.hidden = Boolean(plan.hideLabel); // the slider's name stands above it
    this.input.ariaLabel = plan.hideLabel ? plan.label : null;
    this.input.min = plan.low;
    this.input.max = plan.high;
    this.input.placeholder = plan.placeholder ?? "";
    this.help.hidden = !plan.help;
    this.words.textContent = plan.help;
    if (text !== undefined && !this.edited) this.show(text);
  }

  show(text) {
    this.edited = false;
    this.input.value = text;
    this.say("");
  }

  say(problem) {
    this.range.textContent = problem;
    this.input.setAttribute("aria-invalid", problem !== "");
  }

  allows(value) {
    const { low, high, lowOpen, integer } = this.plan;
    return value >= low && value <= high && !(lowOpen && value === low) && (!integer || Number.isInteger(value));
  }

  // What is no number within the range stays as it was typed, with the range beside it.
  commit() {
    const { value, validity } = this.input;
    if (value === "" && !validity.badInput) return this.show(this.shown);
    if (value === "" || !this.allows(Number(value))) return this.say(`Type ${this.plan.range}.`);
    this.say("");
    this.edited = false;
    this.send(Number(value));
  }

  step(way) {
    const { low, high, step } = this.plan;
    const from = this.input.value === "" ? low : Number(this.input.value);
    this.input.value = shortest(Math.min(high, Math.max(low, from + way * step)));
    this.commit();
  }
}

class Control {
  constructor(root) {
    this.control = root.querySelector(".control");
    this.slide = root.querySelector(".slide");
    this.boxes = root.querySelector(".boxes");
    this.slider = root.querySelector("#slider");
    this.output = root.querySelector("output");
    this.name = root.querySelector(".name");
    this.ends = root.querySelectorAll(".end");
    const [box, other] = root.querySelectorAll(".box");
    this.box = new Box(box, (value) => this.choose(value));
    this.other = new Box(other, (value) => this.report({ other: value }));
    this.count = 0;
    this.slider.addEventListener("pointerdown", () => (this.held = true));
    this.slider.addEventListener("input", () => {
      this.value = this.at(Number(this.slider.value));
      this.show();
      if (!this.data.slider.live) return;
      // until it is released, the page's words are of another value
      document.documentElement.dataset.dragging = this.data.key;
      const detail = { key: this.data.key, value: this.value };
      document.dispatchEvent(new CustomEvent("privdemo-number", { detail }));
    });
    this.slider.addEventListener("change", () => {
      this.held = false;
      this.report({ value: this.value });
    });
    for (const end of ["pointerup", "pointercancel"]) this.slider.addEventListener(end, () => (this.held = false));
  }

  update(data) {
    const isNew = this.session !== data.session;
    if (isNew) [this.session, this.count] = [data.session, data.count];
    const isOld = data.count < this.count || this.held;
    this.data = data;
    this.count = Math.max(this.count, data.count);
    if (!isOld) this.value = data.value;
    const { box, other, slider } = data;
    this.slide.hidden = !slider;
    this.boxes.hidden = !data.hasBoxes;
    this.control.classList.toggle("linked", Boolean(slider || other));
    if (slider && !this.held) this.range(slider);
    this.box.update(box, isOld ? undefined : data.text);
    this.other.place.hidden = !other;
    if (other) {
      this.other.update(other, isOld ? undefined : other.text);
      if (!isOld) this.other.shown = other.text;
    }
    if (isOld) return;
    this.show();
    const { dataset } = document.documentElement;
    if (slider?.live && dataset.dragging === data.key) delete dataset.dragging; // not where another slider is dragged
  }

  range({ name, ends, stops, percent, scale, largestLeft }) {
    const { low, high, step } = this.data.box;
    this.slide.classList.toggle("percent", percent);
    this.slide.classList.toggle("worded", scale.length > 0);
    this.slider.dir = largestLeft ? "rtl" : "ltr";
    this.name.textContent = scale.length ? `${name}:` : name;
    this.ends.forEach((end, i) => (end.textContent = ends ? ends[i] : ""));
    this.stops = stops && [...new Set([...stops, this.value])].sort((a, b) => a - b);
    this.slider.max = stops ? this.stops.length - 1 : Math.ceil((high - low) / step - 1e-9);
    this.slider.value = this.position(this.value);
  }

  // The last position is the end of the range itself, which need not be a whole number of steps away.
  at(position) {
    const { low, high, step } = this.data.box;
    if (this.stops) return this.stops[position];
    return position >= Number(this.slider.max) ? high : Number((low + position * step).toFixed(10));
  }

  position(value) {
    const { low, high, step } = this.data.box;
    if (this.stops) return this.stops.indexOf(value);
    return value >= high ? this.slider.max : Math.round((value - low) / step);
  }

  choose(value) {
    this.value = value;
    if (this.data.slider) this.range(this.data.slider);
    this.show();
    this.report({ value });
  }

  show() {
    const text = shortest(this.value);
    this.box.shown = text;
    if (!this.box.edited || this.held) this.box.show(text);
    if (!this.data.slider) return;
    const number = inNumbers(this.value, this.data.slider);
    const word = this.data.slider.scale.findLast(([least]) => this.value >= least)?.[1];
    this.output.textContent = word ?? number;
    // Who does not see the slider move hears the number as well: two positions may have the same word.
    this.slider.setAttribute("aria-valuetext", word ? `${word} (${number})` : number);
  }

  report(change) {
    this.count += 1;
    this.send({ count: this.count, ...change });
  }
}

function inNumbers(value, { percent, unit }) {
  if (percent) return `${Number((100 * value).toPrecision(4))} %`;
  return unit + (Number.isInteger(value) ? value.toLocaleString("en") : shortest(value));
}

const controls = new WeakMap();

export default function ({ data, setTriggerValue, parentElement }) {
  if (!controls.has(parentElement)) controls.set(parentElement, new Control(parentElement));
  const control = controls.get(parentElement);
  control.send = (change) => setTriggerValue("changed", change);
  control.update(data);
}
