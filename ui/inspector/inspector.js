// The host of "this number" on a page of Streamlit.

const shown = new WeakMap(); // a component's element → what is drawn in it

export default function ({ parentElement, data }) {
  if (!shown.has(parentElement)) {
    shown.set(parentElement, new ThisNumber());
    parentElement.append(shown.get(parentElement).root);
  }
  const number = shown.get(parentElement);
  number.show(data);
  return () => {
    number.close();
    shown.delete(parentElement);
  };
}
