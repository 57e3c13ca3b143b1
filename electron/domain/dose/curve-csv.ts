/**
 * Reads a measured or computed depth dose from a table. Depth and dose are separated by commas, semicolons, tabs or
 * spaces, and named by a header (`depth_mm,dose_MeV_per_mm`). Two columns without names are depth, and dose in any
 * unit. Lines that begin with # are comments, of which one may name the columns. Depths ascend or descend. Binned
 * tables of Monte Carlo codes describe their own columns.
 */

import { depthDoseUnit } from '../../contract/dose/units.ts';
import { decimalOf } from '../values/csv.ts';
import { type BinnedTable, binnedTable } from './binned-table.ts';

export interface CurveFile {
  /** Depths in ascending order. */
  readonly depth_mm: Float64Array;
  readonly dose: Float64Array;
  /** Unit of dose from the header; null if it names none. */
  readonly unit: string | null;
}

interface ReadCurveFile extends CurveFile {
  /** Unit of depth from the header; null if it names none. */
  readonly depthUnit: string | null;
  /** Line of the header, or of the first point if there is no header. */
  readonly firstLine: number;
  /** Line of the last point. */
  readonly lastLine: number;
  /** Matter other than water in which the file states its depths; null if it states none. */
  readonly matter: string | null;
  /** Facts about the file that a user must know. */
  readonly notes: readonly string[];
}

/** Unit of depth if the file does not state it, as chosen by the user. `asked`: a file without a unit is rejected. */
type DefaultDepthUnit = LengthName | 'asked';

interface CurveError {
  readonly line: number;
  readonly message: string;
}

type CurveReading =
  | Readonly<{ ok: true; curve: ReadCurveFile }>
  | Readonly<{ ok: false; faults: readonly CurveError[] }>;

const BEFORE_SURFACE = 'before the surface; allowed: depths of 0 and more (leave points in air out)';
const LARGEST_LINES = 200_000;
/** Further errors would not help the user. */
const MAX_ERRORS = 20;

interface Columns {
  readonly depth: number;
  readonly dose: number;
  /** Number of millimetres in a unit of depth. */
  readonly perUnit_mm: number;
  readonly depthUnit: string | null;
  readonly unit: string | null;
  /**
   * Number of columns. A line with more columns probably has decimal commas between separating commas, and would be
   * misread.
   */
  readonly count: number;
  readonly matter: string | null;
  /** Columns of a second position, such as x. A depth dose is along one line, so their values must not change. */
  readonly across: readonly { readonly column: number; readonly name: string }[];
  readonly notes: readonly string[];
}

/** Whether numbers separated by spaces have decimal commas, as in `1,5 20,3`, which must not be split at commas. */
function hasDecimalCommas(line: string): boolean {
  const words = line.trim().split(/\s+/);
  const decimal = /^[-+]?\d+,\d+(e[-+]?\d+)?$/i;
  return (
    words.length > 1 &&
    words.some((word) => decimal.test(word)) &&
    words.every((word) => /^[-+]?[\d,]+(e[-+]?\d+)?$/i.test(word) && !word.endsWith(','))
  );
}

function fieldsOf(line: string): readonly string[] {
  const comma = line.includes(',') && !hasDecimalCommas(line);
  // A separator within quotes is text, and a unit in brackets after a space belongs to the name before it.
  const separator = line.includes(';') ? ';' : line.includes('\t') ? '\t' : comma ? ',' : null;
  const quoted = separator === null ? line.replace(/\s+(?=[[(])/g, '') : line;
  const parts =
    separator === null
      ? (quoted.trim().match(/"[^"]*"|(?:[[(][^\])]*[\])]|[^\s"])+/g) ?? [''])
      : partsBetween(line.trim(), separator);
  return parts.map((field) => field.trim().replace(/^"(.*)"$/, '$1'));
}

/** Parts of a line between separators, except those within quotes. */
function partsBetween(line: string, separator: string): readonly string[] {
  const parts: string[] = [];
  for (const part of line.split(separator)) {
    const open = parts.at(-1);
    // An odd number of quotes means that a quote is still open.
    if (open !== undefined && open.split('"').length % 2 === 0) parts[parts.length - 1] = `${open}${separator}${part}`;
    else parts.push(part);
  }
  return parts;
}

/**
 * Parses a number. With semicolons, tabs or spaces as separators a comma is a decimal mark, as in files of many
 * spreadsheets.
 */
