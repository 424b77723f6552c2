// Unpack the adversary's reconstructions of the pictures at all levels of the dial; “guesses” in names are these. What was
// packed are each pixel's differences from level to level. Where a browser cannot unpack them, the dial does without.
// Python puts files.js, which defines `fetchFile`, in front of this file.
export default async function ({ data }) {
  if (globalThis.privdemoGuesses?.token === data.token || !globalThis.DecompressionStream) return;
  const unpacked = new Blob([await fetchFile(data.packed)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const steps = new Uint8Array(await new Response(unpacked).arrayBuffer());
  const size = steps.length / data.nPriors / data.nLevels;
  const pictures = Array.from({ length: data.nPriors }, () =>
    Array.from({ length: data.nLevels }, () => new Uint8Array(size)),
  );
  let i = 0;
  for (const byLevel of pictures) {
    for (let pixel = 0; pixel < size; pixel++) {
      let value = 0;
      for (const picture of byLevel) picture[pixel] = value = (value + steps[i++]) & 255;
    }
  }
  globalThis.privdemoGuesses = { token: data.token, pictures };
  document.dispatchEvent(new Event("privdemo-guesses"));
}
