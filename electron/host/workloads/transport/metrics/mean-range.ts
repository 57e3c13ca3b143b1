/**
 * Mean range: the mean depth at which protons stop. Those that are lost on the way to nuclear reactions or through
 * the borders thus do not count.
 */
import type { Moments } from '../../../../contract/run.ts';

/** Stopping begins no earlier than this share of R80, whatever the straggling. */
const TRACK_END = 0.9;
/**
 * With more than this share of the stopping protons still at the last plane, the beam leaves before it ends; so does a
 * tilted one through the sides.
 */
const MOST_LEFT = 0.01;
/**
 * Along a tilted axis the last steps are of many lengths. Where stopping depths scatter by less than this, in planes,
 * what is known of them is no longer enough: the count is off by up to three hundredths of a plane.
 */
const LEAST_SPREAD = 1;

/** Numbers of stopped, lost and escaped protons, and the excess path of the last step. */
export interface TrackEnd {
  /** Protons that stopped. */
  readonly stopped: number;
  /** By which the path along the axis is scored longer than it is: the last step counts whole. */
  readonly excess_mm: number;
  /** Protons lost behind a depth (mm) to reactions and through borders: they cross its plane, and do not stop. */
  readonly lostBehind: (depth_mm: number) => number;
  /** Protons that left through the sides. */
  readonly aside: number;
}

/**
 * Along the beam axis from the entrance; null where the beam leaves before it stops; or where the axis is so far from
 * +z that the number crossing planes of z no longer measures range along it. Nor does it where a side takes a part of a
 * tilted beam: those that scattered away from it are left, and come deeper in z than along the axis. Nor do planes that
 * are too far apart for it.
 */
export function meanRange(
  moments: Moments,
  beam: { readonly z_mm: number; readonly angle_rad: number },
  { nz, dz_mm }: { readonly nz: number; readonly dz_mm: number },
  { stopped, excess_mm, lostBehind, aside }: TrackEnd,
  r80_mm: number | null,
): number | null {
  const cosine = Math.cos(beam.angle_rad);
  if (r80_mm === null || !(stopped > 0) || cosine < Math.cos(Math.PI / 3)) return null;
  if (beam.angle_rad !== 0 && aside > MOST_LEFT * stopped) return null;
  const { depth_mm, protons } = moments;
  const along = (z: number): number => (z - beam.z_mm) / cosine;
  const from = depth_mm.findIndex((z) => along(z) >= TRACK_END * r80_mm);
  // Moments end with the last plane that protons reach.
  const leaves = (depth_mm.at(-1) ?? 0) > (nz - 1) * dz_mm && (protons.at(-1) ?? 0) > MOST_LEFT * stopped;
  if (from < 0 || leaves) return null;
  // Planes that protons pass, in the mean, and squared.
  let [passed, squared] = [0, 0];
  for (let i = from; i < protons.length; i += 1) {
    const share = ((protons[i] ?? 0) - lostBehind(depth_mm[i] ?? 0)) / stopped;
    const pass = Math.min(Math.max(share, 0), 1);
    passed += pass;
    squared += (2 * (i - from) + 1) * pass;
  }
  if (beam.angle_rad !== 0 && squared - passed ** 2 < LEAST_SPREAD ** 2) return null;
  return along((depth_mm[from] ?? 0) - dz_mm / 2) + passed * (dz_mm / cosine) - excess_mm;
}
