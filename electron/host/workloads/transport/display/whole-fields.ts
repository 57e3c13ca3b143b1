/** Whole-grid fields for maps, computed on a worker thread if they are large. */
import type { LetName } from '../../../../contract/quality.ts';
import type { Per } from '../../../io/addon/reduction.ts';
import { asideIfLarge } from '../../../io/aside/large.ts';
import { aside } from '../../../io/aside/task.ts';
import { type GrayRun, grayField } from '../metrics/gray.ts';
import { type LetMoments, letMap } from '../metrics/quality.ts';

const makeLet = asideIfLarge(
  'make a map of LET',
  ({ primary, protons, name }: LetMoments & { readonly name: LetName }) => letMap({ primary, protons }, name),
);

/** Cached, because maps of a displayed run are requested repeatedly. */
const made = new WeakMap<LetMoments, Map<LetName, Promise<Float64Array>>>();

/** keV/µm per cell, [z][x]; 0 where there are no protons. */
export function letField(tracks: LetMoments, name: LetName): Promise<Float64Array> {
  const known = made.get(tracks) ?? new Map<LetName, Promise<Float64Array>>();
  made.set(tracks, known);
  const { primary, protons } = tracks;
  const found = known.get(name) ?? makeLet({ primary, protons, name });
  known.set(name, found);
  // Errors are not cached.
  found.catch(() => known.delete(name));
  return found;
}

interface GrayAsked {
  readonly run: GrayRun;
  readonly y_mm: number;
}

const makeGray = asideIfLarge('make a map of Gy', ({ run, y_mm }: GrayAsked) => grayField(run, y_mm));
/** Spots that differ take long in small arrays, too. */
const makeGrayOfKinds = aside('make a map of Gy of a field', ({ run, y_mm }: GrayAsked) => grayField(run, y_mm));

/** Gy per 10⁹ protons, [z][x], at `y_mm` from the axis; or why there is none. */
export function grayMap({ acrossY, axes, beam, dose }: GrayRun, y_mm: number): ReturnType<typeof makeGray> {
  const make = acrossY !== null && 'kinds' in acrossY ? makeGrayOfKinds : makeGray;
  return make({ run: { acrossY, axes, beam, dose }, y_mm });
}

/** Cells in their unit: value · scale · factor / divisor. */
interface Scaled {
  readonly values: Float32Array | Float64Array;
  readonly scale: number;
  readonly per?: Per;
}

const valueAt = ({ values, scale, per }: Scaled, i: number): number =>
  ((values[i] ?? 0) * scale * (per?.factor ?? 1)) / (per?.divisor[i] ?? 1);

const subtract = asideIfLarge(
  'subtract maps',
  ({ mine, theirs }: { readonly mine: Scaled; readonly theirs: Scaled }): Float64Array => {
    const values = new Float64Array(mine.values.length);
    for (let i = 0; i < values.length; i += 1) values[i] = valueAt(mine, i) - valueAt(theirs, i);
    return values;
  },
);

const scaled = ({ values, scale, per }: Scaled): Scaled => ({ values, scale, ...(per && { per }) });

/** `mine` less `theirs`, cell by cell. */
export const differenceOf = (mine: Scaled, theirs: Scaled): Promise<Float64Array> =>
  subtract({ mine: scaled(mine), theirs: scaled(theirs) });
