/** The sessions of the table of claims: each scenario once, and the sweeps that show where a claim holds. */
import { globSync } from 'node:fs';
import path from 'node:path';
import { root } from '../setup/root.mjs';

// A prepared state serves three rounds, and three states are the fewest that claim anything. What is recorded has twenty
// rounds and more, a point of a sweep ten, where the time allows.
const ALL = ['--rounds', '21', '--time', '25'];
const EACH = ['--rounds', '12', '--time', '15'];
/** Benchmarks whose rounds or preparation are so slow that the usual time ends before the third prepared state. */
const SLOW = [
  ...['compaction', 'elementwise', 'gemm', 'host-loop', 'latency-dram', 'launch', 'launch-small'],
  ...['launch-ten-thousand', 'reduction'],
];
const SLOW_SWEEPS = ['concurrent-kernels', 'grid-stride'];
const LONGER = ['--rounds', '21', '--time', '70'];

/**
 * Variants of scenarios whose problem is too large for some: the CPU takes minutes for this product.
 * @type {Readonly<Record<string, string>>}
 */
const SOME = {
  gemm: 'cuda-fp32,cuda-tf32,cuda-bf16,cuda-fp16,cublas-fp32,cublas-tf32,cublas-bf16,cublas-fp16',
};

/**
 * @param {string} name
 * @param {string} scenario
 * @param {string} variants
 * @param {string} swept with its values
 * @param {readonly string[]} set what else differs from the scenario
 */
const sweep = (name, scenario, variants, swept, ...set) => ({
  file: `micro/sweep-${name}.json`,
  words: ['bench', scenario, '--variants', variants, '--sweep', `problem.${swept}`].concat(
    set.flatMap((value) => ['--set', `problem.${value}`]),
    SLOW_SWEEPS.includes(name) ? ['--rounds', '12', '--time', '45'] : EACH,
  ),
});

