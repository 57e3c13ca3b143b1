/**
 * Lists of reflections: h, k, l and F on every line, P1. XDS_ASCII and a header that names intensities have I in place
 * of F; four columns without a header are amplitudes.
 */
import { decimalOf } from '../../../../contract/csv.ts';

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

/** Positions of the columns, and the meaning of the fourth value. */
interface Layout {
  readonly columns: readonly [h: number, k: number, l: number, value: number];
  readonly value: 'F' | 'I';
  /** Column of its standard deviation; null without one. */
  readonly sigma: number | null;
  /** Whether a header names the columns: without one a fifth column leaves open what the fourth is. */
  readonly named: boolean;
}

/** Lists of other programs name up to some twenty columns. */
const MOST_COLUMNS = 24;

const bare: Layout = { columns: [0, 1, 2, 3], value: 'F', sigma: null, named: false };

const AMPLITUDES = /^(f|fo|fobs|fp|f_meas|amplitude)$/i;
const INTENSITIES = /^(i|iobs|intensity|f2|fsq|fo2|f\^2|f_squared(_meas)?|intensity_meas|imean)$/i;
const SIGMAS = /^(sig|sigma|sd|std|esd).*|.*(sigma|_sig)$/i;

/** A header `h k l F`, also behind #; null for other lines, a text for one whose value is neither F nor I. */
function headerIn(line: string): Layout | string | null {
  const words = line
    .replace(/^\s*[#!]?\s*/, '')
    .split(/[\s,;]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/[[(].*$/, ''));
  const at = ['h', 'k', 'l'].map((name) => words.findIndex((word) => word.toLowerCase() === name));
  if (at.includes(-1) || words.length < 4) return null;
  // Prose behind # may have the letters too: a header begins with them, and names few columns.
  const prose = /^\s*[#!]/.test(line) && (at.some((column) => column > 2) || words.length > MOST_COLUMNS);
  if (prose) return null;
  const value = words.findIndex((word) => AMPLITUDES.test(word) || INTENSITIES.test(word));
  if (value < 0) return `its header "${words.join(' ')}" names neither F nor I; allowed: h k l F, h k l I`;
  const both = words.some((word) => AMPLITUDES.test(word)) && words.some((word) => INTENSITIES.test(word));
  if (both) return `its header "${words.join(' ')}" names both F and I; allowed: one of them`;
  const values = words.filter((word) => AMPLITUDES.test(word) || INTENSITIES.test(word));
  if (values.length > 1) return `its header "${words.join(' ')}" names ${values.length} values; allowed: one of F or I`;
  const [h = 0, k = 1, l = 2] = at;
  const sigma = words.findIndex((word) => SIGMAS.test(word));
  return {
    columns: [h, k, l, value],
    value: INTENSITIES.test(words[value] ?? '') ? 'I' : 'F',
    sigma: sigma < 0 ? null : sigma,
    named: true,
  };
}

/** Items of the header of XDS_ASCII.HKL, which numbers them from 1. */
function xdsLayout(lines: Iterable<string>): Layout | string {
  const items = new Map<string, number>();
  for (const line of lines) {
    if (/^!END_OF_HEADER/.test(line)) break;
    const [, name, at] = /^!ITEM_([^=]+)=(\d+)/.exec(line) ?? [];
    if (name !== undefined) items.set(name, Number(at) - 1);
  }
  const [h, k, l, intensity] = ['H', 'K', 'L', 'IOBS'].map((name) => items.get(name));
  if (h === undefined || k === undefined || l === undefined || intensity === undefined) {
    return `its header of XDS_ASCII names ${[...items.keys()].join(', ') || 'no items'}; allowed: H, K, L and IOBS among them`;
  }
  return { columns: [h, k, l, intensity], value: 'I', sigma: items.get('SIGMA(IOBS)') ?? null, named: true };
}

/** Numbers between spaces, whose commas are decimal, or between commas. */
function wordsOf(text: string): readonly string[] | string {
  const apart = text
    .trim()
    .split(/[\s;]+|,\s+/)
    .filter((word) => word !== '');
  if (apart.length < 4) return text.split(/[\s,;]+/).filter((word) => word !== '');
  const unclear = apart.find((word) => /^-?[1-9]\d{0,2},\d{3}$/.test(word));
  if (unclear !== undefined) {
    return `${unclear} is a number of thousands or with three decimals; allowed: a decimal point`;
  }
  return apart.map((word) => (/^[-+]?\d*,\d+([eE][-+]?\d+)?$/.test(word) ? word.replace(',', '.') : word));
}

/** Null if the reflection's sigma marks it as a misfit; text if the line is invalid. */
function readLine(text: string, layout: Layout): readonly [number, number, number, number] | string | null {
  const words = wordsOf(text);
  if (typeof words === 'string') return words;
  const needed = Math.max(...layout.columns) + 1;
  if (words.length < needed) {
    const has = words.length === 1 ? '1 value' : `${words.length} values`;
    return `${JSON.stringify(text.trim().slice(0, 40))} has ${has}; needed: h k l ${layout.value}`;
  }
  if (!layout.named && words.length > 4) {
    return `${JSON.stringify(text.trim().slice(0, 40))} has ${words.length} values, and no header says whether the fourth is F or I; allowed: h k l F, or a header such as h k l I sigma`;
  }
  const own = layout.columns.map((at) => words[at] ?? '');
  const [h, k, l, value] = own.map(decimalOf) as [number, number, number, number];
  for (const [i, index] of [h, k, l].entries()) {
    if (!Number.isInteger(index) || Math.abs(index) > largestIndex) {
      return `${names[i]} = ${own[i]} is not an index; allowed: whole numbers from -${largestIndex} to ${largestIndex}`;
    }
  }
  if (!Number.isFinite(value) || Math.abs(value) > 1e9) {
    return `${layout.value} = ${own[3]} is not allowed; allowed: -1e9 to 1e9${layout.value === 'F' ? ' electrons' : ''}`;
  }
  if (layout.value === 'F') return [h, k, l, value];
  // XDS marks misfits by a negative sigma. An intensity below zero is noise around none.
  if (layout.sigma !== null && Number(words[layout.sigma]) < 0) return null;
  return [h, k, l, Math.sqrt(Math.max(0, value))];
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

/** Blank lines and comments behind # or ! are ignored. */
export function readHkl(text: string): HklList {
  const xds = /^\uFEFF?!FORMAT=XDS_ASCII/.test(text) ? xdsLayout(linesOf(text)) : null;
  if (typeof xds === 'string') return { ok: false, faults: [{ line: 1, message: xds }] };
  let layout: Layout = xds ?? bare;
  const found = new Rows();
  const faults: HklFault[] = [];
  const seen = new Map<string, { readonly line: number; readonly f: number }>();
  let line = 0;
  for (const raw of linesOf(text)) {
    line += 1;
    if (found.count === 0 && xds === null) {
      const header = headerIn(raw);
      if (typeof header === 'string') return { ok: false, faults: [{ line, message: header }] };
      if (header !== null) {
        layout = header;
        continue;
      }
    }
    const content = raw.replace(/[#!].*$/, '');
    if (content.trim() === '') continue;
    const read = readLine(content, layout);
    if (typeof read === 'string') faults.push({ line, message: read });
    else if (read !== null) {
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
