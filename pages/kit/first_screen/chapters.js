// On a narrow screen the chapters stand under the figure: who taps one is taken up to its sentence and its figure.
const upToChapter = (event) => {
  if (!matchMedia("(max-width: 700px)").matches || !event.target.closest(".st-key-chapters button")) return;
  document.querySelector("h2.chapter, .takeaway")?.scrollIntoView();
};
document.addEventListener("click", upToChapter, true); // before the page's own listeners, which stop the event
