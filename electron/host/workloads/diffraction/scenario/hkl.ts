/**
 * Reads lists of reflections in space group P1, with h, k, l and F on every line. XDS_ASCII and headers that name
 * intensities have I instead of F. In four columns without a header, the last is F. The list is in the folder of the
 * scenario.
 */

import { messageOf } from '../../../../contract/errors.ts';
import type { DiffractionWithStaticDefaults } from '../../../../contract/scenario/index.ts';
import { isMissingMark, largestUnmarked, parseDecimal } from '../../../../domain/values/csv.ts';
import { createNamedFileReader, type NamedFile } from '../../../model/scenarios/named-files.ts';
import {
  bareLayout,
  foreignListFormat,
  HKLF4,
  HKLF4_NOTE,
  indexNames,
  type Layout,
  parseHeader,
  type XdsHeader,
  xdsHeader,
} from './hkl-layout.ts';

interface HklError {
  readonly line: number;
  readonly message: string;
}

type HklList =
  | {
      readonly ok: true;
      /** h, k, l and F of all reflections, one after another. */
      readonly reflections: Float64Array;
      /** Facts about the file that the user should know. */
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly faults: readonly HklError[] };

/** Maximum index. Even a cell of a micrometre has no higher order at 0.1 Å. */
const largestIndex = 100_000;
/** Maximum number of issues to report. */
const maxErrors = 20;
/** A negative intensity within this many standard deviations of 0 is a weak reflection. */
const NOISE = 5;

/**
 * Splits a line into numbers, which are separated by spaces or by commas. If they are separated by spaces, a comma
 * within a number is a decimal mark.
 */
function splitNumbers(text: string): readonly string[] | string {
  const apart = text
    .trim()
    .split(/[\s;]+|,\s+/)
    .filter((word) => word !== '');
  if (apart.length < 4) return text.split(/[\s,;]+/).filter((word) => word !== '');
  const unclear = apart.find((word) => /^-?[1-9]\d{0,2},\d{3}$/.test(word));
  if (unclear !== undefined) {
    return `the comma in ${unclear} may separate thousands or decimals; allowed: a decimal point`;
  }
  return apart.map((word) => (/^[-+]?\d*,\d+([eE][-+]?\d+)?$/.test(word) ? word.replace(',', '.') : word));
}

/** Splits a line in SHELX's format (3I4, 2F8.2, optional I4), in which values may touch. Null for other lines. */
function shelxWords(text: string): readonly string[] | null {
  const [, h = '', k = '', l = '', ...rest] =
    /^(.{4})(.{4})(.{4})(.{8})(.{8})?(.{1,4})?\s*$/.exec(text.trimEnd()) ?? [];
  const numbers = rest.filter((part) => part !== undefined);
  const isList =
    [h, k, l].every((index) => /^ *-?\d+$/.test(index)) &&
    numbers.every((number) => /^ *-?(\d+\.?\d*|\.\d+) *$/.test(number));
  return isList ? [h, k, l, ...numbers].map((part) => part.trim()) : null;
}

/** Splits a line into values. If values touch, the line is read by SHELX's column positions. */
function splitLine(text: string, { columns, named, most }: Layout): readonly string[] | string {
  const words = splitNumbers(text);
  if (!named || typeof words === 'string' || columns.some((column, i) => column !== i)) return words;
  const touch = words.length !== most || words.some((word) => !Number.isFinite(parseDecimal(word)));
  return (touch ? shelxWords(text) : null) ?? words;
}

/** Result for a reflection that XDS rejected as an outlier. */
const xdsMisfit = Symbol('misfit');

type Observation = readonly [h: number, k: number, l: number, value: number, weight: number];

