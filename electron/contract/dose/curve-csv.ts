/**
 * A measured or computed depth dose from a text file: two columns, depth and
 * dose, separated by commas, semicolons, tabs or spaces. A header names them
 * (`depth_mm,dose_MeV_per_mm`); without one they are mm and any unit. Lines
 * that begin with # are comments. Every fault is told with its line.
 */

export interface CurveFile {
  /** Ascending. */
  readonly depth_mm: Float64Array;
  readonly dose: Float64Array;
  /** As the header has it; null: not told. */
  readonly unit: string | null;
}

interface ReadCurveFile extends CurveFile {
  /** Unit of depth as the header has it; null: not told. */
  readonly depthUnit: string | null;
  /** Where the header is, else the first point. */
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
/** After so many the reader knows enough. */
const MOST_FAULTS = 20;

interface Columns {
  readonly depth: number;
  readonly dose: number;
  /** Millimetres in the depth's unit. */
  readonly perUnit_mm: number;
  readonly depthUnit: string | null;
  readonly unit: string | null;
  /** How many there are: a line with more is of decimal commas between commas, and would be read as others. */
  readonly count: number;
}

function fieldsOf(line: string): readonly string[] {
  const separator = line.includes(';') ? /;/ : line.includes('\t') ? /\t/ : line.includes(',') ? /,/ : /\s+/;
  return line
    .trim()
    .split(separator)
    .map((field) => field.trim().replace(/^"(.*)"$/, '$1'));
}

/** With semicolons or tabs a comma is a decimal point, as many spreadsheets write it. */
function numberOf(field: string, line: string): number {
  const plain = /[;\t]/.test(line) ? field.replace(',', '.') : field;
  return plain === '' ? Number.NaN : Number(plain);
}

const isNumber = (field: string, line: string): boolean => Number.isFinite(numberOf(field, line));

/** Millimetres in the units of depth that are read. */
const lengths: ReadonlyMap<string, number> = new Map([
  ['mm', 1],
  ['cm', 10],
  ['m', 1000],
]);

/** What a column is in: what stands in brackets at its name's end, or a unit of depth behind `_`, `/` or a space. */
function unitIn(name: string): string | null {
  const bracketed = /[[(]([^\])]*)[\])]\s*$/.exec(name)?.[1];
  const named = /[_/\s]([nuµm]m|[cdk]?m|in|inch|g[_/]cm\^?[2²])$/i.exec(name)?.[1];
  return (bracketed ?? named)?.trim() ?? null;
}

/** Depth and dose by their names; of two columns the first is depth where it is in a length, whatever the language. */
function namedColumns(fields: readonly string[]): { readonly depth: number; readonly dose: number } {
  const dose = fields.findIndex((name) => /dose/i.test(name));
  const depth = fields.findIndex((name, i) => i !== dose && /depth|^z\b|^z_/i.test(name));
  const isLength = lengths.has((unitIn(fields[0] ?? '') ?? '').toLowerCase());
  return fields.length === 2 && (depth < 0 || dose < 0) && isLength ? { depth: 0, dose: 1 } : { depth, dose };
}

/** Millimetres in the unit of depth, or what is wrong with it. `told`: what the file says. */
function unitOfDepth(name: string, told: string | null, otherwise: DepthUnitElse): number | string {
  if (told === null && otherwise === 'asked')
    return 'nothing says the unit of depth; allowed: a column such as depth_mm or depth_cm, or --unit';
  const length = (told ?? otherwise).toLowerCase();
  const perUnit_mm = lengths.get(length);
  return perUnit_mm ?? `the depth "${name}" is in ${told}; allowed: ${[...lengths.keys()].join(', ')}`;
}

function headerColumns(fields: readonly string[], otherwise: DepthUnitElse): Columns | string {
  const { depth, dose } = namedColumns(fields);
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

/** A file of numbers alone. */
function bareColumns(fields: readonly string[], otherwise: DepthUnitElse): Columns | string {
  const perUnit_mm = unitOfDepth('', null, otherwise);
  if (typeof perUnit_mm === 'string') return perUnit_mm;
  return { depth: 0, dose: 1, perUnit_mm, depthUnit: null, unit: null, count: fields.length };
}

export function readCurveCsv(text: string, otherwise: DepthUnitElse = 'mm'): CurveReading {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  if (lines.length > LARGEST_LINES) {
    return {
      ok: false,
      faults: [{ line: LARGEST_LINES, message: `more lines than a curve has; allowed: ${LARGEST_LINES}` }],
    };
  }
  const faults: CurveFault[] = [];
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
    const [z, d] = [numberOf(depth, line) * columns.perUnit_mm, numberOf(dose, line)];
    if (!Number.isFinite(z)) fault(`the depth "${depth}" is not a number; allowed: a finite number`);
    else if (!Number.isFinite(d)) fault(`the dose "${dose}" is not a number; allowed: a finite number`);
    else if (z <= (depths.at(-1) ?? Number.NEGATIVE_INFINITY)) {
      fault(`the depth ${depth} does not go on from the line before; allowed: ascending depths`);
    } else {
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
  return {
    ok: true,
    curve: {
      ...{ depth_mm: Float64Array.from(depths), dose: Float64Array.from(doses), unit: columns?.unit ?? null },
      ...{ depthUnit: columns?.depthUnit ?? null, firstLine, lastLine },
    },
  };
}
