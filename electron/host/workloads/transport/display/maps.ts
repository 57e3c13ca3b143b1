/**
 * Makes maps for display from the dose and the marginals of a run. Also computes the four axes of a run's grid in
 * display units.
 */
import { BraggError } from '../../../../contract/errors.ts';
import type { AxisName, FieldMap } from '../../../../contract/fields.ts';
import type { Cut, MapRequest } from '../../../../contract/run.ts';
import type { Marginals, NativePlane, PlaneRequest } from '../../../io/addon/addon.ts';
import type { ValueScaling } from '../../../io/addon/reduction.ts';
import { type GridAxis, reducePlane, sampleAxis, sampledMapAxis } from '../../../model/fields/field.ts';
import type { DoseMap } from '../../../model/fields/gamma.ts';
import { massScaling, massUnits } from '../metrics/dose-per-mass.ts';
import type { Axes, RunData } from '../run-data.ts';
import { differenceOf, letField } from './map-file.ts';

function uniformAxis(name: AxisName, unit: string, start: number, step: number, count: number): GridAxis {
  return { name, unit, uniform: true, edges: Float64Array.from({ length: count + 1 }, (_, i) => start + i * step) };
}

/**
 * Edges of bins with these centres. Inner edges are half-way between centres; outer edges are at the same distance as
 * the nearest inner ones.
 */
function energyAxis(centres: Float64Array): GridAxis {
  const n = centres.length;
  const at = (i: number): number => centres[i] ?? 0;
  const edges = new Float64Array(n + 1);
  for (let i = 1; i < n; i += 1) edges[i] = (at(i - 1) + at(i)) / 2;
  edges[0] = n > 1 ? at(0) - (at(1) - at(0)) / 2 : at(0) - 0.5;
  edges[n] = n > 1 ? at(n - 1) + (at(n - 1) - at(n - 2)) / 2 : at(0) + 0.5;
  return { name: 'e', unit: 'MeV', uniform: false, edges };
}

export type GridAxes = Readonly<Record<AxisName, GridAxis>>;

/** Cached, because each map of each frame requests the axes of its run. */
const cachedAxes = new WeakMap<Axes, GridAxes>();

export function gridAxes(axes: Axes): GridAxes {
  const known = cachedAxes.get(axes);
  if (known !== undefined) return known;
  const fresh = makeAxes(axes);
  cachedAxes.set(axes, fresh);
  return fresh;
}

/** Axes of an imported dose. */
export function planeAxes(map: DoseMap): Pick<GridAxes, 'z' | 'x'> {
  const { nz, nx, dz_mm, dx_mm, z_from_mm = 0, x_from_mm = (-nx * dx_mm) / 2 } = map;
  return { z: uniformAxis('z', 'mm', z_from_mm, dz_mm, nz), x: uniformAxis('x', 'mm', x_from_mm, dx_mm, nx) };
}

function makeAxes(axes: Axes): GridAxes {
  const { nz, nx, ntheta, dz_mm, dx_mm, dtheta_rad, theta_centre_rad } = axes;
  const dtheta = 1000 * dtheta_rad;
  return {
    z: uniformAxis('z', 'mm', 0, dz_mm, nz),
    x: uniformAxis('x', 'mm', (-nx * dx_mm) / 2, dx_mm, nx),
    theta: uniformAxis('theta', 'mrad', 1000 * theta_centre_rad - (ntheta * dtheta) / 2, dtheta, ntheta),
    e: energyAxis(axes.energies_MeV),
  };
}

/** Data from which maps are made: the dose, and marginals if the frame has them. */
export interface Fields {
  readonly axes: Axes;
  /** Dose in MeV per cell, in rows of z. */
  readonly dose: Float64Array | null;
  readonly marginals: Marginals | null;
  /** Present for ended runs that scored LET. */
  readonly tracks?: RunData['tracks'];
  readonly gray?: (y_mm: number) => Promise<{ readonly values: Float64Array } | { readonly reason: string }>;
  /** Cuts and sums that runs do not store. They come from a running computation or a recomputed step. */
  readonly planes?: readonly NativePlane[];
}

/** Marginals that the engine retains, with the slow axis first. */
const marginals = [
  { key: 'zx', axes: ['z', 'x'] },
  { key: 'xtheta', axes: ['x', 'theta'] },
  { key: 'etheta', axes: ['e', 'theta'] },
  { key: 'ez', axes: ['e', 'z'] },
  { key: 'ex', axes: ['e', 'x'] },
  { key: 'ztheta', axes: ['z', 'theta'] },
] as const satisfies readonly { readonly key: keyof Marginals; readonly axes: readonly [AxisName, AxisName] }[];