const SWEEPS = [
  sweep('coalescing-stride', 'coalescing', 'cuda-direct,cuda-staged,cuda-packed', 'stride=1,2,4,8,16,32'),
  sweep('coalescing-stride-16', 'coalescing', 'cuda-direct,cuda-packed', 'stride=1,2,4,8,16,32', 'element_bytes=16'),
  sweep('coalescing-offset', 'coalescing', 'cuda-direct', 'offset=0,1,4,8,16,31', 'stride=1'),
  sweep(
    'latency',
    'latency',
    'cuda-global,cuda-l2,cuda-shared',
    'footprint_bytes=4096,32768,131072,262144,1048576,8388608,33554432,134217728,1000000000',
    'hops=500000',
  ),
  sweep('host-loop', 'host-loop', 'cuda-row-launches,cuda-batched', 'rows=1,10,100,1000,10000'),
  sweep('launch', 'launch', 'cuda-launches,cuda-graph,cuda-fused', 'n=100,10000,1000000,10000000'),
  sweep(
    'stencil-1d',
    'stencil-1d',
    'cuda-naive,cuda-constant,cuda-shared,cuda-async,cuda-window',
    'radius=1,2,4,8,16,32',
  ),
  sweep('stencil-2d', 'stencil-2d', 'cuda-naive,cuda-constant,cuda-shared,cuda-window', 'radius=1,4,8,16'),
  sweep('bank-conflicts', 'bank-conflicts', 'cuda-strided,cuda-padded', 'stride=1,2,3,4,8,16,32'),
  sweep(
    'histogram',
    'histogram',
    'cuda-global,cuda-warp,cuda-shared,cuda-sorted',
    'bins=1,16,256,4096,1000000',
    'distribution=uniform',
  ),
  sweep('contention-addresses', 'contention', 'cuda-add,cuda-warp,cuda-own', 'addresses=1,8,64,4096', 'writers=65536'),
  sweep('contention', 'contention', 'cuda-add,cuda-cas,cuda-warp', 'writers=64,256,1024,4096'),
  sweep('contention-many', 'contention', 'cuda-add,cuda-warp,cuda-own', 'writers=4096,16384,65536,262144'),
  sweep('early-exit', 'early-exit', 'cuda-whole,cuda-any,cuda-all,cuda-thread', 'place=0,0.1,0.5,0.9,1'),
  sweep('load-width', 'coalescing', 'cuda-direct', 'element_bytes=4,8,16', 'stride=1'),
  sweep('fma', 'fma', 'cuda-separate,cuda-fused', 'degree=4,32,128,512'),
  sweep('divergence', 'divergence', 'cuda-branch,cuda-sorted', 'work=8,64,512'),
  sweep(
    'gemm',
    'gemm',
    'cublas-fp32,cublas-tf32,cublas-bf16,cuda-fp32,cuda-tf32',
    'k=256,1024,4096',
    'm=1024',
    'n=1024',
  ),
  sweep('overlap', 'overlap', 'cuda-one,cuda-streams', 'streams=1,2,4,8'),
  sweep(
    'concurrent-kernels',
    'concurrent-kernels',
    'cuda-one,cuda-streams,cuda-one-kernel',
    'blocks=16,66,132,528,1056,2112',
  ),
  sweep(
    'image-series',
    'image-series',
    'cuda-one,cuda-queued,cuda-graph-anew,cuda-graph-kept,cuda-batch',
    'images=1,10,100',
    'pixels=128',
  ),
  sweep('image-series-pixels', 'image-series', 'cuda-one,cuda-queued,cuda-batch', 'pixels=64,256,1024', 'images=10'),
  sweep('refinement', 'refinement', 'cuda-one,cuda-batch,cuda-sums,cuda-graph', 'pixels=64,256,1024'),
  sweep(
    'scattering',
    'scattering',
    'cuda-direct,cuda-fft,cuda-tf32,cuda-bf16,cuda-3xtf32',
    'angles=32,64,128,256,512,1024',
    'cells=16384',
  ),
  sweep('spgemm', 'spgemm', 'cusparse,cusparse-kept', 'rows=1000,10000,100000'),
  sweep(
    'changing-pattern',
    'changing-pattern',
    'cuda-host,cuda-csr,cuda-list,cuda-kept',
    'rows=1000,10000,100000,1000000',
  ),
  sweep('beside-library', 'beside-library', 'cuda-one,cuda-two,cuda-kernel-first', 'size=256,512,1024,2048'),
  sweep('elementwise', 'elementwise', 'cuda-unfused,cuda-fused,cuda-16', 'n=1000,100000,1000000,10000000,100000000'),
  sweep('grid-stride', 'grid-stride', 'cuda-one-each,cuda-grid-stride', 'blocks_per_sm=1,2,4,8,16,32'),
  sweep('few-threads', 'few-threads', 'cuda-1,cuda-8', 'threads=1,32,1024,16384,100000', 'n=100000'),
  sweep('fp64', 'fp64', 'cuda-fp64,cuda-fp32,cuda-double-float', 'degree=4,32,512'),
  sweep('launch-three', 'launch-three', 'cuda-launches,cuda-fused', 'n=100,10000,1000000,10000000'),
  sweep('launch-ten-thousand', 'launch-ten-thousand', 'cuda-synchronised,cuda-launches', 'n=100,1000,10000,100000'),
  sweep('graphs', 'graphs', 'cuda-stream,cuda-graph', 'n=100,1000,10000,1000000'),
  sweep('layout', 'layout', 'cuda-aos,cuda-aosoa,cuda-soa', 'n=10000,100000,1000000,4000000,16000000'),
  sweep('coalescing-random', 'coalescing-random', 'cuda-direct,cuda-packed', 'n=16384,262144,4000000,16000000'),
  sweep(
    'transpose',
    'transpose',
    'cuda-strided-writes,cuda-shared,cuda-padded,cuda-swizzled',
    'rows+problem.columns=256,1024,2048,4096',
  ),
  // 64 kB to 256 MB: from what one L1 holds to what no cache does.
  sweep('bandwidth', 'bandwidth', 'cuda-16,cuda-l2,cuda-shared', 'n=16384,131072,1048576,8388608,67108864'),
  sweep(
    'reduction',
    'reduction',
    'cuda-atomics,cuda-warp-atomics,cuda-sequential,cuda-shuffle',
    'n=10000,100000,1000000,16000000',
  ),
  sweep('scan', 'scan', 'cuda-shared,cuda-shuffle', 'n=10000,100000,1000000,16000000'),
  sweep('compaction', 'compaction', 'cuda-atomics,cuda-ballot,cuda-block', 'kept=0.01,0.1,0.5,0.9'),
  sweep('unrolling', 'unrolling', 'cuda-compiled,cuda-4,cuda-8', 'terms=16,64,256,1024'),
  sweep('spmv', 'spmv', 'cusparse,cuda-dia,cuda-csc,cusparse-csc,cuda-csr-scalar', 'rows=10000,100000,1000000,4000000'),
  sweep('spmv-power-law', 'spmv-power-law', 'cuda-csr-scalar,cusparse', 'rows=10000,100000,1000000'),
  sweep('timing', 'timing', 'cuda-first-call,cuda-no-sync,cuda-sync', 'n=1000,100000,1000000,16000000'),
  sweep('block-size', 'block-size', 'cuda-32,cuda-64,cuda-128,cuda-256,cuda-512,cuda-1024', 'n=10000,1000000,16000000'),
];

/** Rows that other programs solve too: interleaved with ours. Which are installed, the session says. */
const PROGRAMS = 'cupy,cupy-kernels,cupy-expert,cupy-ours,numba,torch-eager,torch-compile';
const BESIDE = {
  elementwise: PROGRAMS,
  launch: `${PROGRAMS},cupy-jit,cupy-graph`,
  // The notes speak of launches at n = 1000.
  'launch-small': `${PROGRAMS},cupy-jit,cupy-graph`,
  'launch-three': 'cupy,cupy-kernels,cupy-expert,cupy-jit',
  reduction: PROGRAMS,
  'host-loop': 'cupy,cupy-expert,cupy-ours,cupy-slices,numba,torch-eager,torch-compile',
  // The notes count the launches of a deep-learning framework.
  'launch-ten-thousand': 'torch-eager',
  gemm: 'cupy,torch-eager,torch-eager-tf32',
};

/** Claims about concurrent work: the recorded trace of one sample shows the overlap on the timeline. */
const TRACED = ['overlap', 'concurrent-kernels'];

/** @param {string} name */
function session(name) {
  const some = SOME[name];
  const beside = Object.entries(BESIDE).find(([row]) => row === name);
  return {
    file: `micro/${name}.json`,
    words: [
      'bench',
      name,
      ...(some === undefined ? [] : ['--variants', some]),
      ...(SLOW.includes(name) ? LONGER : ALL),
    ].concat(TRACED.includes(name) ? ['--trace'] : [], beside === undefined ? [] : ['--external', beside[1]]),
  };
}

const scenarios = globSync('assets/scenarios/micro/*.json', { cwd: root })
  .map((file) => path.basename(file, '.json'))
  .sort();

export const MICRO_SESSIONS = [...scenarios.map(session), ...SWEEPS];
