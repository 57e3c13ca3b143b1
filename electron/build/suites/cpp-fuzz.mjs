/**
 * Runs libFuzzer on the parsers in C++. Each parser has a small program, built from its sources and a file in
 * test/fuzz/cpp.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { capture, lastLines, runInTerminal } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure } from '../setup/say.mjs';

const OUT = 'dist/fuzz';

/** Compilers to try, newest first. A plain `clang++` may lack libFuzzer. */
const COMPILERS = ['clang++-21', 'clang++-20', 'clang++-19', 'clang++-18', 'clang++-17', 'clang++'];

const CEILINGS = `braggbench ceilings 1
copy_bytes_per_s 4.1e12
fp32_flops_per_s 6e13
fp64_flops_per_s 3e13
launch_interval_s 2e-6
launch_round_trip_s 8e-6
graph_node_s 1e-6
graph_round_trip_s 7e-6
sm_MHz 1980
copy_by kernel
throttled 0
`;

/**
 * First row of each kind in a table, as a valid input.
 * @param {string} file path from the root
 */
function firstRows(file) {
  const rows = new Map();
  for (const row of readFileSync(inRoot(file), 'utf8').split('\n')) {
    const kind = row.split(',')[0];
    if (!row.startsWith('#') && !rows.has(kind)) rows.set(kind, row);
  }
  return [...rows.values()].join('\n');
}

/**
 * Parsers to test. `sources`: paths relative to the root; `seed`: valid text with which fuzzing starts.
 * @type {readonly Readonly<{ name: string, sources: readonly string[], seed: string }>[]}
 */
const fuzzTargets = [
  {
    name: 'json',
    sources: ['native/reproduce/value.cpp'],
    seed: '{"kind":"x","a":[1,-2.5e3,0],"b":[null,true,"t\\\\u00e9\\\\n"],"c":{"d":[[1],[2]]}}',
  },
  {
    name: 'nuclear',
    sources: ['kernels/physics/icru63.cpp'],
    // Use one row of each kind, because parsing complete tables is slow with sanitizers.
    seed: firstRows('assets/nuclear/oxygen.csv'),
  },
  {
    name: 'ceilings',
    sources: ['native/cuda/timing/ceilings_cache.cpp', 'native/cuda/compile/files.cpp'],
    seed: CEILINGS,
  },
];

const FLAGS = [
  ...['-std=c++20', '-O1', '-g', '-fno-omit-frame-pointer', '-ffp-contract=off'],
  '-fsanitize=fuzzer,address,undefined,float-cast-overflow',
  '-fno-sanitize-recover=all',
  ...['-Inative', '-Ikernels'],
];

/** @returns {Promise<string>} */
async function compiler() {
  for (const name of COMPILERS) {
    const { code, output } = await capture(name, ['-print-resource-dir']);
    if (code !== 0) continue;
    const libraries = path.join(output.trim(), 'lib');
    if (!existsSync(libraries)) continue;
    const files = readdirSync(libraries, { recursive: true, encoding: 'utf8' });
    if (files.some((file) => path.basename(file).startsWith('libclang_rt.fuzzer'))) return name;
  }
  throw new Failure('Fuzzing C++ needs Clang with libFuzzer; on Debian 12: apt install clang libclang-rt-14-dev');
}

/**
 * Runs all fuzzers. The returned exit code is not 0 if an input failed.
 * @param {number} seconds
 */
export async function cppFuzz(seconds) {
  if (!(seconds > 0)) throw new Failure('npm run fuzz -- cpp SECONDS: SECONDS has to be above 0');
  const clang = await compiler();
  mkdirSync(inRoot(OUT), { recursive: true });
  let worst = 0;
  for (const { name, sources, seed } of fuzzTargets) {
    const program = `${OUT}/${name}`;
    const all = [...FLAGS, ...sources, `test/fuzz/cpp/${name}.cpp`, '-o', program];
    const { code, output } = await capture(clang, all, { cwd: inRoot('.') });
    if (code !== 0) throw new Failure(`${lastLines(output, 40)}\nThe fuzzer of ${name} could not be compiled (above).`);
    const [found, given] = [`${OUT}/${name}-corpus`, `${OUT}/${name}-seeds`];
    for (const folder of [found, given]) mkdirSync(inRoot(folder), { recursive: true });
    writeFileSync(inRoot(given, 'seed'), seed);
    const each = Math.max(1, Math.round(seconds / fuzzTargets.length));
    console.log(`Fuzzing ${name} for ${each} s …`);
    const limits = [`-max_total_time=${each}`, '-timeout=10', '-rss_limit_mb=2048', '-max_len=65536'];
    const quiet = ['-print_final_stats=1', '-verbosity=0', `-artifact_prefix=${OUT}/${name}-`];
    worst = Math.max(worst, await runInTerminal(inRoot(program), [...limits, ...quiet, found, given]));
  }
  return worst;
}
