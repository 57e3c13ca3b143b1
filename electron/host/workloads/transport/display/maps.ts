/** Maps for the screen from a run's dose and marginals. */
import { BraggError } from '../../../../contract/errors.ts';
import type { AxisName, FieldMap } from '../../../../contract/fields.ts';
import type { Cut, MapRequest } from '../../../../contract/run.ts';
import type { Marginals, NativePlane, PlaneRequest } from '../../../io/addon/addon.ts';
import type { Per } from '../../../io/addon/reduction.ts';
import { type GridAxis, mapAxis, reduced, sampling } from '../../../model/fields/reduce.ts';
import { massUnits, perMass } from '../metrics/dose-per-mass.ts';
import type { Axes, RunData } from '../run-data.ts';
import { type GridAxes, gridAxes } from './grid-axes.ts';
import { differenceOf, letField } from './whole-fields.ts';

/** Sources of maps: dose always, marginals if the moment has them. */
export interface Fields {
  readonly axes: Axes;
  /** MeV per cell, [z][x]. */
  readonly dose: Float64Array | null;
  readonly marginals: Marginals | null;
  /** Present in a run that has ended and scored LET. */
  readonly tracks?: RunData['tracks'];
  readonly gray?: (y_mm: number) => Promise<{ readonly values: Float64Array } | { readonly reason: string }>;
  /** Cuts, and sums that are not stored: of a running computation, or of a recomputed step. */
  readonly planes?: readonly NativePlane[];
}

/** The marginals that the engine keeps: slow axis first. */
const marginals = [
  { key: 'zx', axes: ['z', 'x'] },
  { key: 'xtheta', axes: ['x', 'theta'] },
  { key: 'etheta', axes: ['e', 'theta'] },
  { key: 'ez', axes: ['e', 'z'] },
  { key: 'ex', axes: ['e', 'x'] },
  { key: 'ztheta', axes: ['z', 'theta'] },
] as const satisfies readonly { readonly key: keyof Marginals; readonly axes: readonly [AxisName, AxisName] }[];

/** The pairs of axes that a moment has sums for. */
export function keptPairs(frame: Marginals | undefined): [AxisName, AxisName][] {
  return marginals.flatMap(({ key, axes }) => (frame === undefined || frame[key].length === 0 ? [] : [[...axes]]));
}

interface Source {
  readonly values: Float32Array | Float64Array;
  readonly axes: readonly [AxisName, AxisName];
  readonly scale: number;
  readonly per?: Per;
  readonly quantity: string;
  readonly unit: string;
}

function same(pair: readonly [AxisName, AxisName], a: AxisName, b: AxisName): boolean {
  return (pair[0] === a && pair[1] === b) || (pair[0] === b && pair[1] === a);
}

const order: readonly AxisName[] = ['e', 'theta', 'z', 'x'];

/** The plane of ψ that a map with cuts shows. */
export function planeOf({ horizontal, vertical, cuts = [] }: MapRequest): PlaneRequest {
  const at = (axis: AxisName): number => cuts.find((cut) => cut.axis === axis)?.index ?? -1;
  const [slow, fast] =
    order.indexOf(horizontal) < order.indexOf(vertical) ? [horizontal, vertical] : [vertical, horizontal];
  return { slow, fast, cut: [at('e'), at('theta'), at('z'), at('x')] };
}

export function samePlane(a: PlaneRequest, b: PlaneRequest): boolean {
  return a.slow === b.slow && a.fast === b.fast && a.cut.every((index, i) => index === b.cut[i]);
}

const protons = { scale: 1, quantity: 'protons', unit: 'protons per cell' } as const;

function cutOf(fields: Fields, request: MapRequest, cuts: readonly Cut[]): Source {
  const shown = cuts.find(({ axis }) => axis === request.horizontal || axis === request.vertical);
  if (shown !== undefined) throw new BraggError('invalid', `The axis ${shown.axis} is shown, and cannot be cut.`);
  const plane = planeOf(request);
  const found = fields.planes?.find((each) => samePlane(each, plane));
  if (found === undefined) {
    throw new BraggError('not-found', 'What is stored of a run is summed: cuts are asked for with run.cuts.');
  }
  return { ...protons, values: found.values, axes: [found.slow, found.fast] };
}

