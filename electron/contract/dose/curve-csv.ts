/**
 * A measured or computed depth dose from a table: depth and dose, separated by commas, semicolons, tabs or spaces, as
 * their header names them (`depth_mm,dose_MeV_per_mm`). Two columns without names are depth and any unit of dose. Lines
 * that begin with # are comments. Depths ascend or descend. Binned tables of Monte Carlo codes state their own columns.
 */
import { decimalOf } from '../csv.ts';
import { type BinnedTable, binnedTable } from './binned-table.ts';
import { depthDoseUnit } from './units.ts';

export interface CurveFile {
  /** Ascending. */
  readonly depth_mm: Float64Array;
  readonly dose: Float64Array;
  /** From the header; null where it names none. */
  readonly unit: string | null;
}

interface ReadCurveFile extends CurveFile {
  /** Unit of depth from the header; null where it names none. */
  readonly depthUnit: string | null;
  /** Line of the header, or of the first point if there is no header. */
  readonly firstLine: number;
  /** Line of the last point. */
  readonly lastLine: number;
}

/** Unit of depth where the file does not say it: one that the user gave; `asked`: such a file is refused. */
type DepthUnitElse = 'mm' | 'cm' | 'asked';

interface CurveFault {
  readonly line: number;
  readonly message: string;
}

type CurveReading =
  | Readonly<{ ok: true; curve: ReadCurveFile }>
  | Readonly<{ ok: false; faults: readonly CurveFault[] }>;

const LARGEST_LINES = 200_000;
/** Further ones say nothing new. */
const MOST_FAULTS = 20;

interface Columns {
  readonly depth: number;
  readonly dose: number;
  /** Millimetres in the depth's unit. */
  readonly perUnit_mm: number;
  readonly depthUnit: string | null;
  readonly unit: string | null;
  /** Number of columns. A line with more contains decimal commas between separating commas and would be misread. */
  readonly count: number;
}

/** Whether numbers between spaces have decimal commas: `1,5 20,3`, which commas would part into three. */
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
  const separator = line.includes(';') ? /;/ : line.includes('\t') ? /\t/ : comma ? /,/ : /\s+/;
  return line
    .trim()
    .split(separator)
    .map((field) => field.trim().replace(/^"(.*)"$/, '$1'));
}

/** With semicolons, tabs or spaces a comma is a decimal point, as many spreadsheets write it. */
function numberOf(field: string, line: string): number {
  const plain = /[;\t]/.test(line) || hasDecimalCommas(line) ? field.replace(',', '.') : field;
  return decimalOf(plain);
}

/** The decimal mark of a file, by the line that shows it first. */
class DecimalMark {
  readonly #lines = new Map<string, number>();

  /** Why numbers of a line cannot be read with those before; null where they can. */
  fault(fields: readonly string[], line: number): string | null {
    for (const field of fields) {
      const mark = /[.,]/.exec(field)?.[0];
      if (mark === undefined) continue;
      if (!this.#lines.has(mark)) this.#lines.set(mark, line);
      const [comma, point] = [this.#lines.get(','), this.#lines.get('.')];
      if (comma !== undefined && point !== undefined) {
        return `"${field}" has a ${mark === ',' ? 'comma' : 'point'}, and line ${mark === ',' ? point : comma} the other mark; allowed: one decimal mark, no thousands`;
      }
    }
    return null;
  }
}

const isNumber = (field: string, line: string): boolean => Number.isFinite(numberOf(field, line));

/** Millimetres in the units of depth that are read. */
const lengths: ReadonlyMap<string, number> = new Map([
  ['mm', 1],
  ['cm', 10],
  ['m', 1000],
]);

/** Unit of a column: in brackets at the end of its name, or a depth unit after `_`, `/` or a space. */
function unitIn(name: string): string | null {
  const bracketed = /[[(]([^\])]*)[\])]\s*$/.exec(name)?.[1];
  const named = /[_/\s]([nuµm]m|[cdk]?m|in|inch|g[_/]cm\^?[2²])$/i.exec(name)?.[1];
  return (bracketed ?? named)?.trim() ?? null;
}

