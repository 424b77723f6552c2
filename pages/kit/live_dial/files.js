// Python puts this file in front of dial.js and of guesses.js, which call `fetchFile`. The data of a dial is fetched
// once from the address that Python gives it: later runs of the page name the same address, and so does a dial that is
// rendered anew. The last few files are kept for all dials of the page.
const KEPT = 8;
const fetched = (globalThis.privdemoFiles ??= new Map());

function fetchFile(address, wanted = () => true) {
  const entry = fetched.get(address) ?? {};
  entry.wanted = wanted; // by whoever asks last
  entry.content ??= ask(address, entry).catch((problem) => {
    if (fetched.get(address) === entry) fetched.delete(address);
    throw problem;
  });
  fetched.delete(address);
  fetched.set(address, entry); // as the one asked for last
  if (fetched.size > KEPT) fetched.delete(fetched.keys().next().value);
  return entry.content;
}

// A page that is interrupted while it runs lets go of its files, and gives them again when it runs to its end. What is no
// longer wanted by then is not asked for again.
async function ask(address, entry) {
  for (let tries = 8; tries >= 0; tries--) {
    const answer = await fetch(address);
    if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
    if (!entry.wanted()) break;
    await new Promise((done) => setTimeout(done, 400));
    if (!entry.wanted()) break;
  }
  throw new Error(`${address} is not there`);
}
