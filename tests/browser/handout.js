// What is wrong with a hand-out in print: texts beside the paper, over one another, cut off, or too small; and scripts.
(smallest) => {
  const faults = [];
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const width = document.documentElement.clientWidth;
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const words = node.textContent.trim();
    if (!words || !node.parentElement.checkVisibility()) continue;
    const size = parseFloat(getComputedStyle(node.parentElement).fontSize);
    if (size < smallest - 0.01) faults.push(`“${words}” has letters of ${size} pixels`);
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      if (box.left < -1 || box.right > width + 1) faults.push(`“${words}” is beside the paper`);
      texts.push({ words, node, left: box.left, right: box.right, top: box.top, bottom: box.bottom, size });
    }
  }
  texts.sort((one, other) => one.top - other.top);
  texts.forEach((one, i) => {
    for (const other of texts.slice(i + 1)) {
      if (other.top >= one.bottom) break;
      // Lines of a paragraph may touch; letters are lower than their box.
      const down = Math.min(one.bottom, other.bottom) - other.top;
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      if (down > 0.35 * Math.min(one.size, other.size) && across > 1) faults.push(`“${one.words}” over “${other.words}”`);
    }
  });
  for (const one of document.querySelectorAll("*")) {
    const cuts = getComputedStyle(one).overflow !== "visible" || one.matches(".pack div");
    if (cuts && (one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)) {
      if (one !== document.documentElement && one !== document.body) faults.push(`“${one.textContent}” is cut off`);
    }
  }
  for (const image of document.images) if (!image.naturalWidth) faults.push(`no picture: ${image.src.slice(0, 60)}`);
  return { faults, scripts: document.scripts.length, texts: texts.length };
}