/** Words of a name without its unit: `DoseToWater [Gy]` and `dose_to_water` are dose, to, water. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/[[(][^\])]*[\])]\s*$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9%]+/);
}

/** Columns next to a dose that are about it, and are no dose. */
const ABOUT =
  /^(sigma|sd|std|stdev|stddev|dev|deviation|err|error|errors|unc|uncertainty|spread|var|variance|sem|rms|min|max|limit|squared|count|entries|hits)$/;

/** Whether a name is `dose` with nothing but a unit. */
function isPlainDose(name: string): boolean {
  const [, unit] = /^dose(?:[_ ([/]+(.*?)[)\]]?)?$/i.exec(name.trim()) ?? [null, null];
  return (
    unit === undefined ||
    unit === '' ||
    (unit !== null && (/^([cmun]?gy|%|a\.?u\.?)$/i.test(unit) || depthDoseUnit(unit) !== null))
  );
}

/** Depth and dose by whole words of their names; of two columns the first is depth where it is in a length. */
function namedColumns(fields: readonly string[]): { readonly depth: number; readonly dose: number } | string {
  const words = fields.map(wordsOf);
  const plain = (i: number): boolean => !(words[i] ?? []).some((word) => ABOUT.test(word));
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
  const dose = only(
    all((of) => of.includes('dose')),
    'dose',
    isPlainDose,
  );
  if (typeof dose === 'string') return dose;
  const depth = only(
    all((of) => !of.includes('dose') && (of.includes('depth') || of[0] === 'z')),
    'depth',
    (name) => wordsOf(name)[0] === 'depth' && unitIn(name) !== null,
  );
  if (typeof depth === 'string') return depth;
  const isLength = lengths.has((unitIn(fields[0] ?? '') ?? '').toLowerCase());
  return fields.length === 2 && (depth < 0 || dose < 0) && isLength ? { depth: 0, dose: 1 } : { depth, dose };
}

/** Millimetres in the unit of depth, or why it cannot be used. `told`: by the file. */
function unitOfDepth(name: string, told: string | null, otherwise: DepthUnitElse): number | string {
  if (told === null && otherwise === 'asked')
    return 'nothing says the unit of depth; allowed: a column such as depth_mm or depth_cm, or --unit';
  const length = (told ?? otherwise).toLowerCase();
  const perUnit_mm = lengths.get(length);
  return perUnit_mm ?? `the depth "${name}" is in ${told}; allowed: ${[...lengths.keys()].join(', ')}`;
}

function headerColumns(fields: readonly string[], otherwise: DepthUnitElse): Columns | string {
  const named = namedColumns(fields);
  if (typeof named === 'string') return named;
  const { depth, dose } = named;
  if (depth < 0 || dose < 0) {
    const missing = depth < 0 ? 'depth' : 'dose';
    return `the header "${fields.join(',')}" names no ${missing}; allowed: columns such as depth_mm and dose`;
  }
  const name = fields[depth] ?? '';
  const depthUnit = unitIn(name);
  const perUnit_mm = unitOfDepth(name, depthUnit, otherwise);
  if (typeof perUnit_mm === 'string') return perUnit_mm;
  const unit = /dose[_ ([/]+([^)\]]*?)[)\]]?$/i.exec(fields[dose] ?? '')?.[1] ?? null;
  return {
    ...{ depth, dose, perUnit_mm, depthUnit, count: fields.length },
    unit: unit === null || unit === '' ? null : unit.replace(/_per_/g, '/'),
  };
}

