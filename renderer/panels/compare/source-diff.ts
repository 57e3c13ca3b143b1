/** Two files beside each other, line by line, with what differs within a line. No React. */
import { diffArrays, diffWordsWithSpace } from 'diff';

export interface Side {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** Parts that differ from the line beside it: from and to, in characters. */
  readonly changed: readonly (readonly [from: number, to: number])[];
}

export interface DiffRow {
  readonly kind: 'same' | 'changed' | 'left' | 'right';
  readonly left: Side | null;
  readonly right: Side | null;
}

/** Lines with less than this in common are others, and not the same ones changed. */
const LEAST_COMMON = 0.35;

interface Parts {
  readonly left: Side['changed'];
  readonly right: Side['changed'];
  readonly common: number;
}

function partsOf(left: string, right: string): Parts {
  const [l, r]: [[number, number][], [number, number][]] = [[], []];
  let [atLeft, atRight, common] = [0, 0, 0];
  for (const { value, added, removed } of diffWordsWithSpace(left, right)) {
    if (added) r.push([atRight, atRight + value.length]);
    else if (removed) l.push([atLeft, atLeft + value.length]);
    else common += value.trim().length;
    if (!added) atLeft += value.length;
    if (!removed) atRight += value.length;
  }
  const most = Math.max(left.trim().length, right.trim().length);
  return { left: l, right: r, common: most === 0 ? 1 : common / most };
}

export function sourceDiff(left: readonly string[], right: readonly string[]): readonly DiffRow[] {
  const rows: DiffRow[] = [];
  let [atLeft, atRight] = [0, 0];
  const side = (text: string, line: number, changed: Side['changed'] = []): Side => ({ line, text, changed });
  const only = (removed: readonly string[], added: readonly string[]): void => {
    const paired = Math.min(removed.length, added.length);
    for (let i = 0; i < paired; i += 1) {
      const [a, b] = [removed[i] ?? '', added[i] ?? ''];
      const parts = partsOf(a, b);
      const alike = parts.common >= LEAST_COMMON;
      const from = side(a, atLeft + i + 1, alike ? parts.left : []);
      const to = side(b, atRight + i + 1, alike ? parts.right : []);
      rows.push({ kind: 'changed', left: from, right: to });
    }
    for (let i = paired; i < removed.length; i += 1) {
      rows.push({ kind: 'left', left: side(removed[i] ?? '', atLeft + i + 1), right: null });
    }
    for (let i = paired; i < added.length; i += 1) {
      rows.push({ kind: 'right', left: null, right: side(added[i] ?? '', atRight + i + 1) });
    }
    atLeft += removed.length;
    atRight += added.length;
  };
  let waiting: readonly string[] = [];
  for (const { value, added, removed } of diffArrays([...left], [...right])) {
    if (removed) waiting = value;
    else if (added) {
      only(waiting, value);
      waiting = [];
    } else {
      only(waiting, []);
      waiting = [];
      for (const text of value) {
        rows.push({ kind: 'same', left: side(text, atLeft + 1), right: side(text, atRight + 1) });
        atLeft += 1;
        atRight += 1;
      }
    }
  }
  only(waiting, []);
  return rows;
}

/** Rows within `around` lines of a difference; a null stands for what was left out. */
export function condensed(rows: readonly DiffRow[], around: number): readonly (DiffRow | null)[] {
  const near = rows.map(() => false);
  rows.forEach(({ kind }, i) => {
    if (kind === 'same') return;
    for (let j = Math.max(0, i - around); j <= Math.min(rows.length - 1, i + around); j += 1) near[j] = true;
  });
  const out: (DiffRow | null)[] = [];
  rows.forEach((row, i) => {
    if (near[i]) out.push(row);
    else if (i === 0 || near[i - 1]) out.push(null);
  });
  return out;
}
