// Index patterns in the browser: which cells a cell is made of, and which it makes.
//
// The same rules as core/program/patterns.py and trace.py (tests compare the two). Cells are flat
// indices here. Every index of an operand is a sum of one number a letter, so a pattern compiles to
// small tables; an index that points outside its operand sinks below 0, and that part has no cell.

export const FAR_SOURCE = 1, SOURCE = 2, FAR_USE = 3, USE = 4, HERE = 5;
const OUTSIDE = -(2 ** 26);
const MOST_TESTED = 2e6;

export function strides(shape) {
  const result = new Array(shape.length);
  for (let axis = shape.length - 1, size = 1; axis >= 0; size *= shape[axis--]) result[axis] = size;
  return result;
}

export function count(shape) {
  return shape.reduce((product, size) => product * size, 1);
}

// An index is a sum of letters' shares, `i*8+h*4+k`; most are one letter alone. In `k~2` blocks of 2
// trade places with the next block. An index may be shifted, `j-5`, and its letter may run up to a
// position, `j<=i+5`.
function parseIndex(text, position) {
  if (text === "0") return { pieces: [], shift: 0 };
  const [own, upto] = text.split("<=");
  const shifted = /^([a-zA-Z])([+-]\d+)$/.exec(own);
  const pieces = (shifted ? [shifted[1]] : own.split("+")).map((part) => {
    const match = /^([a-zA-Z*_])(?:(\/\/|%|\*|~)(\d+))?$/.exec(part);
    if (!match) throw new Error(`no index: ${text}`);
    const [, letter, how, n] = match;
    return { letter: letter === "*" ? `*${position}` : letter, how: how || "", n: Number(n || 1) };
  });
  return {
    pieces,
    partial: !!shifted,
    shift: shifted ? Number(shifted[2]) : 0,
    upto: upto && parseIndex(upto, position),
  };
}

function share({ how, n }, value) {
  if (how === "~") return (Math.floor(value / n) ^ 1) * n + value % n;
  return how === "//" ? Math.floor(value / n) : how === "%" ? value % n : value * n;
}

// One step, ready to be asked: its letters, and for each operand part the offset of each letter.
export function compileStep(step, shapes) {
  const [left, right] = step.pattern.split("->").map((side) => side.trim());
  const output = right.split(/\s+/);
  const shape = shapes[step.name];
  const sizes = Object.fromEntries(output.map((letter, axis) => [letter, shape[axis]]));
  const parts = left.split(",").map((text, part) => {
    const axes = text.trim().split(/\s+/).map((axis, place) => parseIndex(axis, `${part}.${place}`));
    const readShape = shapes[step.reads[part]];
    axes.forEach(({ pieces: [first, ...others], partial }, place) => {
      const alone = first && !others.length && !first.how && !partial && first.letter !== "_";
      if (alone && !(first.letter in sizes)) sizes[first.letter] = readShape[place];
    });
    return {
      number: part, read: step.reads[part], axes, shape: readShape, strides: strides(readShape),
    };
  }).filter((part) => part.axes.every(({ pieces: [first] }) => first?.letter !== "_"));
  // A letter that is only shifted runs until it has left every operand.
  const reached = {};
  parts.forEach(({ axes, shape: readShape }) => axes.forEach(({ pieces: [first], partial, shift }, place) => {
    if (partial) reached[first.letter] = Math.max(reached[first.letter] || 0, readShape[place] - shift);
  }));
  Object.assign(sizes, { ...reached, ...sizes });
  const summed = Object.keys(sizes).filter((letter) => !output.includes(letter));
  const terms = count(summed.map((letter) => sizes[letter]));
  for (const part of parts) {
    part.tables = output.map((letter) => offsets(part, letter, sizes[letter]));
    part.terms = termOffsets(summed.map((letter) => offsets(part, letter, sizes[letter])), terms);
  }
  const bounds = parts.flatMap(({ axes }) => axes.filter(({ upto }) => upto)).map((axis) => ({
    upto: axis.upto,
    values: termOffsets(summed.map((letter) => (
      Int32Array.from({ length: sizes[letter] }, (_, n) => (letter === axis.pieces[0].letter ? n : 0))
    )), terms),
  }));
  const decider = parts.findIndex((part) => part.number === step.decidedBy);
  return { name: step.name, output, shape, strides: strides(shape), parts, terms, bounds, decider };
}

// What each value of a letter adds to the flat index of an operand's cell.
function offsets(part, letter, size) {
  const table = new Int32Array(size);
  part.axes.forEach(({ pieces, partial, shift }, place) => pieces.forEach((piece) => {
    if (piece.letter !== letter) return;
    for (let value = 0; value < size; value++) {
      const at = share(piece, value) + shift;
      table[value] += partial && (at < 0 || at >= part.shape[place])
        ? OUTSIDE : at * part.strides[place];
    }
  }));
  return table;
}