async function letSource({ tracks = null }: Fields, request: MapRequest, name: 'letd' | 'lett'): Promise<Source> {
  if (!same(['z', 'x'], request.horizontal, request.vertical)) {
    throw new BraggError('unsupported', 'LET has the axes z and x only.');
  }
  if (tracks === null) {
    throw new BraggError('not-found', 'This run did not score LET, or is not over; output.let in the scenario does.');
  }
  const quantity = name === 'letd' ? 'LETd' : 'LETt';
  return { values: await letField(tracks, name), axes: ['z', 'x'], scale: 1, quantity, unit: 'keV/µm' };
}

async function graySource({ gray }: Fields, request: MapRequest): Promise<Source> {
  if (!same(['z', 'x'], request.horizontal, request.vertical)) {
    throw new BraggError('unsupported', 'Dose has the axes z and x only.');
  }
  const found = (await gray?.(request.y_mm ?? 0)) ?? { reason: 'the run is not over' };
  if ('reason' in found) throw new BraggError('unsupported', `There is no dose in Gy: ${found.reason}.`);
  return { values: found.values, axes: ['z', 'x'], scale: 1, quantity: 'dose in Gy', unit: 'Gy per 10⁹ protons' };
}

function densitySource({ axes }: Fields, request: MapRequest): Source {
  if (!same(['z', 'x'], request.horizontal, request.vertical)) {
    throw new BraggError('unsupported', 'Density has the axes z and x only.');
  }
  if (axes.density_g_cm3 === null) {
    throw new BraggError('not-found', 'This run was stored without the densities of its cells.');
  }
  return { values: axes.density_g_cm3, axes: ['z', 'x'], scale: 1, quantity: 'density', unit: 'g/cm³' };
}

async function sourceOf(fields: Fields, request: MapRequest): Promise<Source> {
  const { quantity, horizontal, vertical, cuts = [] } = request;
  if (quantity === 'letd' || quantity === 'lett') return letSource(fields, request, quantity);
  if (quantity === 'gray') return graySource(fields, request);
  if (quantity === 'density') return densitySource(fields, request);
  if (quantity === 'dose' || quantity === 'dose-per-mass') {
    if (!same(['z', 'x'], horizontal, vertical)) throw new BraggError('unsupported', 'Dose has the axes z and x only.');
    if (fields.dose === null) throw new BraggError('not-found', 'Keyframes keep protons, not dose.');
    const cell = fields.axes.dz_mm * fields.axes.dx_mm;
    if (quantity === 'dose-per-mass') {
      const per = perMass(fields.axes.density_g_cm3);
      if (per === null) throw new BraggError('not-found', 'This run was stored without the densities of its cells.');
      const kind = { quantity: 'dose per mass', unit: massUnits.map } as const;
      return { values: fields.dose, axes: ['z', 'x'], scale: 1 / cell, per, ...kind };
    }
    return { values: fields.dose, axes: ['z', 'x'], scale: 1 / cell, quantity: 'dose', unit: 'MeV/mm²' };
  }
  if (cuts.length > 0) return cutOf(fields, request, cuts);
  const made = fields.planes?.find((plane) => samePlane(plane, planeOf(request)));
  if (made !== undefined) return { ...protons, values: made.values, axes: [made.slow, made.fast] };
  const kept = marginals.find(({ axes }) => same(axes, horizontal, vertical));
  if (kept === undefined) throw new BraggError('unsupported', `A map needs two axes, not ${horizontal} twice.`);
  if (fields.marginals === null) throw new BraggError('not-found', 'This run kept no keyframes.');
  const values = fields.marginals[kept.key];
  if (values.length === 0) {
    const pairs = keptPairs(fields.marginals).map((axes) => axes.join('–'));
    const there = pairs.join(', ');
    throw new BraggError('unsupported', `Protons over ${horizontal} and ${vertical} are not kept; there are ${there}.`);
  }
  return { ...protons, values, axes: kept.axes };
}

async function mapOf(
  source: Source,
  { horizontal, vertical }: { readonly horizontal: GridAxis; readonly vertical: GridAxis },
  viewport: MapRequest['viewport'],
): Promise<FieldMap> {
  const across = sampling(horizontal, viewport.horizontal, viewport.pixels[0]);
  const down = sampling(vertical, viewport.vertical, viewport.pixels[1]);
  const horizontalIsContiguous = source.axes[1] === horizontal.name;
  const contiguous = (horizontalIsContiguous ? horizontal : vertical).edges.length - 1;
  const plane = {
    values: source.values,
    strideHorizontal: horizontalIsContiguous ? 1 : contiguous,
    strideVertical: horizontalIsContiguous ? contiguous : 1,
    ...(source.per && { per: source.per }),
  };
  return {
    quantity: source.quantity,
    unit: source.unit,
    horizontal: mapAxis(horizontal, across),
    vertical: mapAxis(vertical, down),
    ...(await reduced(plane, across, down, 'mean', source.scale)),
  };
}

