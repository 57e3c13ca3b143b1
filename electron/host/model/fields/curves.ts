/** Curves of several subjects, and what they differ by. */
import type { ComparedCurve } from '../../../contract/bench/comparison.ts';
import type { Curve } from '../../../contract/fields.ts';
import type { ComparedField } from './field.ts';

/** The curve's value at `position` by straight lines between its points; NaN outside. Positions are equally spaced. */
function valueAt({ positions, values }: Curve, position: number): number {
  const first = positions[0] ?? 0;
  const step = (positions[1] ?? first + 1) - first;
  const place = (position - first) / step;
  // Rounding of a place that is one of the curve's own.
  const nearest = Math.round(place);
  if (Math.abs(place - nearest) < 1e-9) return values[nearest] ?? Number.NaN;
  const [low, part] = [Math.floor(place), place - Math.floor(place)];
  return (1 - part) * (values[low] ?? Number.NaN) + part * (values[low + 1] ?? Number.NaN);
}

function residualOf(here: Curve, reference: Curve): Curve {
  const differences = here.values.map((value, i) => value - valueAt(reference, here.positions[i] ?? Number.NaN));
  const inside = [...differences.keys()].filter((i) => Number.isFinite(differences[i] ?? Number.NaN));
  return {
    ...here,
    quantity: 'difference from the reference',
    positions: Float64Array.from(inside, (i) => here.positions[i] ?? 0),
    values: Float64Array.from(inside, (i) => differences[i] ?? 0),
  };
}

export const noAnswer = 'a stored session keeps times and not what was computed: run the variant, or benchmark it here';
const noCurve = 'it has no curve';

export async function comparedCurves(
  all: readonly (ComparedField | null)[],
  reference: number,
): Promise<ComparedCurve[]> {
  const curves = await Promise.all(all.map(async (field) => (await field?.curve?.()) ?? null));
  const against = curves[reference] ?? null;
  return curves.map((curve, i) => ({
    curve,
    reason: curve !== null ? null : all[i] === null ? noAnswer : noCurve,
    residual: curve === null || against === null || i === reference ? null : residualOf(curve, against),
  }));
}
