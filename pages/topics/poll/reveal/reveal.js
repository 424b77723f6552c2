// The answers of a class. While they arrive each falls as a grey dot into one heap; at the reveal a dot for each falls into
// the pile of what was sent, and some of each pile turn hollow, chosen at random: which answers chance changed, nobody knows.
// Then each share slides from what was sent to that corrected for the changed answers. The browser gets counts and shares, as the
// screen shows them.

const FEWEST = 20, GAP = 48; // places that a pile has room for, and pixels between two piles
const LEAST_FULL = 0.75; // the least part of its size that a dot keeps so that all rows are full
const FALL = 900, STAGGER = 700, WAIT = 1400; // milliseconds: of one dot, between the first and the last, before chance shows
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

function add(parent, name, className, text = "") {
  const child = parent.appendChild(document.createElement(name));
  child.className = className;
  child.textContent = text;
  return child;
}

class Reveal {
  constructor(root) {
    this.canvas = root.querySelector("canvas");
    this.piles = root.querySelector(".piles");
    this.rows = root.querySelector(".rows");
    this.note = root.querySelector(".note");
    this.head = root.querySelector(".head");
    this.dots = []; // each with its answer, or null in the heap, where it is and where it goes to
    new ResizeObserver(() => this.arrange(false)).observe(this.canvas);
  }

  update(data) {
    const isNewFrame = data.frame !== this.data?.frame;
    if (isNewFrame || data.poll !== this.data.poll) this.dots = [];
    this.data = data;
    document.documentElement.dataset.component = "";
    const isShares = data.frame === "shares";
    this.canvas.hidden = this.piles.hidden = isShares;
    this.rows.hidden = !isShares;
    this.note.textContent = data.note;
    this.head.innerHTML = data.head; // made and escaped by the server
    if (isShares) return this.showShares(isNewFrame);
    this.canvas.setAttribute("aria-label", data.words);
    this.showNames();
    this.takeIn(isNewFrame);
    this.arrange(true);
    clearTimeout(this.later);
    const moves = isNewFrame && !still();
    this.showsChance = data.frame === "piles" && !moves;
    if (data.frame === "piles" && moves)
      this.later = setTimeout(() => { this.showsChance = true; this.markHollow(); this.render(); }, WAIT + FALL);
    this.markHollow();
  }

  showNames() {
    const { frame, answers, labels } = this.data;
    this.piles.hidden = frame !== "piles";
    this.piles.replaceChildren();
    if (frame !== "piles") return;
    answers.forEach((answer, i) => {
      const pile = add(this.piles, "div", "pile");
      add(pile, "span", "", answer).dir = "auto";
      add(pile, "b", "", labels[i]);
    });
  }

  // As many dots as answers, of each answer its number; dots of the heap take the answers in any order.
  takeIn(isNewFrame) {
    const { frame, counts } = this.data;
    const total = counts.reduce((sum, each) => sum + each, 0);
    if (this.dots.length > total) this.dots = [];
    while (this.dots.length < total) this.dots.push({ answer: null, isNew: true });
    if (frame === "heap") return this.dots.forEach((dot) => (dot.answer = null));
    const missing = counts.map((count, i) => count - this.dots.filter((dot) => dot.answer === i).length);
    if (missing.some((each) => each < 0)) {
      this.dots.forEach((dot) => (dot.answer = null));
      counts.forEach((count, i) => (missing[i] = count));
    }
    const left = missing.flatMap((count, i) => Array(count).fill(i));
    for (const dot of this.dots) {
      if (dot.answer !== null) continue;
      dot.answer = left.splice(Math.floor(Math.random() * left.length), 1)[0];
      dot.hollow = false;
    }
  }

  // Some of each pile turn hollow: as many as chance has changed on average at the estimated shares.
  markHollow() {
    this.data.counts.forEach((_, i) => {
      const pile = this.dots.filter((dot) => dot.answer === i);
      const wanted = this.showsChance && this.data.changed ? this.data.changed[i] : 0;
      let hollow = pile.filter((dot) => dot.hollow).length;
      for (let tries = 0; hollow !== wanted && tries < 50 * pile.length; tries++) {
        const dot = pile[Math.floor(Math.random() * pile.length)];
        if (dot.hollow === hollow < wanted) continue;
        dot.hollow = !dot.hollow;
        hollow += dot.hollow ? 1 : -1;
      }
    });
  }

