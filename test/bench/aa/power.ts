/**
 * `npm run bench -- power`: sessions of a sum of squares against the same sum with extra work of 0, 1, 3 and 10 %. The
 * extra work is real: the first elements are added up again. Each session is a process of the command line. With one
 * core busy for others, 3 % is measured once more. `--keep` saves every session.
 *
 * Needs Node, dist and assets, and no package.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { keep } from '../kept.ts';
import { judged, slowerBy, type Verdict } from './session.ts';

const root = path.resolve(import.meta.dirname, '../../..');

interface Series {
  /** Extra work over the whole. */
  readonly slower: number;
  readonly busy_cores: number;
  readonly sessions: Verdict[];
}

export interface KeptPower {
  /** ISO 8601. */
  readonly measured: string;
  readonly machine: string;
  readonly cores: number;
  readonly seconds: number;
  readonly took_s: number;
  readonly series: readonly Series[];
}

const { values } = parseArgs({
  options: {
    keep: { type: 'boolean', default: false },
    sessions: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '30' },
  },
});

/** Throws for anything but a whole number above 0. */
function whole(name: 'sessions' | 'seconds'): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name}: ${JSON.stringify(values[name])} is not a whole number above 0`);
}

const [sessions, seconds] = [whole('sessions'), whole('seconds')];

/** Shares of sessions, as wanted: of a difference that it is found; without one, of "same" and of false verdicts. */
const wanted = [
  { slower: 0, busy_cores: 0, least: { same: 0.7 }, most: { false: 0.05 } },
  { slower: 0.01, busy_cores: 0, least: { slower: 0.8 } },
  { slower: 0.03, busy_cores: 0, least: { slower: 0.95 } },
  { slower: 0.1, busy_cores: 0, least: { slower: 1 } },
  { slower: 0.03, busy_cores: 1, least: { slower: 0.6 } },
] as const;

const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-power-'));
const burners: ChildProcess[] = [];
const endLoad = (): void => {
  for (const one of burners.splice(0)) one.kill('SIGKILL');
};
process.once('exit', endLoad);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const began = performance.now();
const series: Series[] = [];
let machine = 'not known';
try {
  const environment = { ...process.env, BRAGGBENCH_HOME: path.join(folder, 'home') };
  const cli = path.join(root, 'dist/host/cli.js');
  execFileSync(process.execPath, [cli, 'new-kernel', 'reduction', 'sum.cpp'], { cwd: folder, env: environment });
  const source = readFileSync(path.join(folder, 'sum.cpp'), 'utf8');
  const description = JSON.parse(readFileSync(path.join(folder, 'sum.json'), 'utf8')) as Record<string, unknown>;
  const nameOf = (slower: number): string => `slower-${slower * 100}`;
  for (const slower of new Set(wanted.map((one) => one.slower))) {
    const text = slower === 0 ? source : slowerBy(slower, source);
    writeFileSync(path.join(folder, `${nameOf(slower)}.cpp`), text);
    writeFileSync(
      path.join(folder, `${nameOf(slower)}.json`),
      JSON.stringify({ ...description, title: nameOf(slower) }),
    );
  }
  for (const { slower, busy_cores } of wanted) {
    for (let core = 0; core < busy_cores; core += 1) burners.push(spawn(process.execPath, ['-e', 'for (;;);']));
    const own: Series = { slower, busy_cores, sessions: [] };
    series.push(own);
    for (let i = 0; i < sessions; i += 1) {
      const words = [
        ...['bench', 'sum-problem.json', '--variants', `./sum.cpp,./${nameOf(slower)}.cpp`, '--trust', '--json'],
        ...['--processes', '0', '--time', String(seconds), '--seed', String(i + 1)],
      ];
      const found = await judged(folder, words);
      machine = found.machine.cpu;
      own.sessions.push(found.told);
      const { verdict, ratio, interval, rounds } = found.told;
      const between = interval === null ? 'no interval' : `${interval.low.toFixed(4)} to ${interval.high.toFixed(4)}`;
      console.log(
        `${100 * slower} % slower, ${busy_cores} cores busy, ${i + 1}: ${verdict} ${ratio.toFixed(4)} (${between}), ${rounds} rounds`,
      );
    }
    endLoad();
  }
} finally {
  endLoad();
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
  const { least, ...rest } = wanted[i] ?? { least: {} };
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
const took_s = (performance.now() - began) / 1000;
if (values.keep) {
  const kept: KeptPower = {
    measured: new Date().toISOString(),
    ...{ machine, cores: availableParallelism(), seconds, took_s, series },
  };
  console.log(`Saved as ${keep('power', kept)}`);
}
