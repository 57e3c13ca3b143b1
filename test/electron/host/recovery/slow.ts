/** What is edited and what computes in a host that is killed, of the workloads whose runs are kept against a crash. */
import { smallScenario } from '../small-run.ts';
import { smallImage } from '../workloads/small-image.ts';

/** A run of several seconds on any machine: the oracle on a finer grid. */
export const slowScenario = {
  kind: 'transport',
  version: 1,
  name: 'slow run',
  beam: { energy_MeV: 30 },
  geometry: { width_mm: 12, depth_mm: 11 },
  grid: { dx_mm: 0.5, dz_mm: 0.125, dtheta_mrad: 20, theta_max_mrad: 400, energy: { kind: 'range', step_mm: 0.125 } },
  solver: { step_mm: 0.125, variant: 'reference', precision: 'fp64' },
  output: { keyframes: 12 },
} as const;

/** An image of many seconds: 400 blocks of mosaic for every pixel. */
export const slowImage = {
  ...smallImage,
  name: 'slow image',
  crystal: { ...smallImage.crystal, mosaic_spread_deg: 1, mosaic_domains: 400 },
  detector: { width: 512, height: 512 },
  solver: { threads: 1, variant: 'diffraction-reference' },
} as const;

/** A saved scenario, an edit of it, and what computes when the host is killed. */
export const transportWork = [smallScenario, { beam: { energy_MeV: 31 } }, slowScenario] as const;
export const imageWork = [smallImage, { beam: { wavelength_A: 5.5 } }, slowImage] as const;
