/** Scene of the image panel: window with square pixels, rings, beam centre, pixel values. No React. */
import type { FieldMap, Interval } from '../../../electron/contract/fields.ts';
import type { ResolvedDiffraction } from '../../../electron/contract/scenario/diffraction/index.ts';
import {
  type DiffractionScenario,
  type ImageGeometry,
  imageGeometry,
} from '../../../electron/contract/scenario/index.ts';
import type { ShownImage } from '../../data/image-feed.ts';
import type { Annotation } from '../../drawing/annotations.ts';
import { equaliseScales } from '../../drawing/axes.ts';
import type { MapScene } from '../../drawing/map-view.ts';

interface Ranges {
  readonly fast: Interval;
  readonly slow: Interval;
}

/** Spacings of resolution rings in Å, usual in crystallography. */
const SPACINGS = [
  0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50,
  70, 100, 150, 200, 300, 500, 1000,
];
const MAX_RINGS = 6;
const RING_POINTS = 361;
/** Minimum ring diameter as a share of the image, because the mark of the beam covers smaller rings. */
const SMALLEST_RING = 0.12;
/**
 * Lower end of the logarithmic scale relative to the largest pixel. Fringes decrease towards zero, and a picture can
 * only show some of these decades.
 */
export const MIN_SHOWN_SHARE = 1e-6;

const cachedGeometry = new WeakMap<object, ImageGeometry>();

/** Geometry of the complete scenario that a run was made from, or that the form resolves to. */
export function geometryOf({ scenario }: Pick<ResolvedDiffraction, 'scenario'>): ImageGeometry {
  const known = cachedGeometry.get(scenario);
  if (known !== undefined) return known;
  const geometry = imageGeometry(scenario as unknown as DiffractionScenario);
  cachedGeometry.set(scenario, geometry);
  return geometry;
}

/** Extent of a ring along the fast axis, in pixels. */
function ringSize(geometry: ImageGeometry, spacing: number): number {
  const places = geometry.ring(spacing, 9) ?? new Float64Array(0);
  const fast = [...places].filter((place, i) => i % 2 === 0 && Number.isFinite(place));
  return fast.length === 0 ? 0 : Math.max(...fast) - Math.min(...fast);
}

function resolutionRange(geometry: ImageGeometry, width: number, height: number): readonly [number, number] {
  const places = [0, 0.25, 0.5, 0.75, 1].flatMap((u) =>
    [0, 0.25, 0.5, 0.75, 1].map((v) => geometry.at(u * width, v * height).resolution_A ?? Number.POSITIVE_INFINITY),
  );
  return [Math.min(...places), Math.max(...places)];
}

/**
 * Lattice spacings, in Å, of up to MAX_RINGS resolution rings on the detector: every n-th of the readable SPACINGS.
 */
export function ringSpacings(geometry: ImageGeometry, width: number, height: number): readonly number[] {
  const [least, most] = resolutionRange(geometry, width, height);
  const inside = SPACINGS.filter((spacing) => spacing > least && spacing < most);
  const readable = inside.filter((spacing) => ringSize(geometry, spacing) > SMALLEST_RING * Math.min(width, height));
  const every = Math.max(1, Math.ceil(readable.length / MAX_RINGS));
  return readable.filter((_, i) => i % every === 0).slice(0, MAX_RINGS);
}

const ringsMade = new WeakMap<ImageGeometry, readonly Annotation[]>();

function ringsOf(geometry: ImageGeometry, width: number, height: number): readonly Annotation[] {
  const known = ringsMade.get(geometry);
  if (known !== undefined) return known;
  const rings = ringSpacings(geometry, width, height).flatMap((spacing): readonly Annotation[] => {
    const places = geometry.ring(spacing, RING_POINTS);
    return places === null ? [] : [{ kind: 'curve', places, label: `${spacing} Å` }];
  });
  const { beam } = geometry;
  const centre: readonly Annotation[] =
    beam === null ? [] : [{ kind: 'cross', at: [beam.fast, beam.slow], label: 'beam' }];
  const marks = [...rings, ...centre];
  ringsMade.set(geometry, marks);
  return marks;
}

const bright = new WeakMap<FieldMap, FieldMap>();

/** The image with limits for a logarithmic scale; explicitly set limits take precedence. */
function withLogLimits(map: FieldMap): FieldMap {
  const known = bright.get(map);
  if (known !== undefined) return known;
  const least = map.max * MIN_SHOWN_SHARE;
  const cut = { ...map, min: Math.max(map.min, least), minPositive: Math.max(map.minPositive, least) };
  bright.set(map, cut);
  return cut;
}

interface SceneInput {
  readonly shown: ShownImage | null;
  readonly resolved: ResolvedDiffraction | null;
  readonly windows: Partial<Ranges>;
  readonly plot: { readonly width: number; readonly height: number } | null;
  readonly rings: boolean;
  readonly logarithmic: boolean;
}

export function fullImageRanges(shown: ShownImage | null, resolved: ResolvedDiffraction | null): Ranges | null {
  if (shown !== null) {
    const { horizontal, vertical } = shown.map;
    return { fast: [horizontal.fullFrom, horizontal.fullTo], slow: [vertical.fullFrom, vertical.fullTo] };
  }
  return resolved === null ? null : { fast: [0, resolved.width], slow: [0, resolved.height] };
}

/** Null if the detector is unknown. */
export function imageScene({ shown, resolved, windows, plot, rings, logarithmic }: SceneInput): MapScene | null {
  const whole = fullImageRanges(shown, resolved);
  if (whole === null) return null;
  const ranges = { fast: windows.fast ?? whole.fast, slow: windows.slow ?? whole.slow };
  const inSight = { horizontal: ranges.fast, vertical: ranges.slow };
  const { horizontal: fast, vertical: slow } = plot === null ? inSight : equaliseScales(inSight, plot);
  const annotations: Annotation[] = [];
  if (shown !== null) annotations.push({ kind: 'values', field: shown.map });
  if (rings && resolved !== null) annotations.push(...ringsOf(geometryOf(resolved), whole.fast[1], whole.slow[1]));
  return {
    horizontal: { title: 'Fast', unit: 'pixels', from: fast[0], to: fast[1] },
    // Usual orientation of detector images: the first row at the top.
    vertical: { title: 'Slow', unit: 'pixels', from: slow[1], to: slow[0] },
    field: shown === null ? null : logarithmic && shown.against === null ? withLogLimits(shown.map) : shown.map,
    quantityTitle: shown?.against == null ? 'Photons' : 'Photons, difference',
    annotations,
  };
}
