/** Columns that grow while a file is read, and texts that are kept once. */

/** Spans that fit before the first growth. */
const FIRST = 4096;

type Growable = Float64Array | Uint32Array | Uint8Array;

/** A typed array with room to spare; doubles, so that reading n spans copies at most 2n values. */
class Column<T extends Growable> {
  #values: T;
  readonly #make: (length: number) => T;
  #length = 0;

  constructor(make: (length: number) => T) {
    this.#make = make;
    this.#values = make(FIRST);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = this.#make(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }

  /** The values so far; valid until the next push. */
  view(): T {
    return this.#values.subarray(0, this.#length) as T;
  }
}

export const float64Column = (): Column<Float64Array> => new Column((length) => new Float64Array(length));
export const uint32Column = (): Column<Uint32Array> => new Column((length) => new Uint32Array(length));
export const uint8Column = (): Column<Uint8Array> => new Column((length) => new Uint8Array(length));

/** Texts by number; equal texts have one. Beyond `mostBytes` of text, new ones get the number 0. */
export class Texts {
  readonly all: string[];
  readonly #numbers = new Map<string, number>();
  readonly #most: number;
  #bytes = 0;
  /** Texts that were not kept because there were too many. */
  refused = 0;

  constructor(first: string, mostBytes = Number.POSITIVE_INFINITY) {
    this.all = [first];
    this.#numbers.set(first, 0);
    this.#most = mostBytes;
  }

  /** UTF-16 bytes held. */
  get bytes(): number {
    return this.#bytes;
  }

  number(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    if (this.#bytes + 2 * text.length > this.#most) {
      this.refused += 1;
      return 0;
    }
    const number = this.all.length;
    // A slice would keep the whole chunk of the file alive that it was cut from.
    const own = text.length > 12 ? Buffer.from(text).toString() : text;
    this.all.push(own);
    this.#numbers.set(own, number);
    this.#bytes += 2 * own.length;
    return number;
  }
}
