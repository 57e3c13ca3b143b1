/**
 * `npm run bench -- gate`: a repository of two commits, one with the unchanged sum, one with 5 % of real extra work.
 * Each gate is a process of the command line, as a build server starts it. `--keep` saves after every gate, and
 * continues from that file when started again; `--anew` starts over. `--cores 2,3` runs on these cores only; if given
 * several times, one gate runs on each set of cores at once, in a repository of its own. Prints the rates that miss
 * their limits and exits with code 1 if there are any.
 *
 * Needs Node, dist, assets and git, and no package.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { parsePositiveInteger } from '../../electron/build/bench/command-line.mjs';
import type { RecordedGate, RecordedGates } from '../../electron/build/figures/rates.ts';
import { type Lane, lanesOf, onLane, runMissingSessions, sumWithMore } from './aa/session.ts';
import { readUnfinished, saveRecording } from './recorded.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    keep: { type: 'boolean', default: false },
    anew: { type: 'boolean', default: false },
    repeats: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '60' },
    n: { type: 'string', default: '100000' },
    cores: { type: 'string', multiple: true, default: [] },
  },
});

const [repeats, seconds, n] = [
  parsePositiveInteger('repeats', values.repeats),
  parsePositiveInteger('seconds', values.seconds),
  parsePositiveInteger('n', values.n),
];
const lanes = lanesOf(values.cores);
const EXTRA_WORK = 0.05;
/** Smallest share of the slower sums that gates must find; no unchanged sum may fail. */
const leastFound = 0.9;

const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-gates-'));
const cli = path.join(root, 'dist/host/cli.js');

/** Commits of a lane's repository: the unchanged sum, and the slower one after it. */
const [UNCHANGED, SLOWER] = ['unchanged', 'slower'] as const;

/**
 * Folder of a lane. Lanes need separate folders, because they compile at the same time and check out different code.
 */
const folderOf = ({ index }: Lane): string => path.join(folder, `lane-${index}`);
const environmentOf = ({ index }: Lane) => ({ ...process.env, BRAGGBENCH_HOME: path.join(folder, `home-${index}`) });

function runGit(lane: Lane, ...words: readonly string[]): void {
  const names = ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...names, ...words], { cwd: folderOf(lane), stdio: 'pipe' });
}

interface PrintedGate {
  readonly variants: readonly (Omit<RecordedGate, 'code' | 'ratios'> & {
    readonly sessions: readonly { readonly ratio: RecordedGate['ratios'][number] }[];
  })[];
}

async function measureGate(lane: Lane, baseline: string, seed: number): Promise<Omit<RecordedGate, 'number'>> {
  const words = ['gate', 'sum', '--baseline', baseline, '--trust', '--json', '--seed', String(seed)];
  const limits = ['--time', String(seconds), '--set', `problem.n=${n}`];
  const ended = await promisify(execFile)(...onLane(lane, process.execPath, [cli, ...words, ...limits]), {
    ...{ cwd: folderOf(lane), env: environmentOf(lane), maxBuffer: 2 ** 28 },
  }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    // Code 1 means that the gate failed; any other code is an error.
    (error: {
      readonly code?: unknown;
      readonly stdout: string;
      readonly stderr: string;
      readonly message: string;
    }) => {
      if (error.code !== 1) throw new Error(error.stderr || error.message);
      return { code: 1, stdout: error.stdout };
    },
  );
  const [found] = (JSON.parse(ended.stdout) as PrintedGate).variants;
  if (found === undefined) throw new Error('the gate measured nothing');
  const { verdict, reason, floor, sessions } = found;
  return { code: ended.code, verdict, reason, floor, ratios: sessions.map(({ ratio }) => ratio) };
}

const machine = cpus()[0]?.model ?? 'unknown processor';
const cores = availableParallelism();
const isComplete = ({ series }: RecordedGates): boolean => series.every(({ gates }) => gates.length >= repeats);
const before =
  values.keep && !values.anew
    ? readUnfinished<RecordedGates>('gate', { machine, cores, seconds, n }, isComplete)
    : null;
