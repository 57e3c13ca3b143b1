/** Documents for every workload with checkpoints. A host that is then killed edits and computes them. */
import { smallScenario } from '../../small-run.ts';
import { smallImage } from '../../workloads/small-image.ts';

/** A run of several seconds on any machine, on a fine grid. */
export const slowScenario = {
  kind: 'transport',
  version: 2,
  name: 'slow run',
  beam: { energy_MeV: 30 },
  physics: { nuclear: 'off' },
  geometry: { width_mm: 12, depth_mm: 11 },
  grid: { dx_mm: 0.5, dz_mm: 0.125, dtheta_mrad: 20, theta_max_mrad: 400, energy: { kind: 'uniform', step_MeV: 0.35 } },
  solver: { step_mm: 0.125, variant: 'reference', precision: 'fp64', threads: 1 },
  output: { keyframes: 12 },
} as const;

/** An image of many seconds: 400 mosaic domains for every pixel. */
export const slowImage = {
  ...smallImage,
  name: 'slow image',
  crystal: { ...smallImage.crystal, mosaic_spread_deg: 1, mosaic_domains: 400 },
  detector: { width: 512, height: 512 },
  solver: { threads: 1, variant: 'diffraction-reference' },
} as const;

const smallTask = {
  ...{ kind: 'linear-relu', version: 1, name: 'Layer' },
  problem: { batch: 8, inputs: 8, outputs: 8 },
} as const;

/**
 * A measurement of many seconds: rounds continue until the time limit, or until more rounds would not change the
 * result. Each round is short, so that the limit is far away after the first one, even on busy cores.
 */
export const slowTask = {
  kind: 'linear-relu',
  version: 1,
  name: 'slow measurement',
  problem: { batch: 64, inputs: 256, outputs: 256 },
  solver: { threads: 1, variant: 'cpu-blocked' },
} as const;

/** A saved scenario, an edit of it, and the scenario that is running when the host is killed. */
export const transportWork = [smallScenario, { beam: { energy_MeV: 31 } }, slowScenario] as const;
export const taskWork = [smallTask, { problem: { batch: 9, inputs: 8, outputs: 8 } }, slowTask] as const;
export const imageWork = [smallImage, { beam: { wavelength_A: 5.5 } }, slowImage] as const;