  arrange(moves) {
    const { width, height } = this.canvas.getBoundingClientRect();
    if (!width || !height || !this.data || this.data.frame === "shares") return;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    [this.width, this.height, this.scale] = [width, height, scale];
    const { frame, counts, expected } = this.data;
    const piles = frame === "heap" ? [expected ?? this.dots.length] : counts;
    const space = width / piles.length - GAP * (piles.length > 1);
    // Places in the highest pile: a heap of unknown size has places for twice as many whenever it is full.
    let most = Math.max(...piles, FEWEST);
    if (frame === "heap" && !expected) most = FEWEST * 2 ** Math.ceil(Math.log2(most / FEWEST));
    // The largest cell with which that pile fits.
    let cell = Math.sqrt((space * height) / most);
    while (Math.floor(space / cell) * Math.floor(height / cell) < most) cell *= 0.98;
    let columns = Math.max(1, Math.floor(space / cell));
    // A heap whose size is known fills its rows, if a cell somewhat smaller or wider apart allows that.
    if (frame === "heap" && expected) {
      const fits = (count) => Math.min(space / count, height / Math.ceil(expected / count));
      const full = Array.from({ length: expected }, (_, i) => i + 1).filter((count) => expected % count === 0);
      const best = full.reduce((one, other) => (fits(other) > fits(one) ? other : one));
      if (fits(best) > LEAST_FULL * cell) [columns, cell] = [best, fits(best)];
    }
    this.cell = cell;
    const place = (pile, rank, size) => {
      const inRow = Math.min(columns, size);
      const left = (pile + 0.5) * (width / piles.length) - (inRow * cell) / 2;
      return [left + (rank % columns + 0.5) * cell, height - (Math.floor(rank / columns) + 0.5) * cell];
    };
    const ranks = piles.map(() => 0);
    const now = performance.now(), fallers = this.dots.filter((dot) => dot.isNew || frame === "piles").length;
    let faller = 0;
    for (const dot of this.dots) {
      const pile = frame === "heap" ? 0 : dot.answer;
      const [x, y] = place(pile, ranks[pile]++, Math.max(piles[pile], frame === "heap" ? columns : 1));
      if (dot.isNew && (!moves || still())) [dot.x, dot.y] = [x, y];
      else if (dot.isNew) [dot.x, dot.y] = [x, -cell];
      delete dot.isNew;
      if (dot.to?.[0] === x && dot.to?.[1] === y) continue;
      dot.from = [dot.x, dot.y]; // above its pile, where it is new
      dot.to = [x, y];
      dot.start = moves && !still() ? now + (STAGGER * faller++) / Math.max(1, fallers) : now - FALL;
    }
    this.empty = frame === "heap" && expected ? Array.from({ length: expected }, (_, i) => place(0, i, expected)) : [];
    if (!this.running) this.animate();
  }

  animate() {
    const now = performance.now();
    let moving = false;
    for (const dot of this.dots) {
      const part = Math.min(1, Math.max(0, (now - dot.start) / FALL)), eased = part * part * (3 - 2 * part);
      dot.x = dot.from[0] + (dot.to[0] - dot.from[0]) * eased;
      dot.y = dot.from[1] + (dot.to[1] - dot.from[1]) * eased;
      moving ||= part < 1;
    }
    this.render();
    this.running = moving && requestAnimationFrame(() => this.animate());
  }

  render() {
    if (!this.scale) return;
    const context = this.canvas.getContext("2d"), { marks, frame } = this.data;
    context.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    const paint = (mark, x, y, hollow) => {
      const size = this.cell / 10;
      context.save();
      context.translate(x, y);
      context.scale(size, size);
      const path = new Path2D(`M${mark.x} ${mark.y}${mark.rest}`);
      context.lineWidth = 1.4;
      context.strokeStyle = context.fillStyle = mark.colour;
      hollow ? context.stroke(path) : context.fill(path);
      context.restore();
    };
    const grey = marks[marks.length - 1];
    this.empty?.slice(this.dots.length).forEach(([x, y]) => paint(grey, x, y, true));
    for (const dot of this.dots) paint(frame === "heap" ? grey : marks[dot.answer], dot.x, dot.y, dot.hollow);
    this.canvas.dataset.hollow = this.dots.filter((dot) => dot.hollow).length;
    this.canvas.dataset.dots = this.dots.length;
  }

  // The bars begin where what was sent ends, and slide to the corrected share.
  showShares(isNewFrame) {
    const { answers, readings, marks, words } = this.data;
    this.rows.setAttribute("aria-label", words);
    if (this.rows.children.length !== answers.length + 1) {
      this.rows.replaceChildren();
      for (const answer of answers) {
        const row = add(this.rows, "div", "row");
        const name = add(row, "div", "name");
        add(name, "span", "", `${answer} `).dir = "auto";
        add(name, "b", "");
        add(name, "span", "lines", "");
        const track = add(row, "div", "track");
        for (const part of ["bar", "range", "said-range", "said", "truth"]) add(track, "div", part);
      }
      const scale = add(this.rows, "div", "scale");
      for (const part of [0, 50, 100]) add(scale, "span", "", `${part} %`);
    }
    const percent = (share) => `${100 * share}%`;
    const show = (isEstimate) =>
      readings.forEach((reading, i) => {
        const row = this.rows.children[i], part = (name) => row.querySelector(`.${name}`).style;
        row.querySelector("b").textContent = isEstimate ? reading.estimated_words : reading.said_words;
        const truth = reading.truth === null ? "" : `; thick: truth ${reading.truth_words}`;
        row.querySelector(".lines").textContent = isEstimate ? `; dashed line: ${reading.said_words}${truth}` : "";
        const [mean, low, high] = isEstimate ? reading.estimated : reading.said;
        Object.assign(part("bar"), { width: percent(mean), background: marks[i].colour });
        Object.assign(part("range"), { left: percent(low), width: percent(high - low), visibility: isEstimate ? "visible" : "hidden" });
        Object.assign(part("said"), { left: percent(reading.said[0]), visibility: isEstimate ? "visible" : "hidden" });
        const [, saidLow, saidHigh] = reading.said, hasTruth = isEstimate && reading.truth !== null;
        Object.assign(part("said-range"), { left: percent(saidLow), width: percent(saidHigh - saidLow), visibility: hasTruth ? "visible" : "hidden" });
        Object.assign(part("truth"), { left: percent(reading.truth ?? 0), visibility: reading.truth === null ? "hidden" : "visible" });
      });
    clearTimeout(this.later);
    if (!isNewFrame || still()) return show(true);
    show(false);
    this.later = setTimeout(() => show(true), WAIT);
  }
}

const kept = (globalThis.privdemoReveals ??= new WeakMap());

export default function ({ data, parentElement }) {
  if (!kept.has(parentElement)) kept.set(parentElement, new Reveal(parentElement));
  kept.get(parentElement).update(data);
}
