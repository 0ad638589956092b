// A page that is made for a projector can be blanked, also where no stage fills the window.

import { atPlace } from "../../stage/browser/dom/elements.js";
import { Curtain } from "../../stage/browser/present/curtain.js";

export default function ({ parentElement }) {
  const [projected, leave] = atPlace(parentElement, () => ({ close: () => Curtain.the.leave(projected) }));
  Curtain.the.projecting.add(projected);
  return leave;
}