const series = [0, EXTRA_WORK].map((share) => ({
  slower: share,
  gates: [...(before?.series.find((one) => one.slower === share)?.gates ?? [])],
}));
const done = (): number => series.reduce((sum, { gates }) => sum + gates.length, 0);
if (before !== null) console.log(`${done()} of ${2 * repeats} gates were recorded earlier; continuing.`);
const began = performance.now();
const firstDone = done();
let loads = (before?.load ?? 0) * firstDone;

function saveGates(): void {
  if (!values.keep) return;
  const took_s = (before?.took_s ?? 0) + (performance.now() - began) / 1000;
  saveRecording('gate', {
    measured: new Date().toISOString(),
    machine,
    cores,
    lanes: values.cores,
    load: loads / done(),
    seconds,
    n,
    took_s,
    series,
  });
}

/** Writes the lane's repository. */
function writeRepository(lane: Lane): void {
  const at = folderOf(lane);
  mkdirSync(at);
  execFileSync(process.execPath, [cli, 'new-kernel', 'reduction', 'sum.cpp'], { cwd: at, env: environmentOf(lane) });
  const kernel = path.join(at, 'sum', 'sum.cpp');
  writeFileSync(kernel, sumWithMore(0));
  runGit(lane, 'init', '--quiet');
  runGit(lane, 'add', 'sum');
  runGit(lane, 'commit', '--quiet', '--message', 'Add a sum');
  runGit(lane, 'tag', UNCHANGED);
  // The next commit makes the sum slower, and the previous commit is its baseline.
  writeFileSync(kernel, sumWithMore(EXTRA_WORK));
  runGit(lane, 'commit', '--quiet', '--all', '--message', 'Add up the first elements again');
  runGit(lane, 'tag', SLOWER);
}

async function runGate(share: number, i: number, lane: Lane): Promise<RecordedGate> {
  runGit(lane, 'checkout', '--quiet', share === 0 ? UNCHANGED : SLOWER);
  loads += loadavg()[0] ?? 0;
  // Leave room for three seeds, because a gate has up to three sessions.
  const one = await measureGate(lane, UNCHANGED, 10 * (2 * i + (share === 0 ? 0 : 1)) + 1);
  const where = lane.cores === null ? '' : `, cores ${lane.cores}`;
  console.log(
    `${100 * share} % slower${where}, ${i + 1}: ${one.verdict}${one.reason === null ? '' : ` (${one.reason})`}, ${one.ratios.map(({ value }) => value.toFixed(4)).join(', ')}`,
  );
  return one;
}

try {
  for (const lane of lanes) writeRepository(lane);
  // Slower and unchanged sums alternate, so that an interrupted benchmark has measured both about equally often.
  const all = series.map(({ slower: share, gates }) => ({
    sessions: gates,
    take: (i: number, lane: Lane) => runGate(share, i, lane),
  }));
  await runMissingSessions(all, repeats, { lanes, save: saveGates });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const problems = series.flatMap(({ slower: share, gates }) => {
  const failed = gates.filter(({ code }) => code === 1).length;
  console.log(`${100 * share} % slower: ${failed} of ${gates.length} failed`);
  const least = Math.ceil(leastFound * gates.length);
  if (share === 0) return failed > 0 ? [`${failed} of ${gates.length} gates of unchanged code failed; allowed: 0`] : [];
  return failed < least
    ? [`${failed} of ${gates.length} gates of code that is ${100 * share} % slower failed; allowed: ${least} or more`]
    : [];
});
if (values.keep) console.log('Saved as assets/measured/gate.json. Next: npm run figures -- --only gate');
if (problems.length === 0) console.log('Passed.');
else {
  console.log(`FAILED: ${problems.join('; ')}.`);
  process.exitCode = 1;
}
