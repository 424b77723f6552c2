// What comes behind the # of an address is sent to no server; it is taken off the address before anybody reads it there.
const LINK = /^#owner=([A-Z]+)\.([\w-]+)$/;
const KEY = "privdemo-poll-owners";
const SAID = 2000;

// The codes and secrets that the tab keeps, first the one that was shown.
const kept = () => JSON.parse(window.sessionStorage.getItem(KEY) ?? "[]");

export default function ({ data, setTriggerValue, parentElement }) {
  const found = LINK.exec(window.location.hash);
  if (found) {
    const { pathname, search } = window.location;
    window.history.replaceState(window.history.state, "", pathname + search);
    setTriggerValue("owner", [found[1], found[2], true, kept()]);
  } else if (data.owner || data.left) {
    const all = data.owner ? [data.owner, ...data.others] : data.others;
    window.sessionStorage.setItem(KEY, JSON.stringify(all));
  } else if (kept().length) {
    const [[code, secret], ...others] = kept();
    setTriggerValue("owner", [code, secret, false, others]);
  }

  const button = parentElement.querySelector("button");
  const status = parentElement.querySelector("span");
  button.hidden = !data.owner || !data.offered;
  button.onclick = async () => {
    const [code, secret] = data.owner;
    const page = data.site ? `${data.site}/poll` : window.location.origin + window.location.pathname;
    const link = `${page}?way=Telephones#owner=${code}.${secret}`;
    try {
      await navigator.clipboard.writeText(link);
      button.textContent = status.textContent = "Private link copied";
    } catch {
      window.prompt("Copy this link, and show it to nobody:", link);
    }
    setTimeout(() => {
      button.textContent = "Copy private link";
      status.textContent = "";
    }, SAID);
  };
}
