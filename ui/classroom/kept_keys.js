// The keys of a class's links: this browser keeps them, so that they need not stay in its address.

const KEPT = "attention-keys", MOST_KEYS = 20;
let answered = "";

function keptKeys() {
  try {
    return new Map(JSON.parse(localStorage.getItem(KEPT)));
  } catch {
    return new Map();
  }
}

/** Keep a key, and say what is kept now: nothing where the browser refuses to keep anything. */
function keep(place, key) {
  const keys = keptKeys();
  keys.delete(place);
  keys.set(place, key);
  try {
    localStorage.setItem(KEPT, JSON.stringify([...keys].slice(-MOST_KEYS)));
  } catch {
    // the address has it
  }
  return keptKeys().get(place);
}

export default function ({ data: [{ place, key, visit }], setStateValue }) {
  const asked = [place, key, visit].join();
  if (!place || asked === answered) return;
  answered = asked;
  const kept = key ? keep(place, key) : keptKeys().get(place);
  setStateValue("told", { place, key: kept ?? "" });
}