function numberOf(field: string, line: string): number {
  const plain = /[;\t]/.test(line) || hasDecimalCommas(line) ? field.replace(',', '.') : field;
  return decimalOf(plain);
}

/** Decimal mark of a file, from the first line that shows it. */
class DecimalMark {
  readonly #lines = new Map<string, number>();

  /** Reason why the numbers of a line conflict with earlier lines; null if they do not. */
  fault(fields: readonly string[], line: number): string | null {
    for (const field of fields) {
      const mark = /[.,]/.exec(field)?.[0];
      if (mark === undefined) continue;
      if (!this.#lines.has(mark)) this.#lines.set(mark, line);
      const [comma, point] = [this.#lines.get(','), this.#lines.get('.')];
      if (comma !== undefined && point !== undefined) {
        return `"${field}" has a ${mark === ',' ? 'comma' : 'point'}, but line ${mark === ',' ? point : comma} has the other decimal mark; allowed: one decimal mark, no thousands separators`;
      }
    }
    return null;
  }
}

const isNumber = (field: string, line: string): boolean => Number.isFinite(numberOf(field, line));

/** Comment signs of Numpy, MATLAB and C. A percent sign may also begin a column's name. */
const COMMENT = /^\s*(?:#+|%+(?=\s)|\/\/+)\s*/;
const isComment = (line: string): boolean => COMMENT.test(line);

/** Supported units of depth, in millimetres. */
const millimetres = { mm: 1, cm: 10, m: 1000 } as const;
type LengthName = keyof typeof millimetres;
const lengths: ReadonlyMap<string, number> = new Map(Object.entries(millimetres));

/**
 * Unit in a column's name: in brackets at the end, after a comma, or a unit of depth after `_`, `/` or a space. Words
 * may follow a length in brackets.
 */
function unitIn(name: string): string | null {
  const bracketed = (/[[(]([^\])]*)[\])]\s*$/.exec(name) ?? /[[(]\s*([nuµm]m|[cdk]?m|inch)\s*[\])]/i.exec(name))?.[1];
  const named = /(?:[_/\s]|,\s*)([nuµm]m|[cdk]?m|in|inch|g[_/]cm\^?[2²])$/i.exec(name)?.[1];
  return (bracketed ?? named)?.trim() ?? null;
}

/** Words of a column's name and unit: `DoseToWater [Gy]` and `dose_to_water_Gy` give dose, to, water, gy. */
function wordsOf(name: string): readonly string[] {
  const words = name
    .replace(/\ba\.\s?u\.?/gi, 'au')
    .replace(/(?<![A-Za-z])([MkG]?eV|[npu]C|[kmcnu]Gy|[npum]A|mV)(?![A-Za-z])/g, (unit) => unit.toLowerCase())
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    // A sign, a power or a division makes the column another quantity, so it is replaced by an unknown word.
    .replace(/^\s*\d+\s*\/|(?<!(?:\/|\bper)\s*)\b10\s*(?:\^|\*\*)\s*[-−+]?\d+/i, ' operator ')
    .replace(/^\s*\d*\s*[-−]|(?<=dose|signal|charge|current|reading|[pid]dd)\s*(?:\^|\*\*|²)/i, ' operator ')
    .replaceAll('/', ' per ')
    .toLowerCase()
    .split(/[^a-z0-9%]+/)
    .filter((word) => word !== '' && !/^\d+$/.test(word));
  // `per incident proton` is a scale, but `primary` alone restricts the dose to some of the particles.
  const scales = words.map((word) => SCALES.has(word));
  return words.filter((word, i) => word !== 'per' && !(scales[i] === true && isBehindPer(words, scales, i)));
}

function isBehindPer(words: readonly string[], scales: readonly boolean[], at: number): boolean {
  let before = at - 1;
  while (before >= 0 && scales[before] === true) before -= 1;
  return words[before] === 'per' || words[before] === '1e9' || words[before] === 'e9';
}

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));
/** Words that scale a dose after `per`. */
const SCALES = wordSet(
  'incident source primary primaries proton protons particle particles ion ions history histories event events reference ref monitor mu unit units',
);

/**
 * Words of columns that describe a dose but are not one: its spread, its rate, LET, or a biologically weighted dose.
 */
