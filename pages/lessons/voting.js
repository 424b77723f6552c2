// The lie of a simulated poll: every position of the slider has the words that Python found for it.
function start() {
  const { values, words, control, dots, covered } = lesson;
  const say = (value) => {
    const here = words[values.indexOf(value)];
    for (const part of ["takeaway", "epsilon", "arithmetic"]) byId(part).innerHTML = here[part];
    byId("guessed").classList.toggle("elsewhere", value !== control.value); // why it is so is said of the first lie
    return here;
  };
  const show = (value) => render("people", { ...dots, lies: [value, value], words: say(value).people });
  document.addEventListener("privdemo-number", ({ detail }) => say(detail.value));
  render("people", covered);
  askForGuess(() => {
    byId("controls").hidden = false;
    render("lie", control, ({ value }) => {
      delete document.documentElement.dataset.dragging;
      show(value);
    });
    show(control.value);
  });
}
