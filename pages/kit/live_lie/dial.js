// The dial of a lie. While it is dragged it tells the document where it stands, so that dots can
// follow; once it is let go it tells Python.

class Dial {
  constructor(root) {
    this.input = root.querySelector("input");
    this.output = root.querySelector("output");
    this.name = root.querySelector(".name");
    this.ends = root.querySelectorAll(".end");
    this.input.addEventListener("pointerdown", () => (this.held = true));
    const { dataset } = document.documentElement; // while it is dragged, the page's words are of another lie
    this.input.addEventListener("input", () => {
      dataset.dragging = "";
      const value = this.chosen();
      this.say(value);
      const detail = { key: this.data.key, value };
      document.dispatchEvent(new CustomEvent("privdemo-lie", { detail }));
    });
    this.input.addEventListener("change", () => {
      this.held = false;
      if (this.chosen() === this.data.value) delete dataset.dragging;
      this.report(this.chosen());
    });
  }

  // The last position is the limit itself, which need not be a whole number of steps away.
  chosen() {
    const { low, high, step } = this.data;
    const i = Number(this.input.value);
    return i >= Number(this.input.max) ? high : Number((low + i * step).toFixed(6));
  }

  update(data) {
    this.data = data;
    const { low, high, step, value, name, ends } = data;
    this.name.textContent = name;
    this.ends.forEach((end, i) => (end.textContent = ends[i]));
    this.input.max = Math.ceil((high - low) / step - 1e-9);
    if (this.held) return; // it is being dragged on
    this.input.value = value >= high ? this.input.max : Math.round((value - low) / step);
    this.say(value);
    delete document.documentElement.dataset.dragging;
  }

  say(value) {
    const words = `${Number((100 * value).toPrecision(4))} %`;
    this.output.textContent = words;
    this.input.setAttribute("aria-valuetext", words);
  }
}

const dials = new WeakMap();

export default function ({ data, setTriggerValue, parentElement }) {
  if (!dials.has(parentElement)) dials.set(parentElement, new Dial(parentElement));
  const dial = dials.get(parentElement);
  dial.report = (value) => setTriggerValue("moved", value); // news even if the value is that of the last report
  dial.update(data);
}
