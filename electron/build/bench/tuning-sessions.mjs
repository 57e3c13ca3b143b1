/**
 * What `npm run bench:tuning` tunes: a variant, on a shipped scenario, for how long at most. A session of each on every
 * generation of GPUs says which winners hold there.
 */

export const TUNING_SESSIONS = [
  { name: 'gather', scenario: 'uniform-grid-70MeV', variant: 'cuda-gather', minutes: 1.2 },
  { name: 'tiled', scenario: 'uniform-grid-70MeV', variant: 'cuda-tiled', minutes: 1 },
  { name: 'fused', scenario: 'uniform-grid-70MeV', variant: 'cuda-fused', minutes: 1 },
  { name: 'window', scenario: 'water-70MeV', variant: 'cuda-window', minutes: 1 },
  { name: 'depth', scenario: 'water-70MeV', variant: 'cuda-depth', minutes: 0.8 },
  { name: 'image', scenario: 'diffraction/simple-cubic-1024', variant: 'diffraction-cuda-mixed', minutes: 0.8 },
  { name: 'layer', scenario: 'linear-relu/layer-1024', variant: 'cuda-blocked', minutes: 0.8 },
  { name: 'reduction', scenario: 'micro/reduction', variant: 'cuda-grid-stride', minutes: 0.4 },
  { name: 'stencil-1d', scenario: 'micro/stencil-1d', variant: 'cuda-window', minutes: 0.6 },
  { name: 'stencil-2d', scenario: 'micro/stencil-2d', variant: 'cuda-window', minutes: 0.8 },
  { name: 'transpose', scenario: 'micro/transpose', variant: 'cuda-padded', minutes: 0.4 },
  { name: 'gemm', scenario: 'micro/gemm-small', variant: 'cpu-blocks', minutes: 0.6 },
];

/**
 * The study of a session, as a file beside its results.
 * @param {(typeof TUNING_SESSIONS)[number]} session
 * @param {string} scenarioFile
 */
export function tuningStudy({ name, variant, minutes }, scenarioFile) {
  return {
    kind: 'study',
    version: 1,
    name,
    seed: 1,
    base: [{ file: scenarioFile }],
    axes: [{ kind: 'tunables', variants: [variant] }],
    search: { strategy: 'local', rounds: 5, seconds: 1, best: 5, best_seconds: 8 },
    budget: { minutes },
  };
}
