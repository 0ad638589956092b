// Who a student is: a random id that this browser keeps. Where it refuses to keep anything, it has
// none, and the student is one for as long as the session lasts.

const KEPT = "attention-student";

function keptId() {
  const drawn = [...crypto.getRandomValues(new Uint8Array(16))];
  try {
    const id = localStorage.getItem(KEPT) ?? drawn.map((byte) => byte.toString(16).padStart(2, "0")).join("");
    localStorage.setItem(KEPT, id);
    return id;
  } catch {
    return "";
  }
}

export default function ({ data: [{ visit }], setStateValue }) {
  if (visit) setStateValue("student", { id: keptId(), visit });
}
