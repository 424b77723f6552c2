// The browser sends no server the part of an address after #; remove it from the address bar, so that nobody reads it.
const LINK = /^#owner=([A-Z]+)\.([\w-]+)$/;
const KEY = "privdemo-poll-owners";
// How long “Private link copied” is shown, in milliseconds.
const CONFIRMATION_MS = 2000;

// Return the [code, secret] pairs in the tab's session storage, the poll shown last first.
const savedPolls = () => JSON.parse(window.sessionStorage.getItem(KEY) ?? "[]");

export default function ({ data, setTriggerValue, parentElement }) {
  const found = LINK.exec(window.location.hash);
  if (found) {
    const { pathname, search } = window.location;
    window.history.replaceState(window.history.state, "", pathname + search);
    setTriggerValue("owner", [found[1], found[2], true, savedPolls()]);
  } else if (data.owner || data.left) {
    const all = data.owner ? [data.owner, ...data.others] : data.others;
    window.sessionStorage.setItem(KEY, JSON.stringify(all));
  } else if (savedPolls().length) {
    const [[code, secret], ...others] = savedPolls();
    setTriggerValue("owner", [code, secret, false, others]);
  }

  const button = parentElement.querySelector("button");
  const status = parentElement.querySelector("span");
  button.hidden = !data.owner || !data.offered;
  button.onclick = async () => {
    const [code, secret] = data.owner;
    const page = data.site ? `${data.site}/poll` : window.location.origin + window.location.pathname;
    const link = `${page}?way=On+their+phones#owner=${code}.${secret}`;
    try {
      await navigator.clipboard.writeText(link);
      button.textContent = status.textContent = "Private link copied";
    } catch {
      window.prompt("Copy this link, and show it to nobody:", link);
    }
    setTimeout(() => {
      button.textContent = "Copy private link";
      status.textContent = "";
    }, CONFIRMATION_MS);
  };
}