const NOT_A_PLAIN_DOSE = new RegExp(
  `^(${[
    'sigma|sd|std|stdev|stddev|dev|deviation|err|error|errors|unc|uncertainty|spread|var|variance|sem|rms|min|max|limit',
    'squared|count|entries|hits|rate|let|letd|lett|log|log10|ln|cumulative|difference|diff|residual|ratio|gamma',
    'rbe|biological|bio|biol|equivalent|effective|weighted|cge|gye|cobalt',
  ].join('|')})$`,
);

/** Those of the above words that mean a spread or an uncertainty. */
const SPREAD =
  /^(sigma|sd|std|stdev|stddev|dev|deviation|err|error|errors|unc|uncertainty|spread|var|variance|sem|rms)$/;

/** Words that name a depth, and words that may accompany them. */
const DEPTHS = wordSet('depth tiefe profondeur z');
const DEPTH_CONTEXT = wordSet(
  'in of the from at along water h2o pmma tissue medium material phantom tank surface beam central axis cax bin center centre mm cm m um nm inch g cm2',
);
const DOSES = wordSet('dose doses dosis');
/** Names of a relative dose, used if no column is named dose. */
const OTHER_DOSES = wordSet(
  'pdd idd ddd d edep deposit deposited deposition ionization ionisation charge current reading readings signal percent gy cgy %',
);
/** Readings of a detector, which may have to be divided by those of a second one in the beam. */
const READINGS = wordSet('ionization ionisation charge current reading readings signal');
const REFERENCES = wordSet('reference ref monitor mu');
/** Words that may accompany a dose: scale, location, source and units. */
const DOSE_CONTEXT = wordSet(
  `depth relative relativ rel normalized normalised normiert norm percentage absolute abs integral integrated absorbed physical
total mean average averaged energy to in of the at on along water h2o medium material phantom tank central axis cax bragg peak
curve value sum corrected corr raw measured meas measurement simulated calculated computed mc tps topas gate fluka phits geant4
film chamber detector reading mgy ugy ngy kgy mev kev ev j kg g um mm cm m mm2 cm2 mm3 cm3 nc pc na pa ma ua mv v
counts au arb arbitrary unit units 1e9 e9`,
);
const LENGTHS = wordSet('mm cm m um nm inch in');
/**
 * Units that the name of a depth may contain, and those of a dose. `in` and `g` are left out, because they are also
 * words of other names.
 */
const DEPTH_UNITS = wordSet('mm cm m um nm inch cm2');
const DOSE_UNITS = wordSet('gy cgy mgy ugy ngy kgy %');
/** Matter other than water, or matter that is not named. */
const MATTERS = wordSet('pmma tissue medium material');
const WATER = wordSet('water h2o');
const COMMENTED_MATTER =
  /(?:\bdepths?\s+in|\b(?:material|medium|phantom)\s*[:=])\s*(pmma|acrylic|perspex|lucite|plexiglas|tissue|bone|lung|muscle|fat|alumini?um|copper|graphite|polyethylene|polystyrene)\b/i;