/** Pairs of axes whose sums are stored in a frame. */
export function storedPairs(frame: Marginals | undefined): [AxisName, AxisName][] {
  return marginals.flatMap(({ key, axes }) => (frame === undefined || frame[key].length === 0 ? [] : [[...axes]]));
}

interface Source {
  readonly values: Float32Array | Float64Array;
  readonly axes: readonly [AxisName, AxisName];
  readonly scale: number;
  readonly per?: ValueScaling;
  readonly quantity: string;
  readonly unit: string;
}

function isSamePair(pair: readonly [AxisName, AxisName], a: AxisName, b: AxisName): boolean {
  return (pair[0] === a && pair[1] === b) || (pair[0] === b && pair[1] === a);
}

const order: readonly AxisName[] = ['e', 'theta', 'z', 'x'];

/** Plane of the phase space ψ that a map with cuts displays. */
export function planeOf({ horizontal, vertical, cuts = [] }: MapRequest): PlaneRequest {
  const at = (axis: AxisName): number => cuts.find((cut) => cut.axis === axis)?.index ?? -1;
  const [slow, fast] =
    order.indexOf(horizontal) < order.indexOf(vertical) ? [horizontal, vertical] : [vertical, horizontal];
  return { slow, fast, cut: [at('e'), at('theta'), at('z'), at('x')] };
}

export function isSamePlane(a: PlaneRequest, b: PlaneRequest): boolean {
  return a.slow === b.slow && a.fast === b.fast && a.cut.every((index, i) => index === b.cut[i]);
}

const protons = { scale: 1, quantity: 'protons', unit: 'protons per cell' } as const;

function cutSource(fields: Fields, request: MapRequest, cuts: readonly Cut[]): Source {
  const shown = cuts.find(({ axis }) => axis === request.horizontal || axis === request.vertical);
  if (shown !== undefined) throw new BraggError('invalid', `The axis ${shown.axis} is shown, so it cannot be cut.`);
  const plane = planeOf(request);
  const found = fields.planes?.find((each) => isSamePlane(each, plane));
  if (found === undefined) {
    throw new BraggError(
      'not-found',
      'A saved run contains only sums of the phase space. Use the method run.cuts for cuts.',
    );
  }
  return { ...protons, values: found.values, axes: [found.slow, found.fast] };
}

async function letSource({ tracks = null }: Fields, request: MapRequest, name: 'letd' | 'lett'): Promise<Source> {
  if (!isSamePair(['z', 'x'], request.horizontal, request.vertical)) {
    throw new BraggError('unsupported', 'LET has the axes z and x only.');
  }
  if (tracks === null) {
    throw new BraggError('not-found', 'LET is available only after the end of a run with output.let set.');
  }
  const quantity = name === 'letd' ? 'LETd' : 'LETt';
  return { values: await letField(tracks, name), axes: ['z', 'x'], scale: 1, quantity, unit: 'keV/µm' };
}

async function graySource({ gray }: Fields, request: MapRequest): Promise<Source> {
  if (!isSamePair(['z', 'x'], request.horizontal, request.vertical)) {
    throw new BraggError('unsupported', 'Dose has the axes z and x only.');
  }
  const found = (await gray?.(request.y_mm ?? 0)) ?? { reason: 'the run is not finished' };
  if ('reason' in found) throw new BraggError('unsupported', `There is no dose in Gy: ${found.reason}.`);
  return { values: found.values, axes: ['z', 'x'], scale: 1, quantity: 'dose in Gy', unit: 'Gy per 10⁹ protons' };
}

function densitySource({ axes }: Fields, request: MapRequest): Source {
  if (!isSamePair(['z', 'x'], request.horizontal, request.vertical)) {
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
    if (!isSamePair(['z', 'x'], horizontal, vertical))
      throw new BraggError('unsupported', 'Dose has the axes z and x only.');
    if (fields.dose === null) throw new BraggError('not-found', 'Keyframes contain protons, not dose.');
    const cell = fields.axes.dz_mm * fields.axes.dx_mm;
    if (quantity === 'dose-per-mass') {
      const per = massScaling(fields.axes.density_g_cm3);
      if (per === null) throw new BraggError('not-found', 'This run was stored without the densities of its cells.');
      const kind = { quantity: 'dose per mass', unit: massUnits.map } as const;
      return { values: fields.dose, axes: ['z', 'x'], scale: 1 / cell, per, ...kind };
    }
    return { values: fields.dose, axes: ['z', 'x'], scale: 1 / cell, quantity: 'dose', unit: 'MeV/mm²' };
  }
  if (cuts.length > 0) return cutSource(fields, request, cuts);
  const made = fields.planes?.find((plane) => isSamePlane(plane, planeOf(request)));
  if (made !== undefined) return { ...protons, values: made.values, axes: [made.slow, made.fast] };
  const kept = marginals.find(({ axes }) => isSamePair(axes, horizontal, vertical));
  if (kept === undefined)
    throw new BraggError('unsupported', `A map needs two different axes, not ${horizontal} twice.`);
  if (fields.marginals === null) throw new BraggError('not-found', 'This run has no saved keyframes.');
  const values = fields.marginals[kept.key];
  if (values.length === 0) {
    const pairs = storedPairs(fields.marginals).map((axes) => axes.join('–'));
    const there = pairs.join(', ');
    throw new BraggError(
      'unsupported',
      `Protons over ${horizontal} and ${vertical} are not saved; available: ${there}.`,
    );
  }
  return { ...protons, values, axes: kept.axes };
}

