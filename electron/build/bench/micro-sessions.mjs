/** Sessions for the table of claims: one for each scenario, and sweeps that show for which sizes a claim is true. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot, root } from '../setup/root.mjs';

// Limits of a session. An instance is used for three rounds, and an interval needs at least three instances. Recorded
// sessions have at least twenty rounds, and each value of a sweep ten, if the time suffices.
const SESSION_LIMITS = ['--rounds', '21', '--time', '25'];
const DEFAULT_ROUNDS = ['--rounds', '12'];
const DEFAULT_S = 15;
/** Benchmarks with slow rounds or set-up, which need more time to measure three instances. */
const SLOW_SESSIONS = [
  ...['bandwidth', 'compaction', 'divergence', 'elementwise', 'fma', 'fma-memory', 'fp64', 'gemm', 'host-loop'],
  ...['latency-dram', 'launch', 'launch-small', 'launch-ten-thousand', 'reduction', 'spgemm', 'unrolling'],
];
const LONG_SESSION = ['--rounds', '21', '--time', '150'];

/**
 * Variants to measure if the problem is too large for the others; the CPU would need minutes for this product.
 * @type {Readonly<Record<string, string>>}
 */
const SELECTED_VARIANTS = {
  gemm: 'cuda-fp32,cuda-tf32,cuda-bf16,cuda-fp16,cublas-fp32,cublas-tf32,cublas-bf16,cublas-fp16',
};

/**
 * Creates the session for a sweep that is declared in a file of assets/claims/micro.
 * @param {Readonly<{ name: string, scenario?: string, variants: string, values: string, set?: readonly string[],
 *   time_s?: number }>} declared
 */
const sweepSession = ({ name, scenario = name, variants, values, set = [], time_s = DEFAULT_S }) => ({
  file: `micro/sweep-${name}.json`,
  words: ['bench', scenario, '--variants', variants, '--sweep', `problem.${values}`].concat(
    set.flatMap((value) => ['--set', `problem.${value}`]),
    DEFAULT_ROUNDS,
    ['--time', String(time_s)],
  ),
});

const SWEEPS = globSync('assets/claims/micro/*.json', { cwd: root })
  .sort()
  .flatMap((file) => JSON.parse(readFileSync(inRoot(file), 'utf8')).sweeps ?? [])
  .map(sweepSession);

/**
 * External programs that solve the benchmark, measured in the same rounds as the variants. The session reports which of
 * them are installed.
 */
const PROGRAMS = 'cupy,cupy-kernels,cupy-expert,cupy-ours,numba,torch-eager,torch-compile';
const COMPARED_VARIANTS = {
  elementwise: PROGRAMS,
  launch: `${PROGRAMS},cupy-jit,cupy-graph`,
  // The claims concern launches for n = 1000.
  'launch-small': `${PROGRAMS},cupy-jit,cupy-graph`,
  'launch-three': 'cupy,cupy-kernels,cupy-expert,cupy-jit',
  reduction: PROGRAMS,
  'host-loop': 'cupy,cupy-expert,cupy-ours,cupy-slices,numba,torch-eager,torch-compile',
  // The claims concern the launches of a deep-learning framework.
  'launch-ten-thousand': 'torch-eager',
  gemm: 'cupy,torch-eager,torch-eager-tf32',
};

/**
 * Benchmarks of claims about concurrent work. The trace of one sample is saved, because it shows the overlap on the
 * timeline.
 */
const TRACED_SESSIONS = ['overlap', 'concurrent-kernels'];

/** @param {string} name */
function scenarioSession(name) {
  const some = SELECTED_VARIANTS[name];
  const beside = Object.entries(COMPARED_VARIANTS).find(([row]) => row === name);
  return {
    file: `micro/${name}.json`,
    words: [
      'bench',
      name,
      ...(some === undefined ? [] : ['--variants', some]),
      ...(SLOW_SESSIONS.includes(name) ? LONG_SESSION : SESSION_LIMITS),
    ].concat(TRACED_SESSIONS.includes(name) ? ['--trace'] : [], beside === undefined ? [] : ['--external', beside[1]]),
  };
}

const scenarios = globSync('assets/scenarios/micro/*.json', { cwd: root })
  .map((file) => path.basename(file, '.json'))
  .sort();

export const MICRO_SESSIONS = [...scenarios.map(scenarioSession), ...SWEEPS];
