// Runs a task once nothing more urgent is to be done, and soon in any case.
export const whenIdle = (task) => (
  globalThis.requestIdleCallback ? requestIdleCallback(task, { timeout: 250 }) : setTimeout(task, 30)
);

// Runs a task once what has been drawn is painted; soon in any case, as nothing is while hidden.
export function afterFrame(task) {
  const once = () => {
    clearTimeout(late);
    task();
  };
  const late = setTimeout(once, 100);
  requestAnimationFrame(() => setTimeout(once, 20));
}
