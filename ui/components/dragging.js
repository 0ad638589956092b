// A press that stays is a press; one that moves drags, to what it is let go on. `root` is where it
// begins; `over` selects what it may end on; `does` has what is to be done, with what is pointed at.

/** @param {*} event @param {*} root @param {string} over @param {Record<string, any>} does */
export function dragOrPress(event, root, over, { mayBegin = () => true, begin, move, drop, press, cancel }) {
  const from = [event.clientX, event.clientY], scope = root.getRootNode();
  const pointed = ({ clientX, clientY }) => scope.elementFromPoint(clientX, clientY)?.closest?.(over);
  let moved = false;
  const hears = {
    pointermove: (at) => {
      if (!moved && (Math.hypot(at.clientX - from[0], at.clientY - from[1]) < 6 || !mayBegin())) return;
      at.preventDefault();
      if (!moved) begin?.();
      moved = true;
      move(pointed(at), at);
    },
    pointerup: (at) => {
      leave();
      if (moved) drop(pointed(at));
      else press();
    },
    pointercancel: () => {
      leave();
      cancel();
    },
  };
  const leave = () => Object.entries(hears).forEach(([name, hear]) => removeEventListener(name, hear));
  Object.entries(hears).forEach(([name, hear]) => addEventListener(name, hear, { passive: false }));
}