/** Parses a line. Returns `misfit` if a negative sigma marks an outlier, or a message if the line is invalid. */
function readLine(text: string, layout: Layout, items: number | null): Observation | string | typeof xdsMisfit {
  const words = splitLine(text, layout);
  if (typeof words === 'string') return words;
  const needed = Math.max(...layout.columns) + 1;
  if (words.length < needed) {
    const has = words.length === 1 ? '1 value' : `${words.length} values`;
    return `${JSON.stringify(text.trim().slice(0, 40))} has ${has}; needed: h k l ${layout.value}`;
  }
  if (items !== null && words.length !== items) {
    return `${JSON.stringify(text.trim().slice(0, 40))} has ${words.length} values; allowed: ${items}, as in NUMBER_OF_ITEMS_IN_EACH_DATA_RECORD`;
  }
  if (layout.most !== null && words.length > layout.most) {
    return `${JSON.stringify(text.trim().slice(0, 40))} has ${words.length} values; allowed: ${layout.most}, as in its header (decimal commas need ; or spaces between values)`;
  }
  if (!layout.named && words.length > 4) {
    return `${JSON.stringify(text.trim().slice(0, 40))} has ${words.length} values, but no header says whether the fourth is F or I; allowed: h k l F, or a header such as h k l I sigma (SHELX HKLF 4 needs none in its fixed columns 3I4, 2F8, I4)`;
  }
  const own = layout.columns.map((at) => words[at] ?? '');
  const [h, k, l, value] = own.map(parseDecimal) as [number, number, number, number];
  for (const [i, index] of [h, k, l].entries()) {
    if (!Number.isInteger(index) || Math.abs(index) > largestIndex) {
      return `${indexNames[i]} = ${own[i]} is not an index; allowed: whole numbers from -${largestIndex} to ${largestIndex}`;
    }
  }
  for (const { column, name, accepts, allowed } of layout.checks) {
    const word = words[column] ?? '';
    if (!accepts(parseDecimal(word), [h, k, l]))
      return `${name} = ${word || 'missing'} is not allowed; allowed: ${allowed}`;
  }
  if (!Number.isFinite(value) || Math.abs(value) > 1e9) {
    return `${layout.value} = ${own[3]} is not allowed; allowed: -1e9 to 1e9${layout.value === 'F' ? ' electrons' : ''}`;
  }
  const sigma = layout.sigma === null ? 1 : parseDecimal(words[layout.sigma] ?? '');
  // A sigma of -1 or -999 marks an amplitude that was not measured.
  if (layout.value === 'F' && !(sigma < 0)) return [h, k, l, value, 1];
  if (!Number.isFinite(sigma)) return `sigma = ${words[layout.sigma ?? 0]} is not allowed; allowed: a number`;
  if (sigma < 0) {
    return layout.misfits ? xdsMisfit : `sigma = ${words[layout.sigma ?? 0]} is negative; allowed: 0 and more`;
  }
  return [h, k, l, value, sigma > 0 ? 1 / sigma ** 2 : 1];
}

/** Converts a value to an amplitude. A negative intensity is noise and becomes 0. */
const amplitude = (value: number, { value: kind }: Layout): number =>
  kind === 'F' ? value : Math.sqrt(Math.max(0, value));

function* linesOf(text: string): Generator<string> {
  const ends = /\r\n|\r|\n/g;
  let from = text.startsWith('\uFEFF') ? 1 : 0;
  for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
    yield text.slice(from, end.index);
    from = ends.lastIndex;
  }
  yield text.slice(from);
}