/** A field of the z–x plane that is neither a run's dose nor its protons, such as a gamma index. */
export function makeField(
  { z, x }: Pick<GridAxes, 'z' | 'x'>,
  field: Pick<Source, 'values' | 'axes' | 'quantity' | 'unit'>,
  viewport: MapRequest['viewport'],
): Promise<FieldMap> {
  return mapOf({ ...field, scale: 1 }, { horizontal: z, vertical: x }, viewport);
}

const shownAxes = (axes: GridAxes, { horizontal, vertical }: MapRequest) => ({
  horizontal: axes[horizontal],
  vertical: axes[vertical],
});

export async function makeMap(fields: Fields, request: MapRequest): Promise<FieldMap> {
  return mapOf(await sourceOf(fields, request), shownAxes(gridAxes(fields.axes), request), request.viewport);
}

/** Text describing both axes if their cells differ; null if they are equal. */
function axisDifference(first: GridAxis, second: GridAxis): string | null {
  const [a, b] = [first.edges, second.edges];
  const text = ({ edges, name, unit }: GridAxis): string =>
    `${edges.length - 1} cells of ${name} from ${edges[0]} to ${edges[edges.length - 1]} ${unit}`;
  const near = (u: number, v: number): boolean => Math.abs(u - v) <= 1e-9 * Math.max(1, Math.abs(u));
  const equal = a.length === b.length && a.every((edge, i) => near(edge, b[i] ?? Number.NaN));
  return equal ? null : `${text(first)}, and ${text(second)}`;
}

/** `fields` less `other`, cell by cell, before anything is reduced. Throws `unsupported` where the grids differ. */
export async function makeDifference(fields: Fields, other: Fields, request: MapRequest): Promise<FieldMap> {
  const plain: MapRequest = { ...request, cuts: [] };
  const [mine, theirs] = await Promise.all([sourceOf(fields, plain), sourceOf(other, plain)]);
  const [axes, others] = [gridAxes(fields.axes), gridAxes(other.axes)];
  for (const name of mine.axes) {
    const difference = axisDifference(axes[name], others[name]);
    if (difference !== null) throw new BraggError('unsupported', `The grids differ: ${difference}.`);
  }
  const values = await differenceOf(mine, theirs);
  const quantity = `${mine.quantity} difference`;
  const { per: _per, ...whole } = mine;
  return mapOf({ ...whole, values, scale: 1, quantity }, shownAxes(axes, plain), plain.viewport);
}

/** Parts of a live frame that these maps need: `dose`, and sums by their keys. */
export function partsOf(requests: readonly MapRequest[]): readonly (keyof Marginals | 'dose')[] {
  return requests.flatMap(({ quantity, horizontal, vertical, cuts = [] }) => {
    if (quantity === 'letd' || quantity === 'lett' || quantity === 'gray') return [];
    if (quantity !== 'protons') return ['dose'];
    const kept = marginals.find(({ axes }) => same(axes, horizontal, vertical));
    return kept === undefined || cuts.length > 0 ? [] : [kept.key];
  });
}

/** Maps of a run that computes, in the order of the requests; null: what the frame does not hold yet. */
export function liveMaps(fields: Fields, requests: readonly MapRequest[]): Promise<(FieldMap | null)[]> {
  const can = (request: MapRequest): boolean => {
    if (['letd', 'lett', 'gray'].includes(request.quantity)) return false;
    if (request.quantity !== 'protons') return fields.dose === null || fields.dose.length > 0;
    if ((request.cuts ?? []).length > 0)
      return fields.planes?.some((plane) => samePlane(plane, planeOf(request))) ?? false;
    const kept = marginals.find(({ axes }) => same(axes, request.horizontal, request.vertical));
    return kept !== undefined && (fields.marginals?.[kept.key].length ?? 0) > 0;
  };
  return Promise.all(requests.map(async (request) => (can(request) ? makeMap(fields, request) : null)));
}
