/** Chemical formulas, such as C5H8O2 or Ca(OH)2: which elements, and by which share of the mass. */
import { elementOf, isElement } from './elements.ts';

/** Mass fraction of each element, by its symbol; they sum to 1. */
export type Composition = Readonly<Record<string, number>>;

const TOKEN = /([A-Z][a-z]?)|(\()|(\))|(\d+(?:\.\d+)?)/y;

/** Atoms of each element, in the order in which they are named; null where the text is no formula. */
export function atomsOf(formula: string): ReadonlyMap<string, number> | null {
  const text = formula.replaceAll(/\s/g, '');
  const open: Map<string, number>[] = [new Map()];
  /** Atoms that a number right after them multiplies. */
  let last: ReadonlyMap<string, number> | null = null;
  const take = (atoms: ReadonlyMap<string, number>, times: number): void => {
    const into = open.at(-1);
    for (const [symbol, number] of atoms) into?.set(symbol, (into.get(symbol) ?? 0) + number * times);
  };
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const [, symbol, left, right, number] = TOKEN.exec(text) ?? [];
    if (symbol !== undefined) {
      if (!isElement(symbol)) return null;
      last = new Map([[symbol, 1]]);
      take(last, 1);
    } else if (left !== undefined) {
      open.push(new Map());
      last = null;
    } else if (right !== undefined) {
      const closed = open.pop();
      if (closed === undefined || open.length === 0) return null;
      last = closed;
      take(last, 1);
    } else if (number !== undefined && last !== null && Number(number) > 0) {
      take(last, Number(number) - 1);
      last = null;
    } else return null;
  }
  const [atoms] = open;
  return open.length === 1 && atoms !== undefined && atoms.size > 0 ? atoms : null;
}

/** Mass fractions of a formula that is one. */
export function compositionOfAtoms(atoms: ReadonlyMap<string, number>): Composition {
  const masses = [...atoms].map(([symbol, number]) => [symbol, number * elementOf(symbol).weight] as const);
  const whole = masses.reduce((sum, [, mass]) => sum + mass, 0);
  return Object.fromEntries(masses.map(([symbol, mass]) => [symbol, mass / whole]));
}
