/** Proton transport on the command line. */
import { formatBytes } from '../../../contract/units.ts';
import type { Workload } from '../workload.ts';
import { benchTransport } from './bench.ts';
import { compareTransport } from './compare.ts';
import { runTransport } from './run.ts';
import { transportVariants } from './variants.ts';

export const transport: Workload = {
  run: runTransport,
  bench: benchTransport,
  plan: (host, reading) => {
    if (reading.kind !== 'transport' || reading.problem === null) return null;
    const { variant, ne, ntheta, nz, nx, estimate_bytes } = host.addon.createTransport(reading.problem()).plan;
    const state_bytes = Math.ceil(estimate_bytes);
    return {
      document: { variant, grid: { ne, ntheta, nz, nx }, state_bytes },
      takes: `${ne} × ${ntheta} × ${nz} × ${nx} cells, ${formatBytes(state_bytes)} with ${variant}`,
    };
  },
  variants: (addon) => transportVariants(addon.variants()),
  compare: compareTransport,
};
