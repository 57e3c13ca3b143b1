/** A measured depth dose as CSV, whose unit of depth is known and which falls behind its peak. */
import type { depthUnits } from '../../../../contract/beams/commission.ts';
import { readCurveCsv } from '../../../../contract/dose/curve-csv.ts';

export interface MeasuredCurve {
  readonly depth_mm: Float64Array;
  readonly dose: Float64Array;
}

interface StatedCurve extends MeasuredCurve {
  /** Unit of the dose, from the header; null where it names none. */
  readonly unit: string | null;
}

interface LineFault {
  readonly line: number;
  readonly message: string;
}

type ReadCurve =
  | { readonly ok: true; readonly curve: StatedCurve }
  | { readonly ok: false; readonly faults: readonly LineFault[] };

/** Fewer describe no peak; more are no measurement. */
const POINTS = [10, 20_000] as const;
/** Detectors report little below zero, as their background is subtracted. */
const LARGEST_NOISE = 0.05;
export type DepthUnit = (typeof depthUnits)[number];

const refused = (line: number, message: string): ReadCurve => ({ ok: false, faults: [{ line, message }] });

type Parsed = ReturnType<typeof readCurveCsv>;
const parse = (text: string, unit: DepthUnit | null): Parsed => readCurveCsv(text, unit ?? 'asked');

function whole(read: Parsed): ReadCurve {
  if (!read.ok) return read;
  const { depth_mm, dose, unit, firstLine, lastLine } = read.curve;
  if (dose.length < POINTS[0] || dose.length > POINTS[1]) {
    return refused(firstLine, `${dose.length} points; allowed: ${POINTS[0]} to ${POINTS[1]}`);
  }
  const top = dose.reduce((most, one) => Math.max(most, one), 0);
  if (!(top > 0) || (dose.at(-1) ?? 0) > 0.2 * top) {
    return refused(lastLine, 'the dose does not fall to 20 % of its largest; allowed: a curve to behind its peak');
  }
  const low = dose.findIndex((one) => one < -LARGEST_NOISE * top);
  if (low >= 0) {
    const allowed = `${-100 * LARGEST_NOISE} % of its largest value and more`;
    return refused(firstLine, `the dose is ${dose[low]} at ${depth_mm[low]} mm; allowed: ${allowed}`);
  }
  return { ok: true, curve: { depth_mm, dose, unit } };
}

/** `unit` where the file does not say it. */
export const readCurve = (text: string, unit: DepthUnit | null): ReadCurve => whole(parse(text, unit));

/** Refuses a file whose column names another unit than the requested one: a tenfold depth fits some beam too. */
export function readOneCurve(text: string, unit: DepthUnit | null): ReadCurve {
  const read = parse(text, unit);
  const told = read.ok ? read.curve.depthUnit?.toLowerCase() : undefined;
  if (read.ok && unit !== null && told !== undefined && told !== unit) {
    return refused(
      read.curve.firstLine,
      `the depth is in ${told} by its column; allowed: that unit, or none asked for`,
    );
  }
  return whole(read);
}