/** Unit of depth in a comment: `depth unit: cm`, `depths in cm`. */
const COMMENTED_UNIT = /\bdepths?(?:\s+units?)?\s*(?:[:=]|\bin\b)\s*\[?(mm|cm|m)\b/i;
/** Words of corrections, scales and shifts that may apply to a depth or a dose. */
const CHANGES = wordSet(
  `background bg bkg bkgd dark leakage offset offsets shift correction corrections corr factor factors coefficient
gain gains amplification range attenuation quenching calibration cal scale scaling baseline pedestal`,
);
/** Correction factors of ionization chambers, as in TRS-398. */
const CHAMBER_FACTOR = /^k_?(tp|t|p|pol|ion|s|sat|q|elec)$/;
const CHANGE_CONTEXT = wordSet(
  `depth z k tp t p pol ion s recombination polarity temperature pressure wet equivalent window effective point
measurement normalization normalisation conversion multiplication`,
);
/** Changes that are added; the others are factors. */
const SHIFTS = wordSet('background bg bkg bkgd dark leakage offset offsets shift baseline pedestal');
/** Names of positions across the beam. */
const LATERAL_WORDS = wordSet('x y r crossline inline lateral radius');
const LATERAL_CONTEXT_WORDS = wordSet('position pos in off axis distance');
const TIMES = wordSet('time duration exposure');
/** Words of energies that are deposited; a mean energy without them is that of particles. */
const DEPOSITED = wordSet('deposit deposited deposition absorbed');
const UNITS_OF_DOSE = wordSet('% percent gy cgy');
const ROWS = 'a line for each depth, with the depth and its dose';
const ALLOWED_DEPTHS = 'depth or z in mm, cm or m, such as depth_mm';
const ALLOWED_DOSES =
  'dose (such as dose, dose_Gy, relative dose), PDD, IDD, DDD, D, %, energy deposit, edep, ionization, charge, reading, signal';

const hasAnyWord = (words: readonly string[], names: ReadonlySet<string>): boolean =>
  words.some((word) => names.has(word));
const isOnly = (words: readonly string[], ...sets: readonly ReadonlySet<string>[]): boolean =>
  words.every((word) => sets.some((names) => names.has(word)));

/**
 * Whether all words may describe a dose. `d_mm` is a length, and `%` next to several columns may be the share of any of
 * them.
 */
function isDose(words: readonly string[], columns: number): boolean {
  const isLength = isOnly(words, LENGTHS, new Set('d')) && hasAnyWord(words, LENGTHS);
  const isUnit = isOnly(words, UNITS_OF_DOSE) && columns > 2;
  const isMeanEnergy =
    (words.includes('mean') || words.includes('average')) &&
    words.some(
      (word, i) => word === 'energy' && ![words[i - 1], words[i + 1]].some((other) => DEPOSITED.has(other ?? '')),
    );
  return isOnly(words, DOSES, OTHER_DOSES, DOSE_CONTEXT) && !isLength && !isUnit && !isMeanEnergy;
}

/** Unit in the name of a dose, if it has one; null if the name is not that of a dose. */
export function doseNamed(name: string): { readonly unit: string | null } | null {
  const words = wordsOf(name);
  const isOne = hasAnyWord(words, DOSES) || hasAnyWord(words, OTHER_DOSES);
  if (!isOne || words.some((word) => NOT_A_PLAIN_DOSE.test(word)) || !isDose(words, 2)) return null;
  const unit = (/dose[_ ([/]+([^)\]]*?)[)\]]?$/i.exec(name)?.[1] ?? '').replace(/^in\s+/i, '');
  return { unit: unit === '' ? null : unit.replace(/_per_/g, '/') };
}

/** Whether a name is `dose` with at most a unit. */
function isPlainDose(name: string): boolean {
  const [, unit] = /^dose(?:[_ ([/]+(.*?)[)\]]?)?$/i.exec(name.trim()) ?? [null, null];
  return (
    unit === undefined ||
    unit === '' ||
    (unit !== null && (/^([cmun]?gy|%|a\.?u\.?)$/i.test(unit) || depthDoseUnit(unit) !== null))
  );
}

/** Columns of depth and dose, found by complete words of their names. A name with an unknown word matches neither. */
function namedColumns(fields: readonly string[]): { readonly depth: number; readonly dose: number } | string {
  const words = fields.map(wordsOf);
  const columns = fields.filter((field) => field !== '').length;
  const plain = (i: number): boolean => !(words[i] ?? []).some((word) => NOT_A_PLAIN_DOSE.test(word));
  const all = (accept: (of: readonly string[]) => boolean): readonly number[] =>
    [...words.keys()].filter((i) => plain(i) && accept(words[i] ?? []));
  const only = (found: readonly number[], exact: string, isExact: (name: string) => boolean): number | string => {
    const [first, second] = found;
    if (first === undefined || second === undefined) return first ?? -1;
    const named = found.filter((i) => isExact(fields[i] ?? ''));
    return named.length === 1
      ? (named[0] ?? -1)
      : `the header has ${found.map((i) => `"${fields[i]}"`).join(' and ')}; allowed: one ${exact}`;
  };
  const named = all((of) => hasAnyWord(of, DOSES));
  const others = () => all((of) => hasAnyWord(of, OTHER_DOSES) && isDose(of, columns));
  const dose = only(named.length > 0 ? named : others(), 'dose', isPlainDose);
  if (typeof dose === 'string') return dose;
  const own = words[dose] ?? [];
  if (dose >= 0 && !isDose(own, columns)) {
    return `the column "${fields[dose]}" contains a word that does not belong to a dose; allowed: ${ALLOWED_DOSES}`;
  }
  const reference = words.findIndex((of, i) => i !== dose && hasAnyWord(of, REFERENCES));
  if (hasAnyWord(own, READINGS) && reference >= 0) {
    return `"${fields[dose]}" is next to "${fields[reference]}", by which it may have to be divided; allowed: only a column with their ratio`;
  }
  if (
    ['charge', 'nc', 'pc'].some((unit) => own.includes(unit)) &&
    words.some((of, i) => i !== dose && hasAnyWord(of, TIMES))
  ) {
    const time = fields[words.findIndex((of, i) => i !== dose && hasAnyWord(of, TIMES))];
    return `"${fields[dose]}" is next to "${time}", by which it may have to be divided; allowed: only a column with their ratio`;
  }
  const depth = only(
    all((of) => hasAnyWord(of, DEPTHS) && isOnly(of, DEPTHS, DEPTH_CONTEXT)),
    'depth',
    (name) => wordsOf(name)[0] === 'depth' && unitIn(name) !== null,
  );
  if (typeof depth === 'string') return depth;
  return { depth, dose };
}

