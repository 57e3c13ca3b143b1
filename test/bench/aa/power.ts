/**
 * `npm run bench -- power`: sessions of a sum of squares against the same sum with extra work of 0, 1, 3 and 10 %. The
 * extra work is real: the first elements are added up again. Each session is a process of the command line. 3 % is
 * measured a second time with one core busy, if possible outside of the lane. `--keep` saves after every session, and
 * continues from that file when started again. `--cores 2,3` runs on these cores only; if given several times, one
 * session runs on each set of cores at once.
 *
 * Needs Node, dist and assets, and no package.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parsePositiveInteger } from '../../../electron/build/bench/command-line.mjs';
import type { RecordedPower } from '../../../electron/build/figures/rates.ts';
import { readUnfinished, saveRecording } from '../recorded.ts';
import {
  BusyProcesses,
  type Lane,
  laneOfOtherCores,
  lanesOf,
  runMissingSessions,
  runSession,
  sumWithMore,
  type Verdict,
} from './session.ts';

const root = path.resolve(import.meta.dirname, '../../..');

type Series = RecordedPower['series'][number];

const { values } = parseArgs({
  options: {
    keep: { type: 'boolean', default: false },
    anew: { type: 'boolean', default: false },
    sessions: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '30' },
    n: { type: 'string', default: '100000' },
    cores: { type: 'string', multiple: true, default: [] },
  },
});

const [wantedSessions, seconds, n] = [
  parsePositiveInteger('sessions', values.sessions),
  parsePositiveInteger('seconds', values.seconds),
  parsePositiveInteger('n', values.n),
];
const lanes = lanesOf(values.cores);

/**
 * Required shares of sessions. With a difference: sessions that find it. Without: "same" verdicts and false verdicts.
 */
const targetShares = [
  { slower: 0, busy_cores: 0, least: { same: 0.7 }, most: { false: 0.05 } },
  { slower: 0.01, busy_cores: 0, least: { slower: 0.8 } },
  { slower: 0.03, busy_cores: 0, least: { slower: 0.95 } },
  { slower: 0.1, busy_cores: 0, least: { slower: 1 } },
  { slower: 0.03, busy_cores: 1, least: { slower: 0.6 } },
] as const;

const machine = cpus()[0]?.model.trim() ?? 'not known';
const isComplete = ({ series }: RecordedPower): boolean =>
  targetShares.every(({ slower, busy_cores }) => sessionsIn(series, slower, busy_cores).length >= wantedSessions);
const sessionsIn = (all: readonly Series[], slower: number, busy_cores: number): readonly Verdict[] =>
  all.find((one) => one.slower === slower && one.busy_cores === busy_cores)?.sessions ?? [];
const before =
  values.keep && !values.anew ? readUnfinished<RecordedPower>('power', { machine, seconds, n }, isComplete) : null;
const series: readonly Series[] = targetShares.map(({ slower, busy_cores }) => ({
  ...{ slower, busy_cores },
  sessions: [...sessionsIn(before?.series ?? [], slower, busy_cores)],
}));
const commits = new Set(before?.commits ?? []);

const began = performance.now();
function saveSessions(): void {
  if (!values.keep) return;
  saveRecording('power', {
    measured: new Date().toISOString(),
    ...{ machine, cores: availableParallelism(), lanes: values.cores, seconds, n, commits: [...commits] },
    took_s: (before?.took_s ?? 0) + (performance.now() - began) / 1000,
    series,
  });
}

const nameOf = (slower: number): string => `slower-${slower * 100}`;

/** Writes the problem, the sum and its slower versions to an empty folder. */
function writeKernels(folder: string): void {
  const environment = { ...process.env, BRAGGBENCH_HOME: path.join(folder, 'home-0') };
  const cli = path.join(root, 'dist/host/cli.js');
  execFileSync(process.execPath, [cli, 'new-kernel', 'reduction', 'sum.cpp'], { cwd: folder, env: environment });
  writeFileSync(path.join(folder, 'sum', 'sum.cpp'), sumWithMore(0));
  for (const slower of new Set(targetShares.map((one) => one.slower))) {
    writeFileSync(path.join(folder, 'sum', `${nameOf(slower)}.cpp`), sumWithMore(slower));
  }
}

async function compareSums(folder: string, slower: number, time: number, seed: number, lane: Lane): Promise<Verdict> {
  const words = [
    ...['bench', 'sum', '--variants', `sum/sum.cpp,sum/${nameOf(slower)}.cpp`, '--trust', '--json'],
    ...['--processes', '0', '--time', String(time), '--seed', String(seed), '--set', `problem.n=${n}`],
  ];
  const { told, commit } = await runSession(folder, lane, words);
  commits.add(commit);
  return told;
}

const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-power-'));
const load = new BusyProcesses();
try {
  writeKernels(folder);
  for (const { slower, busy_cores, sessions } of series) {
    if (sessions.length >= wantedSessions) continue;
    // Run one session per lane before the counted ones, to compile the kernels.
    for (const lane of lanes) await compareSums(folder, slower, 1, 1, lane);
    // Keep the other cores busy too, because the system would otherwise move work to them.
    for (const lane of lanes) load.begin(busy_cores, laneOfOtherCores(lane));
    const take = async (i: number, lane: Lane): Promise<Verdict> => {
      const told = await compareSums(folder, slower, seconds, i + 1, lane);
      const { verdict, ratio, interval, rounds } = told;
      const between = interval === null ? 'no interval' : `${interval.low.toFixed(4)} to ${interval.high.toFixed(4)}`;
      const where = lane.cores === null ? '' : `, cores ${lane.cores}`;
      console.log(
        `${100 * slower} % slower, ${busy_cores} cores busy${where}, ${i + 1}: ${verdict} ${ratio.toFixed(4)} (${between}), ${rounds} rounds`,
      );
      return told;
    };
    await runMissingSessions([{ sessions, take }], wantedSessions, { lanes, save: saveSessions });
    load.end();
  }
} finally {
  load.end();
  rmSync(folder, { recursive: true, force: true });
}

for (const [i, { slower, busy_cores, sessions: all }] of series.entries()) {
  const share = (of: (verdict: string) => boolean): number =>
    all.filter(({ verdict }) => of(verdict)).length / all.length;
  const shares = {
    slower: share((verdict) => verdict === 'slower'),
    same: share((verdict) => verdict === 'same'),
    false:
      slower === 0
        ? share((verdict) => verdict === 'slower' || verdict === 'faster')
        : share((one) => one === 'faster'),
  };
  const { least, ...rest } = targetShares[i] ?? { least: {} };
  const misses = [
    ...Object.entries(least).filter(([name, value]) => shares[name as keyof typeof shares] < value),
    ...Object.entries('most' in rest ? rest.most : {}).filter(
      ([name, value]) => shares[name as keyof typeof shares] > value,
    ),
  ];
  const percent = (value: number): string => `${(100 * value).toFixed(0)} %`;
  console.log(
    `${100 * slower} % slower, ${busy_cores} cores busy: slower in ${percent(shares.slower)}, same in ${percent(shares.same)}, false in ${percent(shares.false)} of ${all.length}${misses.length === 0 ? '' : `; MISSED ${misses.map(([name, value]) => `${name} ${percent(Number(value))}`).join(', ')}`}`,
  );
  if (misses.length > 0) process.exitCode = 1;
}
if (values.keep) console.log('Saved as assets/rates/power.json');
