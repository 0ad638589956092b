// Tells a page which chapters were read, as the ticks of this browser have it, if the page asks for it.
// What stands below waits unseen until the page has answered (ui/arriving.js).

export default function ({ data: [{ asks }], parentElement, setStateValue }) {
  const { read: pages } = ticks();
  if (asks && pages.length) setStateValue("read", { asks, pages });
  else drawnAt(parentElement);
}
