/**
 * Parses a measured or computed depth dose from a table. Depth and dose are separated by commas, semicolons, tabs or
 * spaces. A header names them (`depth_mm,dose_MeV_per_mm`); without one, the two columns are depth, and dose in an
 * unknown unit. Lines starting with # are comments; one of them may be the header. Depths ascend or descend. Tables of
 * Monte Carlo codes with bins describe their own columns.
 */

import { parseDecimal } from '../values/csv.ts';
import { type BinnedTable, parseBinnedTable } from './binned-table.ts';
import {
  ALLOWED_ROWS,
  COMMENT,
  COMMENTED_MATTER,
  COMMENTED_UNIT,
  type CurveColumns,
  columnsWithoutHeader,
  correctionIssues,
  type DefaultDepthUnit,
  headerColumns,
  isComment,
  type LengthName,
  lengthUnits,
  parseUnit,
  resolveDepthUnit,
} from './curve-columns.ts';

export interface CurveFile {
  /** Depths in ascending order. */
  readonly depth_mm: Float64Array;
  readonly dose: Float64Array;
  /** Unit of dose in the header; null if it states none. */
  readonly unit: string | null;
}

interface ParsedCurveFile extends CurveFile {
  /** Unit of depth in the header; null if it states none. */
  readonly depthUnit: string | null;
  /** Line number of the header; without a header, of the first point. */
  readonly firstLine: number;
  /** Line number of the last point. */
  readonly lastLine: number;
  /** Matter other than water to which the depths refer, as the file states it; null if it states none. */
  readonly matter: string | null;
  /** Remarks on the file that the user should read. */
  readonly notes: readonly string[];
}

interface CurveError {
  readonly line: number;
  readonly message: string;
}

type CurveResult =
  | Readonly<{ ok: true; curve: ParsedCurveFile }>
  | Readonly<{ ok: false; faults: readonly CurveError[] }>;

const BEFORE_SURFACE_TEXT = 'before the surface; allowed: depths of 0 and more (omit points in air)';
const MAX_LINES = 200_000;
/** Limit on reported errors, because more would not help the user. */
const MAX_ERRORS = 20;

/**
 * Whether a line has decimal commas and is separated by spaces, as in `1,5 20,3`. Such a line must not be split at
 * commas.
 */
function hasDecimalCommas(line: string): boolean {
  const words = line.trim().split(/\s+/);
  const decimal = /^[-+]?\d+,\d+(e[-+]?\d+)?$/i;
  return (
    words.length > 1 &&
    words.some((word) => decimal.test(word)) &&
    words.every((word) => /^[-+]?[\d,]+(e[-+]?\d+)?$/i.test(word) && !word.endsWith(','))
  );
}

function splitFields(line: string): readonly string[] {
  const comma = line.includes(',') && !hasDecimalCommas(line);
  // Separators within quotes are text. A unit in brackets after a space is part of the name.
  const separator = line.includes(';') ? ';' : line.includes('\t') ? '\t' : comma ? ',' : null;
  const quoted = separator === null ? line.replace(/\s+(?=[[(])/g, '') : line;
  const parts =
    separator === null
      ? (quoted.trim().match(/"[^"]*"|(?:[[(][^\])]*[\])]|[^\s"])+/g) ?? [''])
      : splitOutsideQuotes(line.trim(), separator);
  return parts.map((field) => field.trim().replace(/^"(.*)"$/, '$1'));
}

/** Splits a line at separators that are not within quotes. */
function splitOutsideQuotes(line: string, separator: string): readonly string[] {
  const parts: string[] = [];
  for (const part of line.split(separator)) {
    const open = parts.at(-1);
    // If the previous part has an odd number of quotes, its quote is still open, so join both parts.
    if (open !== undefined && open.split('"').length % 2 === 0) parts[parts.length - 1] = `${open}${separator}${part}`;
    else parts.push(part);
  }
  return parts;
}

/**
 * Parses a number. In lines separated by semicolons, tabs or spaces, a comma is a decimal mark, as many spreadsheets
 * write it.
 */
function parseNumber(field: string, line: string): number {
  const plain = /[;\t]/.test(line) || hasDecimalCommas(line) ? field.replace(',', '.') : field;
  return parseDecimal(plain);
}

/** Decimal mark of a file, which the first line that contains one determines. */
class DecimalMark {
  readonly #lines = new Map<string, number>();

