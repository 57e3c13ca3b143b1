/**
 * Splits a value into pieces that are sent and received in a few milliseconds each. Messages are copied for the other
 * thread: a large one at once would block the sending thread.
 */
import { atOnce, type Pausing } from '../../../contract/pausing.ts';

type Step = string | number;

/** Position in a piece at which another one belongs; the root of the piece if `at` is empty. */
interface Hole {
  readonly at: readonly Step[];
  readonly piece: number;
}

/** Pieces are counted from 0; those inside come first, and the last is the whole. */
export type Piece =
  | { readonly kind: 'value'; readonly value: unknown; readonly holes: readonly Hole[] }
  /** Lists end to end, or objects with the keys of all. */
  | { readonly kind: 'list' | 'map'; readonly of: readonly number[] };

/** Values of a piece: some 4 ms to lay out. */
const MOST_VALUES = 10_000;
/** Characters that count as one value. */
const CHARACTERS = 64;

interface Cut {
  readonly value: unknown;
  readonly values: number;
  readonly holes: readonly Hole[];
}

function isTree(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null;
}

class Group {
  readonly entries: [Step, unknown][] = [];
  readonly holes: Hole[] = [];
  values = 1;

  add(step: Step, { value, values, holes }: Cut): void {
    this.entries.push([step, value]);
    this.values += values;
    for (const hole of holes) this.holes.push({ at: [step, ...hole.at], piece: hole.piece });
  }
}

/** Size of a leaf, in values. */
const leafValues = (leaf: unknown): number => (typeof leaf === 'string' ? 1 + Math.floor(leaf.length / CHARACTERS) : 1);

/** Number of values in a tree; counting stops beyond `most`. */
function valuesIn(value: unknown, most: number): number {
  if (!isTree(value)) return leafValues(value);
  let sum = 1;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) {
    sum += typeof inner === 'number' ? 1 : valuesIn(inner, most - sum);
    if (sum > most) break;
  }
  return sum;
}

/** In the order in which they are to be taken. Values are plain: lists, objects, arrays of numbers, and what they hold. */
export const piecesOf = (whole: unknown, most?: number): readonly Piece[] => atOnce(piecesInSteps(whole, most));

export function* piecesInSteps(whole: unknown, most: number = MOST_VALUES): Pausing<readonly Piece[]> {
  const pieces: Piece[] = [];
  const put = (piece: Piece): number => pieces.push(piece) - 1;
  function* cut(value: unknown): Pausing<Cut> {
    yield;
    // A value that fits is sent unchanged: copying it here took as long as all other work of a thread on a file.
    const values = valuesIn(value, most);
    if (!isTree(value) || values <= most) return { value, values, holes: [] };
    const isList = Array.isArray(value);
    let group = new Group();
    const groups = [group];
    for (const [key, inner] of isList ? value.entries() : Object.entries(value)) {
      const part = yield* cut(inner);
      if (group.values + part.values > most && group.entries.length > 0) {
        group = new Group();
        groups.push(group);
      }
      group.add(isList ? group.entries.length : key, part);
    }
    const made = groups.map(({ entries, values, holes }) => ({
      value: isList ? entries.map(([, entry]) => entry) : Object.fromEntries(entries),
      values,
      holes,
    }));
    const [only] = made;
    if (made.length === 1 && only !== undefined) return only;
    const of = made.map(({ value: each, holes }) => put({ kind: 'value', value: each, holes }));
    return { value: null, values: 1, holes: [{ at: [], piece: put({ kind: isList ? 'list' : 'map', of }) }] };
  }
  const { value, holes } = yield* cut(whole);
  if (holes[0]?.at.length !== 0) put({ kind: 'value', value, holes });
  return pieces;
}

/** Puts a value together again. */
export class Assembly {
  readonly #made: unknown[] = [];

  /** The pieces in their order; the last makes the whole. */
  take(piece: Piece): unknown {
    const made = this.#make(piece);
    this.#made.push(made);
    return made;
  }

  #make(piece: Piece): unknown {
    if (piece.kind !== 'value') {
      const parts = piece.of.map((each) => this.#made[each]);
      if (piece.kind === 'list') return parts.flat();
      return Object.fromEntries(parts.flatMap((part) => Object.entries(part as object)));
    }
    for (const { at, piece: inner } of piece.holes) {
      const holder = at.slice(0, -1).reduce<unknown>((value, step) => Reflect.get(value as object, step), piece.value);
      const value = this.#made[inner];
      const step = at.at(-1) ?? '';
      Object.defineProperty(holder, step, { value, writable: true, enumerable: true, configurable: true });
    }
    return piece.value;
  }
}
