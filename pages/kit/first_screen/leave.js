// The first screen goes as soon as the page's own figure stands, or the page has said why there is none.
(() => {
  const first = document.getElementById("first-screen");
  const theme = localStorage[Object.keys(localStorage).find((key) => key.startsWith("stActiveTheme"))] ?? "";
  first.style.colorScheme = /Light/.test(theme) ? "light" : /Dark/.test(theme) ? "dark" : "light dark";
  const stands = (element) => element.getBoundingClientRect().height > 5;
  const figures = ".st-key-figure :is(img, canvas, table, .card), [data-testid='stBidiComponentIsolated']";
  const over = "[data-test-script-state='notRunning'] .takeaway, [role='dialog'], [data-testid='stException']";
  const look = () => [...document.querySelectorAll(figures)].some(stands) || document.querySelector(over)
    ? first.remove() : requestAnimationFrame(look);
  look();
})();