  /** Error text if the numbers of a line contradict earlier lines; otherwise null. */
  contradiction(fields: readonly string[], line: number): string | null {
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

const isNumber = (field: string, line: string): boolean => Number.isFinite(parseNumber(field, line));

/** Adds the units in the line below the header to the column names; null if that line contains no units. */
function namesWithUnits(names: readonly string[], line: string): readonly string[] | null {
  const units = splitFields(line).map((field) => field.replace(/^[[(](.*)[\])]$/, '$1'));
  const isUnits = units.length === names.length && units.every((unit) => !isNumber(unit, line));
  if (!isUnits || !units.some((unit) => lengthUnits.has(unit.toLowerCase()))) return null;
  return names.map((name, i) => (units[i] === '' ? name : `${name} (${units[i]})`));
}

function curveFromBins(
  { depths, doses, lines, depthUnit, unit }: BinnedTable,
  otherwise: DefaultDepthUnit,
): CurveResult {
  const [firstLine = 1, lastLine = 1] = [lines[0], lines.at(-1)];
  const perUnit_mm = resolveDepthUnit('of its bins', depthUnit, otherwise);
  if (typeof perUnit_mm === 'string') return { ok: false, faults: [{ line: firstLine, message: perUnit_mm }] };
  const depth_mm = Float64Array.from(depths, (depth) => depth * perUnit_mm);
  const before = depths.findIndex((depth) => depth < 0);
  if (before >= 0) {
    const message = `its bin at ${depths[before]} is ${BEFORE_SURFACE_TEXT}`;
    return { ok: false, faults: [{ line: lines[before] ?? firstLine, message }] };
  }
  const stated = { unit, depthUnit, firstLine, lastLine, matter: null, notes: [] };
  return { ok: true, curve: { depth_mm, dose: Float64Array.from(doses), ...stated } };
}

export function readCurveCsv(text: string, otherwise: DefaultDepthUnit = 'mm'): CurveResult {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  if (lines.length > MAX_LINES) {
    return {
      ok: false,
      faults: [{ line: MAX_LINES, message: `too many lines for a curve; allowed: ${MAX_LINES}` }],
    };
  }
  if (/^\s*[{[]\s*["{[]/.test(text)) {
    return { ok: false, faults: [{ line: 1, message: 'it is JSON; allowed: a table of depth and dose' }] };
  }
  const binned = parseBinnedTable(lines);
  if (binned !== null) return 'message' in binned ? { ok: false, faults: [binned] } : curveFromBins(binned, otherwise);
  const begin = lines.findIndex((line) => line.trim() !== '' && !isComment(line));
  if (/^(?:[^#,;]*=)?\s*(?:np\.array)?[[({]+\s*[-+\d.]/.test(lines[begin] ?? '')) {
    return { ok: false, faults: [{ line: begin + 1, message: `a list in brackets; allowed: ${ALLOWED_ROWS}` }] };
  }
  // NUL and replacement characters mean UTF-16, or another encoding that was decoded as UTF-8.
  if (/[\0\uFFFD]/.test(text)) {
    return { ok: false, faults: [{ line: 1, message: 'its text encoding is not supported; allowed: UTF-8' }] };
  }
  const faults: CurveError[] = [];
  const mark = new DecimalMark();
  let descends: boolean | null = null;
  const [depths, doses]: [number[], number[]] = [[], []];
  let columns: CurveColumns | null = null;
  /** Columns named in a comment line, as numpy.savetxt writes them. */
  let commented: CurveColumns | null = null;
  let refused: { readonly count: number; readonly message: string } | null = null;
  let [firstLine, lastLine] = [1, 1];
  /** Index of the line with units below the header; -1 if there is none. */
  let unitsAt = -1;
  let commentedMatter: string | null = null;
  let commentedUnit: { readonly unit: LengthName; readonly line: number } | null = null;
  /** First value of each column with a second position, which later values must equal. */
  const places = new Map<number, string>();
  for (const [index, line] of lines.entries()) {
    const fault = (message: string): void => void faults.push({ line: index + 1, message });
    if (faults.length >= MAX_ERRORS) break;
    // Files of Excel may begin with a line that declares the separator.
    if (isComment(line)) {
      commentedMatter ??= COMMENTED_MATTER.exec(line)?.[1] ?? null;
      const unit = COMMENTED_UNIT.exec(line)?.[1]?.toLowerCase() as LengthName | undefined;
      if (unit !== undefined) commentedUnit ??= { unit, line: index + 1 };
    }
    const isSeparator = index === 0 && /^"?sep=.\s*"?$/.test(line);
    if (columns === null && isComment(line)) {
      const names = splitFields(line.replace(COMMENT, ''));
      const named = headerColumns(names, otherwise);
      if (typeof named !== 'string') commented = named;
      // A comment whose first word has a unit of length is a header, not a remark.
      else if (lengthUnits.has((parseUnit(names[0] ?? '') ?? '').toLowerCase()))
        refused = { count: names.length, message: named };
    }
    const usual: DefaultDepthUnit = commentedUnit?.unit ?? otherwise;
    if (line.trim() === '' || isComment(line) || isSeparator || index === unitsAt) continue;
    const fields = splitFields(line);
    if (columns === null) {
      const below = lines.findIndex((other, i) => i > index && other.trim() !== '');
      const withUnits = namesWithUnits(fields, lines[below] ?? '');
      if (withUnits !== null) unitsAt = below;
      const bare = fields.every((field) => isNumber(field, line));
      const found: CurveColumns | string =
        bare && commented?.count === fields.length
          ? commented
          : bare && refused?.count === fields.length
            ? refused.message
            : bare
              ? columnsWithoutHeader(
                  fields,
                  usual,
                  lines.filter((other) => other.trim() !== '' && !isComment(other)).length,
                )
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
      return places.get(column) !== place && parseNumber(places.get(column) ?? '', line) !== parseNumber(place, line);
    });
    if (moved !== undefined) {
      const [was, is] = [places.get(moved.column), fields[moved.column]];
      fault(`"${moved.name}" is ${is}, but ${was} in the first row; allowed: one lateral position`);
      break;
    }
    const marks = mark.contradiction([depth, dose], index + 1);
    if (marks !== null) {
      fault(marks);
      continue;
    }
    const [z, d] = [parseNumber(depth, line) * columns.perUnit_mm, parseNumber(dose, line)];
    const strange = Number.isFinite(z) ? (Number.isFinite(d) ? null : `dose "${dose}"`) : `depth "${depth}"`;
    if (strange !== null) {
      const comma = strange.includes(',');
      fault(
        `the ${strange} is not a number; allowed: a ${comma ? 'decimal point (or ; between columns)' : 'finite number'}`,
      );
    } else if (z < 0) fault(`the depth ${depth} is ${BEFORE_SURFACE_TEXT}`);
    else {
      const before = depths.at(-1);
      // Accept descending depths, because scans of water tanks may start at the deep end.
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
  const changes = correctionIssues(lines, columns?.unit ?? null);
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