async function mapOf(
  source: Source,
  { horizontal, vertical }: { readonly horizontal: GridAxis; readonly vertical: GridAxis },
  viewport: MapRequest['viewport'],
): Promise<FieldMap> {
  const across = sampleAxis(horizontal, viewport.horizontal, viewport.pixels[0]);
  const down = sampleAxis(vertical, viewport.vertical, viewport.pixels[1]);
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
    horizontal: sampledMapAxis(horizontal, across),
    vertical: sampledMapAxis(vertical, down),
    ...(await reducePlane(plane, across, down, 'mean', source.scale)),
  };
}

/** Makes a map of another field in the z–x plane, such as the gamma index. */
export function makeField(
  { z, x }: Pick<GridAxes, 'z' | 'x'>,
  field: Pick<Source, 'values' | 'axes' | 'quantity' | 'unit'>,
  viewport: MapRequest['viewport'],
): Promise<FieldMap> {
  return mapOf({ ...field, scale: 1 }, { horizontal: z, vertical: x }, viewport);
}

const displayedAxes = (axes: GridAxes, { horizontal, vertical }: MapRequest) => ({
  horizontal: axes[horizontal],
  vertical: axes[vertical],
});

export async function makeMap(fields: Fields, request: MapRequest): Promise<FieldMap> {
  return mapOf(await sourceOf(fields, request), displayedAxes(gridAxes(fields.axes), request), request.viewport);
}

/** Describes two axes if their cells differ. Null if they are equal. */
function axisDifference(first: GridAxis, second: GridAxis): string | null {
  const [a, b] = [first.edges, second.edges];
  const text = ({ edges, name, unit }: GridAxis): string =>
    `${edges.length - 1} cells of ${name} from ${edges[0]} to ${edges[edges.length - 1]} ${unit}`;
  const areClose = (u: number, v: number): boolean => Math.abs(u - v) <= 1e-9 * Math.max(1, Math.abs(u));
  const equal = a.length === b.length && a.every((edge, i) => areClose(edge, b[i] ?? Number.NaN));
  return equal ? null : `${text(first)}, and ${text(second)}`;
}

/**
 * Map of `fields` minus `other`, subtracted cell by cell before any reduction. Throws `unsupported` if the grids
 * differ.
 */
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
  return mapOf({ ...whole, values, scale: 1, quantity }, displayedAxes(axes, plain), plain.viewport);
}

/** Parts of a live frame that these maps need: `dose`, or the keys of marginals. */
export function framePartsOf(requests: readonly MapRequest[]): readonly (keyof Marginals | 'dose')[] {
  return requests.flatMap(({ quantity, horizontal, vertical, cuts = [] }) => {
    if (quantity === 'letd' || quantity === 'lett' || quantity === 'gray') return [];
    if (quantity !== 'protons') return ['dose'];
    const kept = marginals.find(({ axes }) => isSamePair(axes, horizontal, vertical));
    return kept === undefined || cuts.length > 0 ? [] : [kept.key];
  });
}

/**
 * Maps of a running computation in the order of the requests. Null for maps whose data the frame does not contain yet.
 */
export function liveMaps(fields: Fields, requests: readonly MapRequest[]): Promise<(FieldMap | null)[]> {
  const hasDataFor = (request: MapRequest): boolean => {
    if (['letd', 'lett', 'gray'].includes(request.quantity)) return false;
    if (request.quantity !== 'protons') return fields.dose === null || fields.dose.length > 0;
    if ((request.cuts ?? []).length > 0)
      return fields.planes?.some((plane) => isSamePlane(plane, planeOf(request))) ?? false;
    const kept = marginals.find(({ axes }) => isSamePair(axes, request.horizontal, request.vertical));
    return kept !== undefined && (fields.marginals?.[kept.key].length ?? 0) > 0;
  };
  return Promise.all(requests.map(async (request) => (hasDataFor(request) ? makeMap(fields, request) : null)));
}
