// Measure a slide. What is rendered: the plots of a chart without their axes, pictures, fields of a component, rows of a
// table, cards; the options of a question of a quiz. Texts: all that are visible, those of components included; a rotated text is not compared with others.
() => {
  const NAME = 12;
  const visible = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const all = (root) => [...root.querySelectorAll("*")].flatMap((one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
  const app = document.querySelector("[data-testid=stApp]");
  const elements = all(app).filter(visible);
  const figure = document.querySelector(".st-key-figure");
  const quiz = document.querySelector("[class*='st-key-shown-quiz-']:has(.stRadio)");
  const within = (one, part) => {
    for (let at = one; at; at = at.parentNode ?? (at instanceof ShadowRoot ? at.host : null)) if (at === part) return true;
    return false;
  };
  const RENDERED = ".nsewdrag, .people svg, img, canvas, .st-key-figure tr, .card, .rule-picture > *, .track, .verdicts, .secret, [data-testid='stRadio'] label, .wheel";
  const rendered = elements.filter((one) => one.matches(RENDERED) && [figure, quiz].some((part) => part && within(one, part)) && one.getBoundingClientRect().height > 4);
  // A picture that is fitted into its box is only as high as its width allows.
  const boxOf = (one) => {
    const { top, bottom, width } = one.getBoundingClientRect();
    const isFitted = one.matches("img") && getComputedStyle(one).objectFit === "contain" && one.naturalWidth;
    return { top, bottom: isFitted ? Math.min(bottom, top + (width * one.naturalHeight) / one.naturalWidth) : bottom };
  };
  const spans = rendered.map(boxOf).map(({ top, bottom }) => [Math.max(top, 0), Math.min(bottom, innerHeight)]);
  spans.sort((a, b) => a[0] - b[0]);
  let height = 0, reached = -1;
  for (const [top, bottom] of spans) {
    height += Math.max(0, bottom - Math.max(top, reached));
    reached = Math.max(reached, bottom);
  }
  const texts = [];
  const ofText = (element) => {
    for (const node of element.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || !node.textContent.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const style = getComputedStyle(element);
      const matrix = element.getScreenCTM?.();
      const scale = matrix ? Math.hypot(matrix.a, matrix.b) : (element.currentCSSZoom ?? 1);
      const turned = matrix && Math.abs(matrix.b) > 0.01;
      for (const rect of range.getClientRects()) {
        if (rect.width < 1 || rect.height < 1) continue;
        const line = { text: node.textContent.trim().slice(0, 60), size: parseFloat(style.fontSize) * scale, turned, element,
          raised: Boolean(element.closest("sup, sub, tspan[dy]")),
          left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom };
        texts.push(line);
      }
    }
  };
  elements.filter((one) => !one.closest("[data-testid=stSkipToContent], .skip, style, script, option, math, .katex, [data-testid=stIconMaterial]")).forEach(ofText);
  const clipped = (one) => {
    for (let at = one.element; at && at !== document.documentElement; at = at.parentNode instanceof ShadowRoot ? at.parentNode.host : at.parentElement) {
      const style = getComputedStyle(at);
      if (style.clipPath !== "none" && at.getBoundingClientRect().width <= 2) return null; // for screen readers alone
      if (style.overflowX === "visible" && style.overflowY === "visible") continue;
      const box = at.getBoundingClientRect();
      if (one.left < box.left - 2 || one.right > box.right + 2 || one.top < box.top - 3 || one.bottom > box.bottom + 3) return true;
    }
    return one.left < -1 || one.right > innerWidth + 1 || one.top < -1 || one.bottom > innerHeight + 1;
  };
  const seen = texts.filter((one) => clipped(one) !== null);
  const overlaps = [];
  const inner = (one) => ({ l: one.left + 1, r: one.right - 1, t: one.top + 0.2 * (one.bottom - one.top), b: one.bottom - 0.2 * (one.bottom - one.top) });
  for (let i = 0; i < seen.length; i++)
    for (let j = i + 1; j < seen.length; j++) {
      const [a, b] = [seen[i], seen[j]];
      if (a.turned || b.turned || a.element === b.element) continue;
      const [x, y] = [inner(a), inner(b)];
      if (Math.min(x.r, y.r) - Math.max(x.l, y.l) > 2 && Math.min(x.b, y.b) - Math.max(x.t, y.t) > 2) overlaps.push(`${a.text} | ${b.text}`);
    }
  // The contrast of a chart's letters with what is behind them: a box of their own, or the chart's background, or the slide's.
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const coloursOf = (value) => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = value;
    pixel.fillRect(0, 0, 1, 1);
    return pixel.getImageData(0, 0, 1, 1).data;
  };
  const isOpaque = (value) => coloursOf(value)[3] > 127;
  const luminance = (value) => {
    const [r, g, b] = [...coloursOf(value)].map((one) => (one <= 10 ? one / 3294.6 : ((one / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((one, other) => one - other);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (one) => {
    const chart = one.closest(".js-plotly-plot");
    const box = one.closest(".annotation")?.querySelector(".bg");
    const grounds = [box, ...chart.querySelectorAll(".bglayer .bg")].filter(Boolean).map((bg) => getComputedStyle(bg));
    const filled = grounds.filter((style) => Number(style.fillOpacity) > 0.5).map((style) => style.fill);
    const sheets = [...chart.querySelectorAll(".main-svg"), app].map((sheet) => getComputedStyle(sheet).backgroundColor);
    return [...filled, ...sheets].find(isOpaque);
  };
  const isOnChart = (one) => one.element.closest(".js-plotly-plot svg") && /[\p{L}\p{N}]/u.test(one.text);
  const isPale = (one) => contrast(getComputedStyle(one.element).fill, behind(one.element)) < 4.5;
  // The sentences beside or below what is rendered: texts of a figure, no captions, with more words than a name has.
  const wordsOf = (one) => (one.innerText ?? one.textContent).split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
  const isProse = (one) => figure && within(one.element, figure) && !one.element.closest("svg, label, figcaption, .card") && wordsOf(one.element) > NAME;
  const line = document.querySelector(".st-key-presenter-line");
  const foot = line ? line.getBoundingClientRect().top : innerHeight;
  // Whether something else lies over the lower edge of a picture.
  const isCovered = (one, { left, right, bottom }) => {
    let at = document.elementFromPoint((left + right) / 2, bottom - 3);
    for (let inner = at; inner; inner = inner.shadowRoot?.elementFromPoint((left + right) / 2, bottom - 3)) at = inner;
    return at !== null && !within(one, at) && !within(at, one);
  };
  const isCut = (one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    if (one.matches("img, canvas") && isCovered(one, { left, right, bottom })) return true;
    return one.matches("img, canvas, .card, .track") && (bottom > foot + 2 || (one.matches("canvas") && clipped({ element: one, left, right, top, bottom })));
  };
  const headlines = [...app.querySelectorAll("h1, h2.chapter, .takeaway")].filter(visible);
  return {
    rendered: height / innerHeight,
    overlaps: overlaps.slice(0, 6),
    cut: [...seen.filter(clipped).map((one) => one.text), ...rendered.filter(isCut).map((one) => one.localName)].slice(0, 6),
    small: seen.filter((one) => one.size < 19.95 && !one.raised).map((one) => `${one.text} (${one.size.toFixed(1)})`).slice(0, 6),
    pale: seen.filter((one) => isOnChart(one) && isPale(one)).map((one) => one.text).slice(0, 6),
    said: headlines.map(wordsOf).reduce((sum, one) => sum + one, 0),
    headline: headlines.map((one) => one.innerText).join(" | "),
    prose: [...new Set(seen.filter((one) => isProse(one)).map((one) => one.element))].map(wordsOf).reduce((sum, one) => sum + one, 0),
    scrolls: document.querySelector("[data-testid=stMain]").scrollHeight > innerHeight + 1,
  };
}
