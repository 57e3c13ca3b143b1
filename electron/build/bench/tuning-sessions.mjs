/**
 * Sessions of `npm run bench -- tuning`: a variant, a built-in scenario, and a fraction of the search time. They are
 * repeated on every GPU generation to see where the winners remain fastest. Variants with slow compilers get more
 * minutes; `depth` uses kernels that were compiled for `window`.
 */

/** @typedef {Readonly<{ name: string, scenario: string, variant: string, minutes: number, stepping?: string }>} TuningSession */

/** @type {readonly TuningSession[]} */
export const TUNING_SESSIONS = [
  { name: 'window', scenario: 'water-70MeV', variant: 'cuda-window', minutes: 1 },
  { name: 'depth', scenario: 'water-70MeV', variant: 'cuda-depth', minutes: 0.65, stepping: 'depth' },
  { name: 'fused', scenario: 'uniform-grid-70MeV', variant: 'cuda-fused', minutes: 0.85 },
  { name: 'gather', scenario: 'uniform-grid-70MeV', variant: 'cuda-gather', minutes: 0.5 },
  { name: 'tiled', scenario: 'uniform-grid-70MeV', variant: 'cuda-tiled', minutes: 0.4 },
  { name: 'image', scenario: 'diffraction/simple-cubic-1024', variant: 'diffraction-cuda-mixed', minutes: 0.25 },
  { name: 'layer', scenario: 'linear-relu/layer-1024', variant: 'cuda-blocked', minutes: 0.25 },
  { name: 'stencil-2d', scenario: 'micro/stencil-2d', variant: 'cuda-window', minutes: 0.2 },
  { name: 'stencil-1d', scenario: 'micro/stencil-1d', variant: 'cuda-window', minutes: 0.15 },
  { name: 'reduction', scenario: 'micro/reduction', variant: 'cuda-grid-stride', minutes: 0.1 },
  { name: 'transpose', scenario: 'micro/transpose', variant: 'cuda-padded', minutes: 0.1 },
  { name: 'gemm', scenario: 'micro/gemm-small', variant: 'cpu-blocks', minutes: 0.2 },
];

/**
 * Duration of the session that compares the best constants, s. First runs and the set-up of the scenario need another
 * OVERHEAD_SECONDS.
 */
const BEST_SECONDS = 8;
const OVERHEAD_SECONDS = 12;
/** Shortest duration of a search, s. */
const MIN_SECONDS = 6;
/** If less time than this is left, in seconds, no further session starts. */
export const TOO_LITTLE_S = 25;

/**
 * Default duration of all sessions together, minutes.
 * @param {readonly TuningSession[]} sessions
 */
export const defaultMinutes = (sessions) =>
  sessions.reduce((sum, { minutes }) => sum + minutes + (BEST_SECONDS + OVERHEAD_SECONDS) / 60, 0);

/**
 * Search time for the first of the remaining sessions, s: its fraction of the time left, after subtracting the time for
 * the comparisons that follow each search.
 * @param {number} left_s
 * @param {readonly TuningSession[]} sessions
 */
export function searchSeconds(left_s, sessions) {
  const whole = sessions.reduce((sum, { minutes }) => sum + minutes, 0);
  const all_s = left_s - sessions.length * (BEST_SECONDS + OVERHEAD_SECONDS);
  return Math.max(MIN_SECONDS, (all_s * (sessions[0]?.minutes ?? 0)) / whole);
}

/**
 * Scenario of a session: the built-in one, with the stepping that the variant requires.
 * @param {TuningSession} session
 * @param {any} scenario
 */
export const tunedScenario = ({ stepping }, scenario) =>
  stepping === undefined ? scenario : { ...scenario, solver: { ...scenario.solver, stepping } };

/**
 * Study file of a session, which is saved with its results.
 * @param {TuningSession} session
 * @param {string} scenarioFile
 * @param {Readonly<{ search_s: number, also: readonly string[] }>} how
 */
export function tuningStudy({ name, variant }, scenarioFile, { search_s, also }) {
  return {
    kind: 'study',
    version: 1,
    name,
    seed: 1,
    base: [{ file: scenarioFile }],
    axes: [{ kind: 'tunables', variants: [variant] }],
    search: { strategy: 'local', rounds: 5, seconds: 1, best: 5, best_seconds: BEST_SECONDS, also },
    budget: { minutes: Math.max(0.01, search_s / 60) },
  };
}
