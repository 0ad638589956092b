// The way on is below a question; the next one is read from its beginning.
let last;

export default ({ data: [number] }) => {
  if (last !== undefined && number !== last) document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
  last = number;
};