/**
 * Number of millimetres in the unit of depth, or the reason why the unit cannot be used. `stated` is the file's unit.
 */
function unitOfDepth(name: string, stated: string | null, otherwise: DefaultDepthUnit): number | string {
  if (stated === null && otherwise === 'asked')
    return 'the unit of depth is missing; allowed: a column such as depth_mm or depth_cm, or --unit';
  const length = (stated ?? otherwise).toLowerCase();
  const perUnit_mm = lengths.get(length);
  return perUnit_mm ?? `the depth "${name}" is in ${stated}; allowed: ${[...lengths.keys()].join(', ')}`;
}

/** Two units in the name of a depth or a dose, as in `depth_mm [cm]`; null if there is one or none. */
function twoUnits(name: string, units: ReadonlySet<string>): string | null {
  const found = [...new Set(wordsOf(name).filter((word) => units.has(word)))];
  return found.length > 1 ? `"${name}" has the units ${found.join(' and ')}; allowed: one unit` : null;
}

/** Matter other than water in the name of a depth. */
function matterIn(name: string): string | null {
  const words = wordsOf(name);
  return hasAnyWord(words, WATER) ? null : (words.find((word) => MATTERS.has(word)) ?? null);
}

/**
 * Columns other than depth and dose. Those that would change the depth or the dose are rejected; columns of a spread or
 * an error need no note.
 */
function otherColumns(fields: readonly string[], used: readonly number[]): Pick<Columns, 'across' | 'notes'> | string {
  const others = fields.flatMap((name, column) => {
    const words = wordsOf(name);
    const silent = used.includes(column) || words.length === 0 || words.some((word) => SPREAD.test(word));
    return silent ? [] : [{ name, column, words }];
  });
  const change = others.find(
    ({ words }) =>
      CHAMBER_FACTOR.test(words.join('')) ||
      (hasAnyWord(words, CHANGES) && isOnly(words, CHANGES, CHANGE_CONTEXT, DOSES, OTHER_DOSES, DOSE_CONTEXT, LENGTHS)),
  );
  if (change !== undefined) {
    return `the column "${change.name}" would change the depth or the dose; allowed: values with the change applied, without this column`;
  }
  const across = others.filter(
    ({ words }) => hasAnyWord(words, LATERAL_WORDS) && isOnly(words, LATERAL_WORDS, LATERAL_CONTEXT_WORDS, LENGTHS),
  );
  const names = others.map(({ name }) => `"${name}"`).join(', ');
  const notes =
    others.length === 0
      ? []
      : [`Its ${others.length === 1 ? 'column' : 'columns'} ${names} ${others.length === 1 ? 'is' : 'are'} ignored`];
  return { across, notes };
}

function headerColumns(fields: readonly string[], otherwise: DefaultDepthUnit): Columns | string {
  const numbers = fields.slice(1).filter((field) => Number.isFinite(decimalOf(field))).length;
  if (numbers > 1 && numbers === fields.length - 1) {
    return `"${fields[0]}" with ${numbers} values after it; allowed: names in the first line, then ${ROWS}`;
  }
  const named = namedColumns(fields);
  if (typeof named === 'string') return named;
  const { depth, dose } = named;
  if (depth < 0 || dose < 0) {
    const [missing, allowed] = depth < 0 ? ['depth', ALLOWED_DEPTHS] : ['dose', ALLOWED_DOSES];
    return `the header "${fields.join(',')}" has no ${missing}; allowed: ${allowed}`;
  }
  const name = fields[depth] ?? '';
  const units = twoUnits(name, DEPTH_UNITS) ?? twoUnits(fields[dose] ?? '', DOSE_UNITS);
  if (units !== null) return units;
  const others = otherColumns(fields, [depth, dose]);
  if (typeof others === 'string') return others;
  const depthUnit = unitIn(name);
  const perUnit_mm = unitOfDepth(name, depthUnit, otherwise);
  if (typeof perUnit_mm === 'string') return perUnit_mm;
  return {
    ...{ depth, dose, perUnit_mm, depthUnit, count: fields.length },
    unit: doseNamed(fields[dose] ?? '')?.unit ?? null,
    ...{ matter: matterIn(name), ...others },
  };
}

