// A projector is never as narrow as a phone: there a link that is made for one shows what any does.

const NARROWEST_PROJECTOR = 640;

/** Whether an address asks for a stage that fills the window, and the window is a projector's. */
export function isProjected(asked) {
  return asked.get("present") === "1" && innerWidth >= NARROWEST_PROJECTOR;
}
