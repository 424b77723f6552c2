// Remove the first screen as soon as the page's own figure stays where it is, with nothing of the page still missing; or
// three seconds after the run of the page has ended without a figure; or at once when the page shows an error or a dialog.
// Pictures of charts then move into the places of the charts, where they stay until Plotly has rendered these; but not if
// a setting has been changed meanwhile, which the address then holds.
(() => {
  const first = document.getElementById("first-screen");
  const theme = localStorage[Object.keys(localStorage).find((key) => key.startsWith("stActiveTheme"))] ?? "";
  if (/Light|Dark/.test(theme)) first.style.colorScheme = /Light/.test(theme) ? "light" : "dark";
  const kinds = "img, canvas, table, .card, .verdicts, .sets, .chart-place, .main-svg, [data-testid='stBidiComponentIsolated']";
  const figures = `.st-key-figure :is(${kinds})`;
  const wrong = "[role='dialog'], [data-testid='stException']";
  const seen = (element) =>
    element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().height > 5;
  // Where the figure begins on the screen; null while it, or anything else of the page, is missing.
  const figureTop = () => {
    const missing = [...document.querySelectorAll("[data-testid='stSkeleton']")].some(seen);
    const figure = [...document.querySelectorAll(figures)].find(seen);
    return document.querySelector(".takeaway") && !missing && figure ? figure.getBoundingClientRect().top : null;
  };
  let last = null, frames = 0; // for how many frames the figure has stood at one place
  const figureIsStill = () => {
    const now = figureTop();
    frames = now !== null && now === last ? frames + 1 : 0;
    last = now;
    return frames > 3;
  };
  let ended;
  const endedWithoutFigure = () => {
    if (!document.querySelector("[data-test-script-state='notRunning'] .takeaway")) return false;
    ended ??= performance.now();
    return performance.now() - ended > 3000;
  };
  const removeFirstScreen = () => {
    const places = document.querySelectorAll(".st-key-figure .chart-place");
    const pictures = location.search ? [] : first.shadowRoot.querySelectorAll(".chart-place");
    pictures.forEach((one, i) => places[i]?.replaceChildren(...one.childNodes));
    first.remove();
  };
  const check = () => {
    if (figureIsStill() || endedWithoutFigure() || document.querySelector(wrong)) removeFirstScreen();
    else requestAnimationFrame(check);
  };
  check();
})();
