// What a poll says if some people do not follow the rules: a row for each estimate, with its interval and the truth. The rows
// follow the slider of how many they are. Python has computed what each of its positions shows; this only chooses among them.

const NEAR_END = 0.04; // a number so near to an end of the axis stands within it

function add(parent, name, className, text = "") {
  const child = parent.appendChild(document.createElement(name));
  child.className = className;
  child.textContent = text;
  return child;
}

const percent = (part) => `${100 * part}%`;

class Rows {
  constructor(root) {
    this.section = root.querySelector(".disobedience");
    this.rows = root.querySelector(".rows");
    this.scale = root.querySelector(".scale");
    this.more = root.querySelector(".more");
    this.note = root.querySelector(".note");
    this.follow = ({ detail }) => {
      if (detail.key === this.data.key) this.show(detail.value);
    };
  }

  update(data) {
    const { dataset } = document.documentElement;
    dataset.component = "";
    this.data = data;
    this.build();
    if (dataset.dragging !== data.key) this.part = data.part;
    this.show(this.part ?? data.part);
  }

  build() {
    const { kinds, ticks, zero, truth_colour, note, words } = this.data;
    this.section.ariaLabel = words;
    this.section.style.setProperty("--truth", truth_colour);
    this.rows.replaceChildren();
    this.shown = [];
    for (const { heading, colour, shape } of kinds) {
      if (heading) add(this.rows, "p", "heading", heading);
      const row = add(this.rows, "div", `row ${shape}`);
      row.style.setProperty("--colour", colour);
      const name = add(row, "div", "name");
      const parts = { row, name: add(name, "span", ""), value: add(name, "b", "") };
      const track = add(row, "div", "track");
      track.ariaHidden = "true";
      add(track, "div", "below").style.width = percent(zero);
      for (const [, at] of ticks) add(track, "div", "tick").style.left = percent(at);
      for (const part of ["range", "rule"]) parts[part] = add(track, "div", part);
      parts.mark = add(track, "div", `mark ${shape}`);
      this.shown.push(parts);
    }
    this.scale.replaceChildren();
    for (const [text, at] of ticks) {
      const place = at < NEAR_END ? "first" : at > 1 - NEAR_END ? "last" : "";
      const tick = add(this.scale, "span", place, text);
      if (place !== "last") tick.style.left = percent(at);
    }
    this.note.textContent = note;
  }

  // The rows at the position of the slider that is nearest to `part`.
  show(part) {
    this.part = part;
    const nearest = (best, one) => (Math.abs(one.part - part) < Math.abs(best.part - part) ? one : best);
    const stop = this.data.stops.reduce(nearest);
    stop.rows.forEach(({ name, value, at, beyond, from, to, rule }, i) => {
      const parts = this.shown[i];
      parts.name.textContent = `${name} `;
      parts.value.textContent = value;
      parts.range.hidden = from === null;
      Object.assign(parts.range.style, { left: percent(from), width: percent(to - from) });
      parts.mark.hidden = at === null;
      parts.mark.style.left = percent(at);
      for (const end of ["left", "right"]) parts.mark.classList.toggle(end, beyond === end);
      parts.rule.style.left = percent(rule);
      parts.row.classList.toggle("unknown", at === null && from === null);
    });
    this.more.textContent = stop.more;
  }
}

const all = new WeakMap();

export default function ({ data, parentElement }) {
  if (!all.has(parentElement)) all.set(parentElement, new Rows(parentElement));
  const rows = all.get(parentElement);
  rows.update(data);
  document.addEventListener("privdemo-number", rows.follow);
  return () => document.removeEventListener("privdemo-number", rows.follow);
}
