/**
 * Lists of reflections with h, k, l and F on every line, in P1. XDS_ASCII and headers that name intensities have I in
 * place of F; four columns without a header are amplitudes. The list is read from the scenario's folder.
 */

import { messageOf } from '../../../../contract/errors.ts';
import type { DiffractionWithStaticDefaults } from '../../../../contract/scenario/index.ts';
import {
  allowOnly,
  checkedFields,
  type FieldRules,
  honoured,
  ignoredField,
  oneOf,
} from '../../../../domain/header-fields.ts';
import { decimalOf, isMissingMark, largestUnmarked } from '../../../../domain/values/csv.ts';
import { type NamedFile, namedFileReader } from '../../../model/scenarios/named-files.ts';

interface HklError {
  readonly line: number;
  readonly message: string;
}

type HklList =
  | {
      readonly ok: true;
      /** h, k, l, F of each reflection. */
      readonly reflections: Float64Array;
      /** Facts about the file that a user must know. */
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly faults: readonly HklError[] };

/** Limit on indices: even a cell of a micrometre at 0.1 Å has no higher orders. */
const largestIndex = 100_000;
/** Limit on reported issues. */
const maxErrors = 20;
/** Standard deviations within which a negative intensity is a weak reflection. */
const NOISE = 5;

const names = ['h', 'k', 'l'] as const;

/** Positions of the columns, and the meaning of the fourth value. */
interface Layout {
  readonly columns: readonly [h: number, k: number, l: number, value: number];
  readonly value: 'F' | 'I';
  /** Column of the value's standard deviation; null without one. */
  readonly sigma: number | null;
  /** Whether a negative sigma marks a misfit, as XDS documents; elsewhere it is an error. */
  readonly misfits?: true;
  /** Whether a header names the columns. Without one, a fifth column makes the meaning of the fourth ambiguous. */
  readonly named: boolean;
  /** Limit on the values of a line; null without a limit. A longer line has commas as decimal marks. */
  readonly most: number | null;
  /** Conditions on further columns that can change the meaning of a line. */
  readonly checks: readonly Check[];
}

interface Check {
  readonly column: number;
  readonly name: string;
  /** Whether the value is accepted; `indices` are h, k, l of the line. */
  readonly accepts: (value: number, indices: readonly number[]) => boolean;
  /** Allowed values, the end of the message. */
  readonly allowed: string;
}

const equals = (wanted: number) => (value: number) => value === wanted;

/** Columns with which a line may be something other than a single reflection of one crystal with its F or I. */
const CHECKS: readonly (readonly [RegExp, Pick<Check, 'accepts' | 'allowed'>])[] = [
  [
    /^(batch|twin|comp|component|domain|crystal)(_?(no|nr|num|number|id))?$/,
    { accepts: equals(1), allowed: '1: one crystal, no twin and one scale' },
  ],
  [
    /^(m|mult|multiplicity|mul|epsilon|eps)$/,
    { accepts: equals(1), allowed: '1: every reflection on a line of its own, as the list is taken in P1' },
  ],
];
/** Modulated structures have a fourth index after the three, and sometimes more. */
const SATELLITE: Pick<Check, 'accepts' | 'allowed'> = {
  accepts: equals(0),
  allowed: '0: main reflections alone, of three indices',
};
const HEXAGONAL: Pick<Check, 'accepts' | 'allowed'> = {
  accepts: (i, [h = 0, k = 0]) => i === -(h + k),
  allowed: '-(h + k), the third of four indices of a hexagonal lattice',
};
/** Columns without effect on a reflection: standard deviations, calculated values, positions and flags. */
const IGNORED =
  /^(sig|sigma|sd|std|esd|err|error|unc|w|weight|f[co]?c|fcalc|f_?calc|f_?(sq|squared)_?calc|ic|icalc|phi[a-z]*|phase|phases|alpha|a|b|acalc|bcalc|fom|free|r?-?freer?[-_]?flags?|rfree|status|flag|obs|d|d_?hkl|d_?spacing|dspacing|res|resolution|s|stol|stol2|sin|sintheta.*|sin_?theta.*|theta|tth|2theta|twotheta|two_theta|q|lambda|wavelength|n|no|nr|nobs|count|redundancy|index|id|comment|x|y|z|xd|yd|zd|frame|image|psi|lp|corr|path|t|absorption|tbar)([^a-z].*)?$/;

/** Limit on columns; other programs name up to about twenty. */
const MAX_COLUMNS = 24;

