// Sizes that several parts lay themselves out by, in pixels, and times that they wait, in milliseconds.

// A window of the browser that is lower has fewer rows, and names for a map.
export const LOW_WINDOW = 850;
// Below this width operands and results stack.
export const NARROW = 560;
// What is around the numbers of a matrix that is a window.
export const EDGES = 6;

// Where a person moves on at once, the link waits so long.
export const SETTLE = 150;

export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