function termOffsets(tables, terms) {
  const result = new Int32Array(terms);
  for (let term = 0; term < terms; term++) {
    for (let letter = tables.length - 1, rest = term; letter >= 0; letter--) {
      const size = tables[letter].length;
      result[term] += tables[letter][rest % size];
      rest = Math.floor(rest / size);
    }
  }
  return result;
}

// Calls visit(arrayName, flatCell) for each live source of an output cell; stops where it returns
// true, and then returns true itself.
export function eachSource(step, cell, { removed, overwritten, unguarded }, visit) {
  const { parts, strides: outer, shape, output, bounds } = step;
  const bases = step.bases || (step.bases = new Int32Array(parts.length));
  const own = step.own || (step.own = new Int32Array(shape.length));
  for (let axis = 0, rest = cell; axis < shape.length; axis++) {
    own[axis] = Math.floor(rest / outer[axis]);
    rest -= own[axis] * outer[axis];
  }
  for (let part = 0; part < parts.length; part++) {
    let base = 0;
    for (let axis = 0; axis < shape.length; axis++) base += parts[part].tables[axis][own[axis]];
    bases[part] = base;
  }
  const gone = overwritten[step.name];
  if (gone?.[cell]) {
    return step.decider >= 0 && visit(parts[step.decider].read, bases[step.decider]);
  }
  const ends = bounds.map(({ upto }) => (
    upto.pieces.reduce((sum, piece) => sum + share(piece, own[output.indexOf(piece.letter)]), upto.shift)
  ));
  const every = unguarded[step.name]?.[cell];
  for (let term = 0; term < step.terms; term++) {
    let live = bounds.every(({ values }, number) => values[term] <= ends[number]);
    for (let part = 0; part < parts.length && live && !every; part++) {
      const hidden = removed[parts[part].read];
      const at = bases[part] + parts[part].terms[term];
      if (hidden && at >= 0 && hidden[at]) live = false;
    }
    if (!live) continue;
    for (let part = 0; part < parts.length; part++) {
      const at = bases[part] + parts[part].terms[term];
      if (at >= 0 && visit(parts[part].read, at)) return true;
    }
  }
  return false;
}

// A quick test of a step's cells: false of one that has no source among the cells that are lit as
// uses, whatever the mask does. null where so many are lit that each cell is looked at sooner.
function nearTo(step, levels) {
  const tests = [];
  for (const { read, terms, tables } of step.parts) {
    const lit = levels[read], places = [];
    for (let at = 0; at < lit.length; at++) if (lit[at] >= FAR_USE) places.push(at);
    if (places.length * step.terms > MOST_TESTED) return null;
    const starts = new Uint8Array(lit.length);
    for (const place of places) starts[place] = 1; // where the mask decides there are no terms
    for (const place of places) for (let term = 0; term < step.terms; term++) {
      if (terms[term] >= 0 && place >= terms[term]) starts[place - terms[term]] = 1;
    }
    if (places.length) tests.push([starts, tables]);
  }
  const { shape, strides: outer } = step;
  return (at) => tests.some(([starts, tables]) => {
    let start = 0;
    for (let axis = 0; axis < shape.length; axis++) start += tables[axis][Math.floor(at / outer[axis]) % shape[axis]];
    return start >= 0 && starts[start] === 1;
  });
}

// Every cell that a cell comes from or goes into, as one byte a cell for each array.
export function reach(program, array, cell) {
  const levels = Object.fromEntries(
    Object.entries(program.shapes).map(([name, shape]) => [name, new Uint8Array(count(shape))]),
  );
  const touched = new Set([array]);
  levels[array][cell] = HERE;
  for (const step of [...program.steps].reverse()) {
    if (!touched.has(step.name)) continue;
    levels[step.name].forEach((level, at) => {
      if (!level) return;
      const mark = level === HERE ? SOURCE : FAR_SOURCE;
      eachSource(step, at, program, (name, source) => {
        touched.add(name);
        if (levels[name][source] < mark) levels[name][source] = mark;
      });
    });
  }
  const fed = new Set([array]);
  for (const step of program.steps) {
    if (!step.parts.some((part) => fed.has(part.read))) continue;
    const direct = step.parts.some((part) => part.read === array);
    const own = levels[step.name], near = nearTo(step, levels);
    for (let at = 0; at < own.length; at++) {
      if (own[at] || (near && !near(at))) continue;
      let mark = 0;
      eachSource(step, at, program, (name, source) => {
        const level = levels[name][source];
        if (level === HERE) mark = USE;
        else if (level >= FAR_USE && !mark) mark = FAR_USE;
        return mark === USE || (mark && !direct);
      });
      if (mark) {
        own[at] = mark;
        fed.add(step.name);
      }
    }
  }
  return levels;
}
