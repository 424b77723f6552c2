// A clicker sends PageUp and PageDown. Arrows belong to a slider or a line of text that has the focus.
const KEYS = { ArrowRight: "next", PageDown: "next", ArrowLeft: "previous", PageUp: "previous", Escape: "leave" };
const OWN_ARROWS = 'input, textarea, select, [role="slider"], [role="radio"], [contenteditable="true"]';
const SWIPE = 60;

export default function ({ data, setTriggerValue, parentElement }) {
  const find = (selector) => parentElement.querySelector(selector);
  find(".place").textContent = `${data.number} / ${data.steps}`;
  find(".title").textContent = data.title;
  find('[data-move="previous"]').disabled = data.number === 1;
  find('[data-move="next"]').disabled = data.number === data.steps;
  const move = (where) => setTriggerValue("move", where);
  for (const button of parentElement.querySelectorAll("button")) button.onclick = () => move(button.dataset.move);

  const focused = (event) => event.composedPath()[0];
  const onKey = (event) => {
    const where = KEYS[event.key];
    if (!where || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key.startsWith("Arrow") && focused(event).matches?.(OWN_ARROWS)) return;
    event.preventDefault();
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
  window.addEventListener("keydown", onKey);
  window.addEventListener("touchstart", onStart, { passive: true });
  window.addEventListener("touchend", onEnd, { passive: true });
  return () => {
    window.removeEventListener("keydown", onKey);
    window.removeEventListener("touchstart", onStart);
    window.removeEventListener("touchend", onEnd);
  };
}