const bare: Layout = { columns: [0, 1, 2, 3], value: 'F', sigma: null, named: false, most: null, checks: [] };

/** SHELX's HKLF 4 in its fixed columns: F², sigma and an optional batch, without a header. */
const HKLF4: Layout = {
  ...{ columns: [0, 1, 2, 3], value: 'I', sigma: 4, named: true, most: 6 },
  checks: [
    {
      ...{ column: 5, name: 'batch', allowed: '1: one crystal, no twin and one scale' },
      accepts: (batch) => Number.isNaN(batch) || batch === 0 || batch === 1,
    },
  ],
};
const HKLF4_NOTE =
  'Its fixed columns are read as SHELX HKLF 4: the fourth value is F². For F, as in HKLF 3, put a line "h k l F sigma" first.';

/** Names of an amplitude, and of an intensity. The square of an amplitude is an intensity. */
const AMPLITUDE = /^(f|fp|amp|ampl|amplitude)$/;
const INTENSITY = /^(i|int|intensity)$/;
/** Suffixes that do not change the quantity: measured, one of two Friedel mates, or a unit. */
const MEASURED = /^(o|obs|observed|meas|measured|exp|mean|[-+]|e|el|electrons?|a\.?u\.?|arb.*|counts)$/;
const SQUARED = /^(\^2|\*\*2|²|2|sq|squared|\^2.*)$/;
const SIGMAS = /^(sig|sigma|sd|std|esd)[^/]*$|^[^/]*(sigma|_sig)$/i;

/** Whether a column has amplitudes or intensities: `F(obs)^2`, `|Fo|`, `F_squared_meas`; null for other columns. */
function quantityOf(name: string): 'F' | 'I' | null {
  const parts = [...name.toLowerCase().matchAll(/[[(]([^\])]*)[\])]|(\^2|\*\*2|²)|([^[\](){}|^*²]+)/g)];
  const whole = parts.map(([part]) => part).join('') === name.toLowerCase().replaceAll('|', '');
  const [base = '', ...others] = parts.flatMap(([, inside, square, word]) => inside ?? square ?? namesIn(word ?? ''));
  const isKnown = others.every((other) => MEASURED.test(other) || SQUARED.test(other));
  if (!whole || !isKnown || parts[0]?.[3] === undefined) return null;
  const squares = others.filter((other) => SQUARED.test(other)).length;
  if (AMPLITUDE.test(base)) return squares === 0 ? 'F' : squares === 1 ? 'I' : null;
  return INTENSITY.test(base) && squares === 0 ? 'I' : null;
}

const isIgnored = (name: string): boolean => IGNORED.test(name) || SIGMAS.test(name);

/** Splits a name and its suffixes: `f_squared_meas`, `fobs`, `fo2`, `imean`. */
function namesIn(word: string): readonly string[] {
  const [first = '', ...rest] = word.split(/[-_]/).filter((part) => part !== '');
  const [, base = first, measured = '', square = ''] =
    /^(fp?|i|int|intensity|ampl?|amplitude)(o|obs|meas|exp|mean)?(2|sq|squared)?$/.exec(first) ?? [];
  return [base, ...[measured, square].filter((part) => part !== ''), ...rest];
}

/**
 * Parses a header `h k l F`, also after #; null for other lines. Returns an error text if the value is neither F nor I.
 */