/** A table without a header: with more than two columns the dose column is ambiguous. */
function bareColumns(fields: readonly string[], otherwise: DepthUnitElse): Columns | string {
  if (fields.filter((field) => field !== '').length > 2) {
    return `${fields.length} columns without names; allowed: two, or a header such as depth_mm,dose,dose_error`;
  }
  const perUnit_mm = unitOfDepth('', null, otherwise);
  if (typeof perUnit_mm === 'string') return perUnit_mm;
  return { depth: 0, dose: 1, perUnit_mm, depthUnit: null, unit: null, count: fields.length };
}

function ofBins({ depths, doses, lines, depthUnit, unit }: BinnedTable, otherwise: DepthUnitElse): CurveReading {
  const [firstLine = 1, lastLine = 1] = [lines[0], lines.at(-1)];
  const perUnit_mm = unitOfDepth('of its bins', depthUnit, otherwise);
  if (typeof perUnit_mm === 'string') return { ok: false, faults: [{ line: firstLine, message: perUnit_mm }] };
  const depth_mm = Float64Array.from(depths, (depth) => depth * perUnit_mm);
  return { ok: true, curve: { depth_mm, dose: Float64Array.from(doses), unit, depthUnit, firstLine, lastLine } };
}

export function readCurveCsv(text: string, otherwise: DepthUnitElse = 'mm'): CurveReading {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  if (lines.length > LARGEST_LINES) {
    return {
      ok: false,
      faults: [{ line: LARGEST_LINES, message: `more lines than a curve has; allowed: ${LARGEST_LINES}` }],
    };
  }
  const binned = binnedTable(lines);
  if (binned !== null) return 'message' in binned ? { ok: false, faults: [binned] } : ofBins(binned, otherwise);
  // Text of 16 bits, or of another encoding that was decoded as UTF-8.
  if (/[\0\uFFFD]/.test(text)) {
    return { ok: false, faults: [{ line: 1, message: 'its text is in no encoding that is read; allowed: UTF-8' }] };
  }
  const faults: CurveFault[] = [];
  const mark = new DecimalMark();
  let descends: boolean | null = null;
  const [depths, doses]: [number[], number[]] = [[], []];
  let columns: Columns | null = null;
  let [firstLine, lastLine] = [1, 1];
  for (const [index, line] of lines.entries()) {
    const fault = (message: string): void => void faults.push({ line: index + 1, message });
    if (faults.length >= MOST_FAULTS) break;
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const fields = fieldsOf(line);
    if (columns === null) {
      const bare = fields.every((field) => isNumber(field, line));
      const found: Columns | string = bare ? bareColumns(fields, otherwise) : headerColumns(fields, otherwise);
      if (typeof found === 'string') return { ok: false, faults: [{ line: index + 1, message: found }] };
      columns = found;
      firstLine = index + 1;
      if (!bare) continue;
    }
    if (fields.slice(columns.count).some((field) => field !== '')) {
      fault(`${fields.length} values; allowed: ${columns.count}, as the first line has (commas of decimals need ;)`);
      continue;
    }
    const [depth, dose] = [fields[columns.depth], fields[columns.dose]];
    if (depth === undefined || dose === undefined) {
      fault(`${fields.length} ${fields.length === 1 ? 'value' : 'values'}; allowed: a depth and a dose`);
      continue;
    }
    const marks = mark.fault([depth, dose], index + 1);
    if (marks !== null) {
      fault(marks);
      continue;
    }
    const [z, d] = [numberOf(depth, line) * columns.perUnit_mm, numberOf(dose, line)];
    if (!Number.isFinite(z)) fault(`the depth "${depth}" is not a number; allowed: a finite number`);
    else if (!Number.isFinite(d)) fault(`the dose "${dose}" is not a number; allowed: a finite number`);
    else {
      const before = depths.at(-1);
      // Water tanks are also measured from the deep end.
      if (before !== undefined) descends ??= z < before;
      if (before !== undefined && (descends === true ? z >= before : z <= before)) {
        const way = descends === true ? 'descending' : 'ascending';
        fault(`the depth ${depth} does not go on from the line before; allowed: ${way} depths`);
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
    },
  };
}
