/**
 * Geometry of detector pixels for readouts: resolution and fractional Miller indices. kernels/diffraction implements
 * the same geometry for the engine; a test compares both.
 */
import type { DiffractionScenario } from './index.ts';

type Vector = readonly [x: number, y: number, z: number];

const radians = (deg: number): number => (deg * Math.PI) / 180;
const add = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const scale = (s: number, a: Vector): Vector => [s * a[0], s * a[1], s * a[2]];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

function rotate(v: Vector, axis: Vector, angle: number): Vector {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return add(add(scale(c, v), scale(s, cross(axis, v))), scale(dot(axis, v) * (1 - c), axis));
}

function rotateXyz(v: Vector, x: number, y: number, z: number): Vector {
  return rotate(rotate(rotate(v, [1, 0, 0], x), [0, 1, 0], y), [0, 0, 1], z);
}

interface PixelReadout {
  readonly fast: number;
  readonly slow: number;
  /** Spacing of the lattice planes that reflect towards this pixel, Å; null in the forward direction. */
  readonly resolution_A: number | null;
  readonly twotheta_deg: number;
  /** Fractional Miller indices of a mosaic block without misorientation, at the middle of the oscillation. */
  readonly h: number;
  readonly k: number;
  readonly l: number;
}

export interface ImageGeometry {
  /** Computes the readout at pixel coordinates; the centre of pixel i is at i + 0.5. */
  readonly at: (fast: number, slow: number) => PixelReadout;
  /** Distance of the crystal from the detector plane, mm, and the foot of the perpendicular, pixels. */
  readonly close_mm: number;
  readonly foot: { readonly fast: number; readonly slow: number };
  /** Intersection of the beam with the detector plane, pixels; null if the beam misses the plane. */
  readonly beam: { readonly fast: number; readonly slow: number } | null;
  /**
   * Ring of `points` pixels at which planes with this spacing (Å) reflect, as pairs of fast and slow. Pairs are NaN in
   * directions that miss the detector plane. Null if the spacing is too small to reflect.
   */
  readonly ring: (resolution_A: number, points: number) => Float64Array | null;
}

/** Real-space cell edges in Å, oriented as the crystal is mounted. */
function cellEdges({ lattice, misset }: DiffractionScenario['crystal']): readonly [Vector, Vector, Vector] {
  let star: readonly [Vector, Vector, Vector];
  if (lattice.kind === 'matrix') {
    const vector = ({ x, y, z }: { x: number; y: number; z: number }): Vector => [x, y, z];
    star = [vector(lattice.a_star), vector(lattice.b_star), vector(lattice.c_star)];
  } else {
    const { a_A: a, b_A: b, c_A: c } = lattice;
    const [al, be, ga] = [radians(lattice.alpha_deg), radians(lattice.beta_deg), radians(lattice.gamma_deg)];
    const [ca, cb, cg] = [Math.cos(al), Math.cos(be), Math.cos(ga)];
    const volume = a * b * c * Math.sqrt(1 - ca * ca - cb * cb - cg * cg + 2 * ca * cb * cg);
    const [as, bs, cs] = [
      (b * c * Math.sin(al)) / volume,
      (c * a * Math.sin(be)) / volume,
      (a * b * Math.sin(ga)) / volume,
    ];
    const cosAlpha = (cb * cg - ca) / (Math.sin(be) * Math.sin(ga));
    const cosBeta = (cg * ca - cb) / (Math.sin(ga) * Math.sin(al));
    const cosGamma = (ca * cb - cg) / (Math.sin(al) * Math.sin(be));
    const sinGamma = Math.sqrt(1 - cosGamma * cosGamma);
    star = [
      [as, 0, 0],
      [bs * cosGamma, bs * sinGamma, 0],
      [cs * cosBeta, (cs * (cosAlpha - cosBeta * cosGamma)) / sinGamma, 1 / (volume * as * bs * sinGamma)],
    ];
  }
  const turn = (v: Vector): Vector => rotateXyz(v, radians(misset.x_deg), radians(misset.y_deg), radians(misset.z_deg));
  const [as, bs, cs] = [turn(star[0]), turn(star[1]), turn(star[2])];
  const per = 1 / dot(as, cross(bs, cs));
  return [scale(per, cross(bs, cs)), scale(per, cross(cs, as)), scale(per, cross(as, bs))];
}

export function imageGeometry({ beam, crystal, detector, rotation }: DiffractionScenario): ImageGeometry {
  const turned = (v: Vector): Vector =>
    rotate(
      rotateXyz(v, radians(detector.rotx_deg), radians(detector.roty_deg), radians(detector.rotz_deg)),
      [0, 0, -1],
      radians(detector.twotheta_deg),
    );
  const [fast, slow, normal] = [turned([0, 0, 1]), turned([0, -1, 0]), turned([1, 0, 0])];
  const { pixel_mm, distance_mm, beam_x_mm, beam_y_mm } = detector;
  const origin = add(
    add(scale(distance_mm, [1, 0, 0]), scale(-(beam_y_mm + pixel_mm / 2), fast)),
    scale(-(beam_x_mm + pixel_mm / 2), slow),
  );
  const phi = radians(rotation.phi_deg + (rotation.oscillation_deg * (rotation.steps - 1)) / (2 * rotation.steps));
  const [a, b, c] = cellEdges(crystal).map((v) => rotate(v, [0, 0, 1], phi)) as [Vector, Vector, Vector];
  const close_mm = dot(origin, normal);
  /** Intersection of a ray from the crystal with the detector plane; null if the ray misses the plane. */
  const hit = (direction: Vector): { readonly fast: number; readonly slow: number } | null => {
    const towards = dot(direction, normal);
    if (towards * close_mm <= 0) return null;
    const place = add(scale(close_mm / towards, direction), scale(-1, origin));
    return { fast: dot(place, fast) / pixel_mm, slow: dot(place, slow) / pixel_mm };
  };
  return {
    close_mm,
    beam: hit([1, 0, 0]),
    ring: (resolution_A, points) => {
      // Bragg's law: wavelength = 2 d sin θ.
      const sine = beam.wavelength_A / (2 * resolution_A);
      if (!(sine > 0 && sine <= 1)) return null;
      const twotheta = 2 * Math.asin(sine);
      const out = new Float64Array(2 * points);
      for (let i = 0; i < points; i += 1) {
        const around = (2 * Math.PI * i) / (points - 1);
        const at = hit([
          Math.cos(twotheta),
          Math.sin(twotheta) * Math.cos(around),
          Math.sin(twotheta) * Math.sin(around),
        ]);
        out[2 * i] = at?.fast ?? Number.NaN;
        out[2 * i + 1] = at?.slow ?? Number.NaN;
      }
      return out;
    },
    foot: { fast: -dot(origin, fast) / pixel_mm, slow: -dot(origin, slow) / pixel_mm },
    at: (f, s) => {
      const place = add(add(scale(f * pixel_mm, fast), scale(s * pixel_mm, slow)), origin);
      const direction = scale(1 / Math.sqrt(dot(place, place)), place);
      const q = scale(1 / beam.wavelength_A, add(direction, [-1, 0, 0]));
      const length = Math.sqrt(dot(q, q));
      return {
        fast: f,
        slow: s,
        resolution_A: length === 0 ? null : 1 / length,
        twotheta_deg: (Math.acos(Math.min(1, Math.max(-1, direction[0]))) * 180) / Math.PI,
        h: dot(a, q),
        k: dot(b, q),
        l: dot(c, q),
      };
    },
  };
}