interface Change {
  readonly line: number;
  readonly text: string;
  /** False for a factor of the dose, which changes no relative dose. */
  readonly always: boolean;
}

/** A statement such as `scale factor: 2.5` or `depth offset 1.3 mm`. */
const STATED = /^([^:=]+?)(?:\s*[:=]\s*|\s+)([-+]?[\d.,]+(?:e[-+]?\d+)?)\s*[[(]?[a-z%µ]*[\])]?$/i;
const MULTIPLY = /^(multiply|divide)\b.*\bby\s+([-+.\de]+)/i;
const APPLIED = /(?<!\bnot\s)\b(applied|included|corrected|subtracted)\b/i;

/** Changes of the dose or depth in a comment, which may have been applied or not. */
function changesIn(line: string, number: number): readonly Change[] {
  if (APPLIED.test(line)) return [];
  return line
    .replace(COMMENT, '')
    .split(/[;,]\s+/)
    .flatMap((part) => {
      const text = part.replace(/\(?\bnot applied\)?/i, '').trim();
      const [, order, factor] = MULTIPLY.exec(text) ?? [];
      const [, name = '', value = ''] = STATED.exec(text) ?? [];
      const words = order === undefined ? wordsOf(name) : ['factor'];
      const isChange =
        CHAMBER_FACTOR.test(words.join('')) ||
        (hasAnyWord(words, CHANGES) &&
          !words.includes('range') &&
          isOnly(words, CHANGES, CHANGE_CONTEXT, DOSES, OTHER_DOSES, DOSE_CONTEXT, LENGTHS, DEPTHS, DEPTH_CONTEXT));
      const isShift = hasAnyWord(words, SHIFTS);
      if (!isChange || decimalOf((factor ?? value).replace(',', '.')) === (isShift ? 0 : 1)) return [];
      return [{ line: number, text: part.trim().slice(0, 60), always: isShift || hasAnyWord(words, DEPTHS) }];
    });
}

/** Errors and notes on such changes in the comments of a table with a dose in `unit`. */
export function commentedChanges(lines: readonly string[], unit: string | null) {
  const changes = lines.flatMap((line, index) => (isComment(line) ? changesIn(line, index + 1) : []));
  const isRelative = unit === null || unit === '%';
  const faults = changes
    .filter(({ always }) => always || !isRelative)
    .map(({ line, text, always }) => ({
      line,
      message: `its comment "${text}" would change ${always ? 'the depth or ' : ''}the dose; allowed: values with it applied, without the line`,
    }));
  const notes = changes.map(({ text }) => `Its comment "${text}" is not applied: it changes no relative dose`);
  return { faults, notes };
}

/** Column names with the units from the line below them; null if that line does not contain units. */
function namesWithUnits(names: readonly string[], line: string): readonly string[] | null {
  const units = fieldsOf(line).map((field) => field.replace(/^[[(](.*)[\])]$/, '$1'));
  const isUnits = units.length === names.length && units.every((unit) => !isNumber(unit, line));
  if (!isUnits || !units.some((unit) => lengths.has(unit.toLowerCase()))) return null;
  return names.map((name, i) => (units[i] === '' ? name : `${name} (${units[i]})`));
}

/** Columns of a table without a header; with more than two the dose column is ambiguous. `rows`: lines of the table. */
function bareColumns(fields: readonly string[], otherwise: DefaultDepthUnit, rows: number): Columns | string {
  const values = fields.filter((field) => field !== '').length;
  if (values < 2) return `a column of values without depths; allowed: ${ROWS}`;
  if (values > 2 && (rows === 1 || (values > 3 && rows === 2)))
    return `${rows === 1 ? 'a row' : 'two rows'} of ${values} values; allowed: ${ROWS}`;
  if (values > 2) {
    return `${fields.length} columns without names; allowed: two, or a header such as depth_mm,dose,dose_error`;
  }
  const perUnit_mm = unitOfDepth('', null, otherwise);
  if (typeof perUnit_mm === 'string') return perUnit_mm;
  const none = { depthUnit: null, unit: null, matter: null, across: [], notes: [] };
  return { depth: 0, dose: 1, perUnit_mm, count: fields.length, ...none };
}

