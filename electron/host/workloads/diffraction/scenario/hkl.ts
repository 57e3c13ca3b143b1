/** Lists of reflections: h k l F on every line, P1. */
interface HklFault {
  readonly line: number;
  readonly message: string;
}

type HklList =
  | { readonly ok: true /** h, k, l, F of each. */; readonly reflections: Float64Array }
  | { readonly ok: false; readonly faults: readonly HklFault[] };

/** Beyond this an index is a mistake: a cell of a micrometre at 0.1 Å has no more orders. */
const largestIndex = 100_000;
/** More than this nobody reads. */
const mostFaults = 20;

const names = ['h', 'k', 'l'] as const;

function readLine(text: string): readonly [number, number, number, number] | string {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length < 4) {
    const has = words.length === 1 ? '1 value' : `${words.length} values`;
    return `${JSON.stringify(text.trim().slice(0, 40))} has ${has}; needed: h k l F`;
  }
  const [h, k, l, f] = words.slice(0, 4).map(Number) as [number, number, number, number];
  for (const [i, index] of [h, k, l].entries()) {
    if (!Number.isInteger(index) || Math.abs(index) > largestIndex) {
      return `${names[i]} = ${words[i]} is not an index; allowed: whole numbers from -${largestIndex} to ${largestIndex}`;
    }
  }
  if (!Number.isFinite(f) || Math.abs(f) > 1e9) return `F = ${words[3]} is not allowed; allowed: -1e9 to 1e9 electrons`;
  return [h, k, l, f];
}

function* linesOf(text: string): Generator<string> {
  const ends = /\r\n|\r|\n/g;
  let from = text.startsWith('\uFEFF') ? 1 : 0;
  for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
    yield text.slice(from, end.index);
    from = ends.lastIndex;
  }
  yield text.slice(from);
}

/** h, k, l, F of each, in blocks: no list that grows is copied over and over. */
class Rows {
  readonly #blocks: Float64Array[] = [];
  #used = 0;

  get count(): number {
    return Math.max(0, this.#blocks.length - 1) * BLOCK_ROWS + this.#used;
  }

  add(h: number, k: number, l: number, f: number): void {
    if (this.#blocks.length === 0 || this.#used === BLOCK_ROWS) {
      this.#blocks.push(new Float64Array(4 * BLOCK_ROWS));
      this.#used = 0;
    }
    this.#blocks.at(-1)?.set([h, k, l, f], 4 * this.#used);
    this.#used += 1;
  }

  all(): Float64Array {
    const rows = new Float64Array(4 * this.count);
    for (const [i, block] of this.#blocks.entries()) {
      rows.set(block.subarray(0, Math.min(block.length, rows.length - i * block.length)), i * block.length);
    }
    return rows;
  }
}
const BLOCK_ROWS = 16_384;

/** Blank lines and what follows # or ! are ignored; a fifth column and more too. */
export function readHkl(text: string): HklList {
  const found = new Rows();
  const faults: HklFault[] = [];
  const seen = new Map<string, { readonly line: number; readonly f: number }>();
  let line = 0;
  for (const raw of linesOf(text)) {
    line += 1;
    const content = raw.replace(/[#!].*$/, '');
    if (content.trim() === '') continue;
    const read = readLine(content);
    if (typeof read === 'string') faults.push({ line, message: read });
    else {
      const [h, k, l, f] = read;
      const key = `${h} ${k} ${l}`;
      const first = seen.get(key);
      if (first !== undefined && first.f !== f) {
        faults.push({ line, message: `${key} has F = ${f}, and F = ${first.f} in line ${first.line}` });
      }
      if (first === undefined) {
        seen.set(key, { line, f });
        found.add(h, k, l, f);
      }
    }
    if (faults.length === mostFaults) break;
  }
  if (faults.length > 0) return { ok: false, faults };
  if (found.count === 0) return { ok: false, faults: [{ line: 1, message: 'holds no reflection; needed: h k l F' }] };
  return { ok: true, reflections: found.all() };
}
