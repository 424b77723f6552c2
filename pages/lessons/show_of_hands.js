// A poll by a show of hands: of simulated people, or of as many hands as are typed. Each way has chapters, of which
// each has a sentence and a picture, as Python made them.
function start() {
  const { ways, fewest, controls } = lesson;
  const hands = controls.map(({ value }) => value);
  let showsFew = false;

  const chapterOf = (way, name) => {
    if (way.chapters) return way.chapters[name];
    const [yes, no] = hands, n = yes + no;
    if (!n) return { answer: way.nobody };
    if (n < fewest && !showsFew) return { answer: way.tooFew[n], isTooFew: true };
    const { answer, ...changed } = way.hands[yes][no][name];
    return { answer, picture: { ...way.pictures[name], ...changed } };
  };

  const show = () => {
    const way = ways[document.querySelector("[name=way]:checked").value];
    const names = Object.keys(way.questions);
    const chosen = names.find((name) => document.querySelector("[name=chapter]:checked")?.value === name) ?? names[0];
    for (const one of document.querySelectorAll("[name=chapter]")) {
      one.checked = one.value === chosen;
      one.parentElement.hidden = !names.includes(one.value);
    }
    byId("hands").hidden = byId("rule").hidden = Boolean(way.chapters);
    const { answer, picture, isTooFew } = chapterOf(way, chosen);
    byId("question").textContent = way.questions[chosen];
    byId("question").hidden = !way.questions[chosen];
    byId("takeaway").innerHTML = answer;
    byId("few").hidden = !isTooFew;
    byId("answers").hidden = !picture;
    if (picture) render("answers", picture);
  };

  controls.forEach((control, i) =>
    render(`hands-${i}`, control, ({ value }) => {
      hands[i] = value;
      show();
    })
  );
  for (const one of document.querySelectorAll("[name=way], [name=chapter]")) one.addEventListener("change", show);
  byId("few").addEventListener("click", () => {
    showsFew = true;
    show();
    byId("takeaway").focus();
  });
  show();
}