function headerIn(line: string): Layout | string | null {
  const words = line
    .replace(/^\s*[#!]?\s*/, '')
    // A unit or exponent after a space belongs to the preceding name.
    .replace(/\s*[[(][^\])]*[\])]/g, (unit) => unit.replace(/[\s,;]+/g, ''))
    .replace(/\s*(\^|\*\*)\s*2|\s+²/g, '²')
    .split(/[\s,;]+/)
    .filter((word) => word !== '');
  const plain = words.map((word) => word.replace(/[[(].*$/, ''));
  const at = ['h', 'k', 'l'].map((name) => plain.findIndex((word) => word.toLowerCase() === name));
  if (at.includes(-1) || words.length < 4) return null;
  // Text after # may contain these letters too, but a header begins with them and names few columns.
  const prose = /^\s*[#!]/.test(line) && (at.some((column) => column > 2) || words.length > MAX_COLUMNS);
  if (prose) return null;
  const [h = 0, k = 1, l = 2] = at;
  // In a header h k i l, the third index would otherwise be read as an intensity.
  const third = l === k + 2 && plain[k + 1]?.toLowerCase() === 'i' ? k + 1 : -1;
  const values = words.map((word, column) => (column === third ? null : quantityOf(word)));
  const value = values.findIndex((quantity) => quantity !== null);
  const quantity = values[value] ?? null;
  if (quantity === null) return `its header "${words.join(' ')}" has neither F nor I; allowed: h k l F, h k l I`;
  const both = values.includes('F') && values.includes('I');
  if (both) return `its header "${words.join(' ')}" has both F and I; allowed: one of them`;
  const count = values.filter((one) => one !== null).length;
  if (count > 1) return `its header "${words.join(' ')}" has ${count} values; allowed: one of F or I`;
  const sigma = plain.findIndex((word) => SIGMAS.test(word));
  const others = plain.flatMap((name, column) =>
    [h, k, l, value, sigma, third].includes(column) ? [] : [{ column, name: name.toLowerCase() }],
  );
  const checks = others.flatMap(({ column, name }): readonly Check[] => {
    const isIndex = column > l && plain.slice(l + 1, column + 1).every((one) => /^(m[1-9]?|n)$/i.test(one));
    const check = isIndex ? SATELLITE : CHECKS.find(([known]) => known.test(name))?.[1];
    return check === undefined ? [] : [{ ...check, column, name }];
  });
  const strange = others.find(({ column, name }) => !checks.some((one) => one.column === column) && !isIgnored(name));
  if (strange !== undefined) {
    return `its header has the unknown column "${strange.name}"; allowed: h k l, F or I, sigma, batch, multiplicity and columns such as phase or d`;
  }
  return {
    columns: [h, k, l, value],
    value: quantity,
    sigma: sigma < 0 ? null : sigma,
    checks: third < 0 ? checks : [...checks, { ...HEXAGONAL, column: third, name: 'i' }],
    ...{ named: true, most: words.length },
  };
}

const geometry = ignoredField('the scenario states the crystal, the beam and the detector');
const experiment = ignoredField('describes how intensities were measured, and they are corrected for it');

/** Fields of the header of XDS_ASCII.HKL, from the documentation of XDS's files; ITEM_ fields are numbered columns. */
export const xdsFields: FieldRules = {
  format: oneOf('XDS_ASCII'),
  merge: honoured,
  "friedel's_law": honoured,
  number_of_items_in_each_data_record: honoured,
  space_group_number: honoured,
  item_h: honoured,
  item_k: honoured,
  item_l: honoured,
  item_iobs: honoured,
  'item_sigma(iobs)': honoured,
  // XSCALE writes file names of the user's choice.
  output_file: allowOnly('files of CORRECT or XSCALE', (name) => !/(^|\/)integrate\.hkl$/i.test(name)),
  unit_cell_constants: geometry,
  'unit_cell_a-axis': geometry,
  'unit_cell_b-axis': geometry,
  'unit_cell_c-axis': geometry,
  'x-ray_wavelength': geometry,
  rotation_axis: geometry,
  incident_beam_direction: geometry,
  detector_distance: geometry,
  orgx: geometry,
  orgy: geometry,
  nx: geometry,
  ny: geometry,
  qx: geometry,
  qy: geometry,
  'direction_of_detector_x-axis': geometry,
  'direction_of_detector_y-axis': geometry,
  oscillation_range: experiment,
  starting_angle: experiment,
  starting_frame: experiment,
  data_range: experiment,
  name_template_of_data_frames: experiment,
  detector: experiment,
  overload: experiment,
  air: experiment,
  silicon: experiment,
  sensor_thickness: experiment,
  fraction_of_polarization: experiment,
  polarization_plane_normal: experiment,
  profile_fitting: experiment,
  include_resolution_range: experiment,
  'reflecting_range_e.s.d.': experiment,
  'beam_divergence_e.s.d.': experiment,
  variance_model: experiment,
  date: experiment,
  item_xd: experiment,
  item_yd: experiment,
  item_zd: experiment,
  item_rlp: experiment,
  item_peak: experiment,
  item_corr: experiment,
  item_psi: experiment,
  item_iset: experiment,
};

interface XdsHeader {
  readonly layout: Layout;
  /** Whether each reflection is listed once, rather than each of its observations. */
  readonly merged: boolean;
  /** Whether a reflection and its Friedel mate are equivalent. */
  readonly friedel: boolean;
  /** Number of values on each line; null if the header states none. */
  readonly items: number | null;
  readonly notes: readonly string[];
}

/** Parses the header of XDS_ASCII.HKL, which numbers columns from 1. Throws BraggError `foreign-file`. */
function xdsHeader(lines: Iterable<string>): XdsHeader | string {
  const all: { readonly name: string; readonly value: string }[] = [];
  for (const line of lines) {
    if (/^!END_OF_HEADER/.test(line)) break;
    // The first line has several fields.
    for (const [, name = '', value = ''] of line.replace(/^\uFEFF?!/, '').matchAll(/([A-Z][^\s=]*)=\s*(\S*)/g)) {
      all.push({ name, value });
    }
  }
  // Scaled lists repeat fields for each of their sources.
  const known = new Map(all.map((field) => [field.name, field]));
  const fields = checkedFields('', [...known.values()], xdsFields, 'ignored');
  const items = all.flatMap(({ name, value }) => {
    const item = /^ITEM_(.+)$/.exec(name)?.[1];
    return item === undefined ? [] : [[item, Number(value) - 1] as const];
  });
  const columns = new Map(items);
  const [h, k, l, intensity] = ['H', 'K', 'L', 'IOBS'].map((name) => columns.get(name));
  if (h === undefined || k === undefined || l === undefined || intensity === undefined) {
    return `its XDS_ASCII header has the items ${[...columns.keys()].join(', ') || 'none'}; allowed: H, K, L and IOBS among them`;
  }
  const wrong = items.find(([, column]) => !Number.isInteger(column) || column < 0 || column >= MAX_COLUMNS);
  if (wrong !== undefined)
    return `ITEM_${wrong[0]}=${wrong[1] + 1} is not a valid column; allowed: 1 to ${MAX_COLUMNS}`;
  const yes = (name: string): boolean | string => {
    const value = fields.get(name) ?? 'FALSE';
    return /^(true|false)$/i.test(value) ? /^true$/i.test(value) : `${name} = ${value}; allowed: TRUE, FALSE`;
  };
  const [merged, friedel] = [yes('merge'), yes("friedel's_law")];
  if (typeof merged === 'string') return merged;
  if (typeof friedel === 'string') return friedel;
  const group = Number(fields.get('space_group_number') ?? 1);
  if (!Number.isInteger(group) || group < 1 || group > 230) {
    return `SPACE_GROUP_NUMBER=${fields.get('space_group_number')}; allowed: 1 to 230`;
  }
  if (merged && group !== 1) {
    return `SPACE_GROUP_NUMBER=${group} with MERGE=TRUE lists one of several equivalent reflections; allowed: 1, a list expanded to P1`;
  }
  const count = fields.get('number_of_items_in_each_data_record');
  return {
    layout: {
      columns: [h, k, l, intensity],
      value: 'I',
      sigma: columns.get('SIGMA(IOBS)') ?? null,
      ...{ named: true, misfits: true, most: null, checks: [] },
    },
    ...{ merged, friedel },
    items: count === undefined ? null : Number(count),
    notes:
      group === 1 ? [] : [`Its space group is ${group}, but no symmetry is applied: missing reflections are zero.`],
  };
}

/** Splits a line into numbers between spaces, whose commas are decimal marks, or between commas. */
function wordsOf(text: string): readonly string[] | string {
  const apart = text
    .trim()
    .split(/[\s;]+|,\s+/)
    .filter((word) => word !== '');
  if (apart.length < 4) return text.split(/[\s,;]+/).filter((word) => word !== '');
  const unclear = apart.find((word) => /^-?[1-9]\d{0,2},\d{3}$/.test(word));
  if (unclear !== undefined) {
    return `${unclear} may be thousands or have three decimals; allowed: a decimal point`;
  }
  return apart.map((word) => (/^[-+]?\d*,\d+([eE][-+]?\d+)?$/.test(word) ? word.replace(',', '.') : word));
}

/** Splits a line in SHELX's format 3I4, 2F8.2 and optional I4, whose columns may touch; null for other lines. */
function shelxWords(text: string): readonly string[] | null {
  const [, h = '', k = '', l = '', ...rest] =
    /^(.{4})(.{4})(.{4})(.{8})(.{8})?(.{1,4})?\s*$/.exec(text.trimEnd()) ?? [];
  const numbers = rest.filter((part) => part !== undefined);
  const isList =
    [h, k, l].every((index) => /^ *-?\d+$/.test(index)) &&
    numbers.every((number) => /^ *-?(\d+\.?\d*|\.\d+) *$/.test(number));
  return isList ? [h, k, l, ...numbers].map((part) => part.trim()) : null;
}

/** Splits a line into values. Lines of SHELX are read by position if their values touch. */
function valuesOf(text: string, { columns, named, most }: Layout): readonly string[] | string {
  const words = wordsOf(text);
  if (!named || typeof words === 'string' || columns.some((column, i) => column !== i)) return words;
  const touch = words.length !== most || words.some((word) => !Number.isFinite(decimalOf(word)));
  return (touch ? shelxWords(text) : null) ?? words;
}

/** A reflection that XDS rejected as an outlier. */
const misfit = Symbol('misfit');

type Observation = readonly [h: number, k: number, l: number, value: number, weight: number];

/** Parses a line. `misfit` if XDS marked the reflection by a negative sigma; any other text if the line is invalid. */
function readLine(text: string, layout: Layout, items: number | null): Observation | string | typeof misfit {
  const words = valuesOf(text, layout);
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
  const [h, k, l, value] = own.map(decimalOf) as [number, number, number, number];
  for (const [i, index] of [h, k, l].entries()) {
    if (!Number.isInteger(index) || Math.abs(index) > largestIndex) {
      return `${names[i]} = ${own[i]} is not an index; allowed: whole numbers from -${largestIndex} to ${largestIndex}`;
    }
  }
  for (const { column, name, accepts, allowed } of layout.checks) {
    const word = words[column] ?? '';
    if (!accepts(decimalOf(word), [h, k, l]))
      return `${name} = ${word || 'missing'} is not allowed; allowed: ${allowed}`;
  }
  if (!Number.isFinite(value) || Math.abs(value) > 1e9) {
    return `${layout.value} = ${own[3]} is not allowed; allowed: -1e9 to 1e9${layout.value === 'F' ? ' electrons' : ''}`;
  }
  const sigma = layout.sigma === null ? 1 : decimalOf(words[layout.sigma] ?? '');
  // A sigma of -1 or -999 marks an amplitude that was not measured.
  if (layout.value === 'F' && !(sigma < 0)) return [h, k, l, value, 1];
  if (!Number.isFinite(sigma)) return `sigma = ${words[layout.sigma ?? 0]} is not allowed; allowed: a number`;
  if (sigma < 0) {
    return layout.misfits ? misfit : `sigma = ${words[layout.sigma ?? 0]} is not allowed; allowed: 0 and more`;
  }
  return [h, k, l, value, sigma > 0 ? 1 / sigma ** 2 : 1];
}

/** Amplitude of a value; 0 for a negative intensity, which is noise. */
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

/** Growing list of h, k, l, F in blocks, to avoid repeated copying. */
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

interface MergedReflection {
  readonly line: number;
  sum: number;
  weight: number;
}

/** First lines of lists from other programs, after comments, with the name of the format. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^(data_|loop_|_refln|_shelx)/i, 'CIF or FCF: export h k l F or h k l I from its _refln loop'],
  [/^(\{[^}]*\}\s*|remark[^\n]*\n\s*)*(nrefl|anomalous\s*=|declare\s+nam|inde\s)/i, 'CNS: export h k l F from it'],
  [/^MTZ /, 'MTZ, which is binary: export h k l F from it'],
  // 1, a negative number, then the cell and the space group.
  [
    /^1[ \t]*\r?\n[ \t]*-\d+[ \t]*\r?\n(?:[ \t]+\d+\.\d+){6}[ \t]+\S/,
    'Scalepack: export h k l I sigma from it, expanded to P1',
  ],
  // The number of symmetry operators and the space group, then their matrices.
  [
    /^\d+[ \t]+[A-Za-z]\S*[ \t]*\r?\n(?:[ \t]*(?:-?\d+[ \t]+){2,}-?\d+[ \t]*\r?\n){2}/,
    'Scalepack without merging: export h k l I sigma from it',
  ],
];

/** Detects another program's format from the beginning of a list; undefined for plain lists. */
function foreignListFormat(text: string): string | undefined {
  const begin = text
    .slice(0, 4096)
    .replace(/^(?:[ \t\r\uFEFF]*(?:#[^\n]*)?\n)*/, '')
    .trimStart();
  return OTHERS.find(([mark]) => mark.test(begin))?.[1];
}

/** Parses a list of reflections. Blank lines and comments after # or ! are ignored. */
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
  let layout: Layout = xds?.layout ?? bare;
  const faults: HklError[] = [];
  const seen = new Map<string, MergedReflection>();
  let line = 0;
  let repeated = 0;
  let misfits = 0;
  const observed: { readonly line: number; readonly read: Observation }[] = [];
  const take = (at: number, [h, k, l, value, weight]: Observation): void => {
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
  /** A reflection 0 0 0 with zero intensity, which ends a SHELX list if no reflection follows. */
  let end: { readonly line: number; readonly read: Observation } | null = null;
  const notes = [...(xds?.notes ?? [])];
  let ended = xds === null;
  for (const raw of linesOf(text)) {
    line += 1;
    if (observed.length === 0 && xds === null) {
      const header = headerIn(raw);
      if (typeof header === 'string') return fail(line, header);
      if (header !== null) {
        layout = header;
        continue;
      }
    }
    if (/^!END_OF_DATA/.test(raw)) ended = true;
    const content = raw.replace(/[#!].*$/, '');
    if (content.trim() === '') continue;
    if (observed.length === 0 && layout === bare && (shelxWords(content)?.length ?? 0) > 4) {
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
      // Without a header, all lines of another format have the same error.
      if (layout === bare && observed.length === 0) break;
    } else if (read === misfit) {
      misfits += 1;
    } else {
      const isEnd = layout.named && xds === null && read.slice(0, 4).every((number) => number === 0);
      if (isEnd) end = { line, read };
      else observed.push({ line, read });
    }
    if (faults.length === maxErrors) break;
  }
  const largest = largestUnmarked(observed.map(({ read }) => read[3]));
  const isMark = (value: number): boolean => isMissingMark(value, largest);
  const signed = observed.find(({ read }) => layout.value === 'F' && read[3] < 0 && !isMark(read[3]));
  let missing = 0;
  for (const { line: at, read } of observed) {
    if (faults.length >= maxErrors) break;
    const [h, k, l, value, weight] = read;
    // With a sigma, an intensity above or within its noise is a measurement: programs scale the largest to 99999.99.
    const isMeasured =
      layout.value === 'I' && layout.sigma !== null && (value > 0 || -value * Math.sqrt(weight) < NOISE);
    if (isMeasured || !isMark(value)) take(at, read);
    else if (value < 0 && signed !== undefined) {
      const message = `${h} ${k} ${l} has F = ${value}, which may mark a missing value or be an amplitude with a sign, as in line ${signed.line}; allowed: no line for a missing value, or other digits such as -999.01`;
      faults.push({ line: at, message });
    } else missing += 1;
  }
  if (faults.length > 0) return { ok: false, faults };
  if (missing > 0) {
    notes.push(
      `${missing} ${missing === 1 ? 'reflection has' : 'reflections have'} a mark for a missing value, such as -999, as ${layout.value}: left out.`,
    );
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
  if (misfits > 0) notes.push(`${misfits} reflections have a negative sigma, by which XDS marks misfits: left out.`);
  if (seen.size === 0) return fail(1, 'contains no reflection; needed: h k l F');
  const found = new Rows();
  for (const [key, { sum, weight }] of seen) {
    const [h = 0, k = 0, l = 0] = key.split(' ').map(Number);
    const f = amplitude(sum / weight, layout);
    found.add(h, k, l, f);
    if (xds?.friedel === true && (h !== 0 || k !== 0 || l !== 0)) found.add(0 - h, 0 - k, 0 - l, f);
  }
  return { ok: true, reflections: found.all(), notes };
}

/** h, k, l, F of each reflection; null if there is no list or it cannot be used. */
type Reflections = NamedFile<Float64Array>;

const readList = namedFileReader({
  task: 'read a list of reflections',
  path: ['structure_factors', 'file'],
  /** About a million reflections; copying more to the engine would block the event loop. */
  largest_bytes: 16 * 1024 * 1024,
  allowed: 'a text file with h k l F on every line, in the folder of the scenario',
  parse: (text) => {
    const list = readHkl(text);
    return list.ok ? { ok: true, value: list.reflections, notes: list.notes } : list;
  },
});

/** Reads the list. `place.name` is the displayed name of the scenario file; the list's name is shown relative to it. */
export async function reflectionsOf(
  { structure_factors: { file } }: DiffractionWithStaticDefaults,
  place: { readonly name: string; readonly folder: string | null },
): Promise<Reflections> {
  return file === undefined ? { value: null, faults: [], issues: [] } : readList(file, place);
}
