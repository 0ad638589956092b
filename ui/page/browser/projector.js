// Before the page is asked for: on a phone it is not asked for as a projector's.

import { isProjected } from "../../../stage/browser/present/projector.js";

const address = new URL(location.href);
if (address.searchParams.has("present") && !isProjected(address.searchParams)) {
  address.searchParams.delete("present");
  history.replaceState(history.state, "", address);
}
