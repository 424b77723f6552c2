// The dial with its pictures: for every position Python has the words, the guesses and the match.
function start() {
  const { dial, levels, guesses, first } = lesson;
  const say = (i) => {
    for (const part of ["takeaway", "epsilon"]) byId(part).innerHTML = levels[i][part];
  };
  const show = (i) => {
    say(i);
    const report = (level) => show(levels.findIndex((one) => one.dial.level === level));
    return render("dial", { ...dial, ...levels[i].dial }, report);
  };
  byId("dial").addEventListener("input", (event) => say(Number(event.composedPath()[0].value)));
  askForGuess(() => {
    for (const id of ["covered", "shown"]) byId(id).hidden = id === "covered";
    show(first);
  });
  return components.guesses({ data: guesses });
}