/** Growing list of h, k, l and F. It is stored in blocks, to avoid repeated copying. */
class ReflectionRows {
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

interface MergedReflection {
  readonly line: number;
  sum: number;
  weight: number;
}

/** Parses a list of reflections. Ignores blank lines and comments after # or !. */
export function readHkl(text: string): HklList {
  const fail = (line: number, message: string): HklList => ({ ok: false, faults: [{ line, message }] });
  const other = foreignListFormat(text);
  if (other !== undefined) return fail(1, `it is a list of ${other}; allowed: h k l F, with a header for other values`);
  let xds: XdsHeader | string | null = null;
  try {
    if (/^\uFEFF?!FORMAT=/.test(text)) xds = xdsHeader(linesOf(text));
    else if (/^\uFEFF?!OUTPUT_FILE=INTEGRATE\.HKL/.test(text)) {
      return fail(1, 'its OUTPUT_FILE is INTEGRATE.HKL, with uncorrected intensities; allowed: XDS_ASCII.HKL');
    }
  } catch (error) {
    return fail(1, messageOf(error));
  }
  if (typeof xds === 'string') return fail(1, xds);
  let layout: Layout = xds?.layout ?? bareLayout;
  const faults: HklError[] = [];
  const seen = new Map<string, MergedReflection>();
  let line = 0;
  let repeated = 0;
  let misfits = 0;
  const observed: { readonly line: number; readonly read: Observation }[] = [];
  const addObservation = (at: number, [h, k, l, value, weight]: Observation): void => {
    const own = `${h} ${k} ${l}`;
    const mate = `${0 - h} ${0 - k} ${0 - l}`;
    const key = xds?.friedel === true && seen.has(mate) ? mate : own;
    const first = seen.get(key);
    if (first === undefined) seen.set(key, { line: at, sum: weight * value, weight });
    else if (xds?.merged === false || (xds === null && layout.value === 'I' && layout.sigma !== null)) {
      if (xds === null) repeated += 1;
      first.sum += weight * value;
      first.weight += weight;
    } else if (first.sum / first.weight !== value) {
      const [f, other] = [value, first.sum / first.weight].map((one) => amplitude(one, layout));
      faults.push({ line: at, message: `${own} has F = ${f}, but F = ${other} in line ${first.line}` });
    }
  };
  /** A reflection 0 0 0 with intensity zero. It ends a SHELX list unless reflections follow. */
  let end: { readonly line: number; readonly read: Observation } | null = null;
  const notes = [...(xds?.notes ?? [])];
  let ended = xds === null;
  for (const raw of linesOf(text)) {
    line += 1;
    if (observed.length === 0 && xds === null) {
      const header = parseHeader(raw);
      if (typeof header === 'string') return fail(line, header);
      if (header !== null) {
        layout = header;
        continue;
      }
    }
    if (/^!END_OF_DATA/.test(raw)) ended = true;
    const content = raw.replace(/[#!].*$/, '');
    if (content.trim() === '') continue;
    if (observed.length === 0 && layout === bareLayout && (shelxWords(content)?.length ?? 0) > 4) {
      layout = HKLF4;
      notes.push(HKLF4_NOTE);
    }
    const read = readLine(content, layout, xds?.items ?? null);
    if (end !== null) {
      if (typeof read === 'string') {
        notes.push(`Line ${end.line}, 0 0 0 without a value, ends the list: the text after it is ignored.`);
        break;
      }
      observed.push(end);
      end = null;
    }
    if (typeof read === 'string') {
      faults.push({ line, message: read });
      // In a list without a header, all lines of another format would have the same error, so stop at the first.
      if (layout === bareLayout && observed.length === 0) break;
    } else if (read === xdsMisfit) {
      misfits += 1;
    } else {
      const isEnd = layout.named && xds === null && read.slice(0, 4).every((number) => number === 0);
      if (isEnd) end = { line, read };
      else observed.push({ line, read });
    }
    if (faults.length === maxErrors) break;
  }
  const largest = largestUnmarked(observed.map(({ read }) => read[3]));
  const isMissing = (value: number): boolean => isMissingMark(value, largest);
  const signed = observed.find(({ read }) => layout.value === 'F' && read[3] < 0 && !isMissing(read[3]));
  let missing = 0;
  for (const { line: at, read } of observed) {
    if (faults.length >= maxErrors) break;
    const [h, k, l, value, weight] = read;
    // Some programs scale the largest intensity to 99999.99, a value that others use for missing ones. An intensity
    // with a plausible sigma therefore counts as a measurement.
    const isMeasured =
      layout.value === 'I' && layout.sigma !== null && (value > 0 || -value * Math.sqrt(weight) < NOISE);
    if (isMeasured || !isMissing(value)) addObservation(at, read);
    else if (value < 0 && signed !== undefined) {
      const message = `${h} ${k} ${l} has F = ${value}, which may mark a missing value or be an amplitude with a sign, as in line ${signed.line}; allowed: no line for a missing value, or other digits such as -999.01`;
      faults.push({ line: at, message });
    } else missing += 1;
  }
  if (faults.length > 0) return { ok: false, faults };
  if (missing > 0) {
    notes.push(`Reflections omitted because their ${layout.value} marks a missing value, such as -999: ${missing}.`);
  }
  if (!ended) {
    return fail(
      line,
      'its XDS_ASCII list has no !END_OF_DATA and may be truncated; allowed: a list with this last line',
    );
  }
  if (repeated > 0) {
    notes.push(`${repeated} lines repeat a reflection: its observations are averaged, each weighted by 1/sigma².`);
  }
  if (misfits > 0) notes.push(`Reflections omitted because XDS marks them as misfits by a negative sigma: ${misfits}.`);
  if (seen.size === 0) return fail(1, 'contains no reflection; needed: h k l F');
  const found = new ReflectionRows();
  for (const [key, { sum, weight }] of seen) {
    const [h = 0, k = 0, l = 0] = key.split(' ').map(Number);
    const f = amplitude(sum / weight, layout);
    found.add(h, k, l, f);
    if (xds?.friedel === true && (h !== 0 || k !== 0 || l !== 0)) found.add(0 - h, 0 - k, 0 - l, f);
  }
  return { ok: true, reflections: found.all(), notes };
}

/** h, k, l and F of each reflection, with the name of the list. Null if there is no list or it cannot be used. */
type Reflections = NamedFile<Float64Array>;

const readList = createNamedFileReader({
  task: 'read a list of reflections',
  path: ['structure_factors', 'file'],
  /** Enough for about a million reflections. Copying more to the engine would block the event loop. */
  largest_bytes: 16 * 1024 * 1024,
  allowed: 'a text file with h k l F on every line, in the folder of the scenario',
  parse: (text) => {
    const list = readHkl(text);
    return list.ok ? { ok: true, value: list.reflections, notes: list.notes } : list;
  },
});

/**
 * Reads the list of reflections. `place.name`: scenario file as displayed, relative to which the list is named in
 * messages.
 */
export async function reflectionsOf(
  { structure_factors: { file } }: DiffractionWithStaticDefaults,
  place: { readonly name: string; readonly folder: string | null },
): Promise<Reflections> {
  return file === undefined ? { value: null, faults: [], issues: [] } : readList(file, place);
}
