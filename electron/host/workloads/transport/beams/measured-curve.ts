/** A measured depth dose as CSV: depth in mm or cm, dose in any unit. Faults name the line and the value. */
import type { depthUnits } from '../../../../contract/beams/commission.ts';

export interface MeasuredCurve {
  readonly depth_mm: Float64Array;
  readonly dose: Float64Array;
}

interface LineFault {
  readonly line: number;
  readonly message: string;
}

type ReadCurve =
  | { readonly ok: true; readonly curve: MeasuredCurve }
  | { readonly ok: false; readonly faults: readonly LineFault[] };

/** Fewer describe no peak; more are no measurement. */
const POINTS = [10, 20_000] as const;
const MOST_FAULTS = 20;
const MM = { mm: 1, cm: 10 } as const;
export type DepthUnit = (typeof depthUnits)[number];

const refused = (line: number, message: string): ReadCurve => ({ ok: false, faults: [{ line, message }] });

/** The unit that a column's name ends in: `depth_mm`, `Depth (cm)`, `z [mm]`. */
const unitOf = (name: string): DepthUnit | null =>
  (/(?:^|[^a-z])(mm|cm)\W*$/i.exec(name)?.[1]?.toLowerCase() as DepthUnit) ?? null;

const isNumber = (cell: string): boolean => cell !== '' && Number.isFinite(Number(cell));

interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Depths in mm, each `scale` of the file's unit, and doses; what is wrong with a line in place of its point. */
function pointsOf(rows: readonly Row[], scale: number) {
  const faults: LineFault[] = [];
  const [depths, doses]: [number[], number[]] = [[], []];
  for (const { line, cells } of rows) {
    const [depth, dose] = [cells[0] ?? '', cells[1] ?? ''];
    const wrong = [depth, dose].find((cell) => !isNumber(cell));
    const before = depths.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (wrong !== undefined)
      faults.push({ line, message: `${wrong === '' ? 'nothing' : wrong.slice(0, 40)} is not a finite number` });
    else if (Number(depth) * scale <= before) faults.push({ line, message: `depth ${depth} does not ascend` });
    else {
      depths.push(Number(depth) * scale);
      doses.push(Number(dose));
    }
    if (faults.length === MOST_FAULTS) break;
  }
  return { depths, doses, faults };
}

/** `unit` where the file does not say. The first two columns are depth and dose; lines that begin with # are skipped. */
export function readCurve(text: string, unit: DepthUnit | null): ReadCurve {
  const rows = text
    .split(/\r\n?|\n/)
    .map((content, i) => ({ line: i + 1, cells: content.trim().split(/\s*[,;\t]\s*|\s+/) }))
    .filter(({ cells }) => cells[0] !== '' && !cells[0]?.startsWith('#'));
  const [first] = rows;
  if (first === undefined) return refused(1, 'the file is empty; allowed: two columns, depth and dose');
  const named = !isNumber(first.cells[0] ?? '');
  const data = named ? rows.slice(1) : rows;
  const header = named ? (text.split(/\r\n?|\n/)[first.line - 1] ?? '') : '';
  const known = unit ?? unitOf(header.split(/[,;\t]/)[0] ?? '');
  if (known === null) {
    return refused(
      first.line,
      'nothing says the unit of depth; allowed: a column such as depth_mm or depth_cm, or --unit',
    );
  }
  if (data.length < POINTS[0] || data.length > POINTS[1]) {
    return refused(first.line, `${data.length} points; allowed: ${POINTS[0]} to ${POINTS[1]}`);
  }
  const { depths, doses, faults } = pointsOf(data, MM[known]);
  if (faults.length > 0) return { ok: false, faults };
  const highest = doses.indexOf(Math.max(...doses));
  const top = doses[highest] ?? 0;
  if (!(top > 0) || (doses.at(-1) ?? 0) > 0.2 * top) {
    return refused(
      data.at(-1)?.line ?? 1,
      'the dose does not fall to 20 % of its largest; allowed: a curve to behind its peak',
    );
  }
  return { ok: true, curve: { depth_mm: Float64Array.from(depths), dose: Float64Array.from(doses) } };
}