function curveFromBins(
  { depths, doses, lines, depthUnit, unit }: BinnedTable,
  otherwise: DefaultDepthUnit,
): CurveReading {
  const [firstLine = 1, lastLine = 1] = [lines[0], lines.at(-1)];
  const perUnit_mm = unitOfDepth('of its bins', depthUnit, otherwise);
  if (typeof perUnit_mm === 'string') return { ok: false, faults: [{ line: firstLine, message: perUnit_mm }] };
  const depth_mm = Float64Array.from(depths, (depth) => depth * perUnit_mm);
  const before = depths.findIndex((depth) => depth < 0);
  if (before >= 0) {
    const message = `its bin at ${depths[before]} is ${BEFORE_SURFACE}`;
    return { ok: false, faults: [{ line: lines[before] ?? firstLine, message }] };
  }
  const stated = { unit, depthUnit, firstLine, lastLine, matter: null, notes: [] };
  return { ok: true, curve: { depth_mm, dose: Float64Array.from(doses), ...stated } };
}

export function readCurveCsv(text: string, otherwise: DefaultDepthUnit = 'mm'): CurveReading {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  if (lines.length > LARGEST_LINES) {
    return {
      ok: false,
      faults: [{ line: LARGEST_LINES, message: `too many lines for a curve; allowed: ${LARGEST_LINES}` }],
    };
  }
  if (/^\s*[{[]\s*["{[]/.test(text)) {
    return { ok: false, faults: [{ line: 1, message: 'it is JSON; allowed: a table of depth and dose' }] };
  }
  const binned = binnedTable(lines);
  if (binned !== null) return 'message' in binned ? { ok: false, faults: [binned] } : curveFromBins(binned, otherwise);
  const begin = lines.findIndex((line) => line.trim() !== '' && !isComment(line));
  if (/^(?:[^#,;]*=)?\s*(?:np\.array)?[[({]+\s*[-+\d.]/.test(lines[begin] ?? '')) {
    return { ok: false, faults: [{ line: begin + 1, message: `a list in brackets; allowed: ${ROWS}` }] };
  }
  // The text is in UTF-16, or in another encoding that was decoded as UTF-8.
  if (/[\0\uFFFD]/.test(text)) {
    return { ok: false, faults: [{ line: 1, message: 'its text encoding is not supported; allowed: UTF-8' }] };
  }
  const faults: CurveError[] = [];
  const mark = new DecimalMark();
  let descends: boolean | null = null;
  const [depths, doses]: [number[], number[]] = [[], []];
  let columns: Columns | null = null;
  /** Column names in a comment line, as numpy.savetxt writes them. */
  let commented: Columns | null = null;
  let refused: { readonly count: number; readonly message: string } | null = null;
  let [firstLine, lastLine] = [1, 1];
  /** Index of a line with units below the names. */
  let unitsAt = -1;
  let commentedMatter: string | null = null;
  let commentedUnit: { readonly unit: LengthName; readonly line: number } | null = null;
  /** First value in each column of a second position. */
  const places = new Map<number, string>();
  for (const [index, line] of lines.entries()) {
    const fault = (message: string): void => void faults.push({ line: index + 1, message });
    if (faults.length >= MAX_ERRORS) break;
    // Excel files may begin with a line that declares the separator.
    if (isComment(line)) {
      commentedMatter ??= COMMENTED_MATTER.exec(line)?.[1] ?? null;
      const unit = COMMENTED_UNIT.exec(line)?.[1]?.toLowerCase() as LengthName | undefined;
      if (unit !== undefined) commentedUnit ??= { unit, line: index + 1 };
    }
    const isSeparator = index === 0 && /^"?sep=.\s*"?$/.test(line);
    if (columns === null && isComment(line)) {
      const names = fieldsOf(line.replace(COMMENT, ''));
      const named = headerColumns(names, otherwise);
      if (typeof named !== 'string') commented = named;
      // A comment whose first word has a unit of length is a header, not prose.
      else if (lengths.has((unitIn(names[0] ?? '') ?? '').toLowerCase()))
        refused = { count: names.length, message: named };
    }
    const usual: DefaultDepthUnit = commentedUnit?.unit ?? otherwise;
    if (line.trim() === '' || isComment(line) || isSeparator || index === unitsAt) continue;
    const fields = fieldsOf(line);
    if (columns === null) {
      const below = lines.findIndex((other, i) => i > index && other.trim() !== '');
      const withUnits = namesWithUnits(fields, lines[below] ?? '');
      if (withUnits !== null) unitsAt = below;
      const bare = fields.every((field) => isNumber(field, line));
      const found: Columns | string =
        bare && commented?.count === fields.length
          ? commented
          : bare && refused?.count === fields.length
            ? refused.message
            : bare
              ? bareColumns(fields, usual, lines.filter((other) => other.trim() !== '' && !isComment(other)).length)
              : headerColumns(withUnits ?? fields, usual);
      if (typeof found === 'string') return { ok: false, faults: [{ line: index + 1, message: found }] };
      columns = { ...found, depthUnit: found.depthUnit ?? commentedUnit?.unit ?? null };
      if (commentedUnit !== null && columns.depthUnit?.toLowerCase() !== commentedUnit.unit) {
        const message = `the depth is in ${columns.depthUnit}, and in ${commentedUnit.unit} by the comment in line ${commentedUnit.line}; allowed: one unit`;
        return { ok: false, faults: [{ line: index + 1, message }] };
      }
      firstLine = index + 1;
      if (!bare) continue;
    }
    if (fields.slice(columns.count).some((field) => field !== '')) {
      fault(
        `${fields.length} values; allowed: ${columns.count}, as in the first line (decimal commas need ; between columns)`,
      );
      continue;
    }
    const [depth, dose] = [fields[columns.depth], fields[columns.dose]];
    if (depth === undefined || dose === undefined) {
      const has = `${fields.length} ${fields.length === 1 ? 'value' : 'values'}`;
      fault(`${has}; allowed: ${columns.count}, as in the first line (names with spaces need commas, tabs or quotes)`);
      continue;
    }
    const moved = columns.across.find(({ column }) => {
      const place = fields[column] ?? '';
      if (!places.has(column)) places.set(column, place);
      return places.get(column) !== place && numberOf(places.get(column) ?? '', line) !== numberOf(place, line);
    });
    if (moved !== undefined) {
      const [was, is] = [places.get(moved.column), fields[moved.column]];
      fault(`"${moved.name}" is ${is}, but ${was} in the first row; allowed: one lateral position`);
      break;
    }
    const marks = mark.fault([depth, dose], index + 1);
    if (marks !== null) {
      fault(marks);
      continue;
    }
    const [z, d] = [numberOf(depth, line) * columns.perUnit_mm, numberOf(dose, line)];
    const strange = Number.isFinite(z) ? (Number.isFinite(d) ? null : `dose "${dose}"`) : `depth "${depth}"`;
    if (strange !== null) {
      const comma = strange.includes(',');
      fault(
        `the ${strange} is not a number; allowed: a ${comma ? 'decimal point (or ; between columns)' : 'finite number'}`,
      );
    } else if (z < 0) fault(`the depth ${depth} is ${BEFORE_SURFACE}`);
    else {
      const before = depths.at(-1);
      // Measurements in water tanks may start at the deep end.
      if (before !== undefined) descends ??= z < before;
      if (before !== undefined && (descends === true ? z >= before : z <= before)) {
        const way = descends === true ? 'descending' : 'ascending';
        fault(`the depth ${depth} is out of order; allowed: ${way} depths`);
        continue;
      }
      depths.push(z);
      doses.push(d);
      lastLine = index + 1;
    }
  }
  if (faults.length === 0 && depths.length < 2) {
    const message = `${depths.length} ${depths.length === 1 ? 'point' : 'points'}; allowed: two or more lines of depth and dose`;
    faults.push({ line: lines.length, message });
  }
  const changes = commentedChanges(lines, columns?.unit ?? null);
  faults.push(...changes.faults);
  if (faults.length > 0) return { ok: false, faults };
  if (descends === true) {
    depths.reverse();
    doses.reverse();
  }
  return {
    ok: true,
    curve: {
      ...{ depth_mm: Float64Array.from(depths), dose: Float64Array.from(doses), unit: columns?.unit ?? null },
      ...{ depthUnit: columns?.depthUnit ?? null, firstLine, lastLine },
      matter: columns?.matter ?? commentedMatter,
      notes: [...(columns?.notes ?? []), ...changes.notes],
    },
  };
}
