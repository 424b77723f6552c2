// What comes behind the # of an address is sent to no server; it is taken off the address before anybody reads it there.
const LINK = /^#owner=([A-Z]+)\.([\w-]+)$/;
const KEY = "privdemo-poll-owner";
const SAID = 2000;

export default function ({ data, setTriggerValue, parentElement }) {
  const found = LINK.exec(window.location.hash);
  if (found) {
    const { pathname, search } = window.location;
    window.history.replaceState(window.history.state, "", pathname + search);
    setTriggerValue("owner", [found[1], found[2], true]);
  } else if (data.owner) {
    window.sessionStorage.setItem(KEY, JSON.stringify(data.owner));
  } else if (data.left) {
    window.sessionStorage.removeItem(KEY);
  } else {
    const kept = window.sessionStorage.getItem(KEY);
    if (kept) setTriggerValue("owner", [...JSON.parse(kept), false]);
  }

  const button = parentElement.querySelector("button");
  const status = parentElement.querySelector("span");
  button.hidden = !data.owner;
  button.onclick = async () => {
    const [code, secret] = data.owner;
    const link = `${window.location.origin}${window.location.pathname}?way=Telephones#owner=${code}.${secret}`;
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
