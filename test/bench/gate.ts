/**
 * `npm run bench -- gate`: a repository of two commits, an unchanged sum and one with 5 % real extra work. Each gate is a
 * process of the command line, as a build server starts it. `--keep` saves all of them.
 *
 * Needs Node, dist, assets and git, and no package.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { KeptGate, KeptGates } from '../../electron/build/figures/gate.ts';
import { slowerBy } from './aa/session.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    keep: { type: 'boolean', default: false },
    repeats: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '60' },
    n: { type: 'string', default: '100000' },
  },
});

/** Throws for anything but a whole number above 0. */
function whole(name: 'repeats' | 'seconds' | 'n'): number {
  const value = Number(values[name]);
  if (Number.isInteger(value) && value > 0) return value;
  throw new Error(`--${name}: ${JSON.stringify(values[name])} is not a whole number above 0`);
}

const [repeats, seconds, n] = [whole('repeats'), whole('seconds'), whole('n')];
const slower = 0.05;
/** 18 of 20 slower sums have to be found, and no unchanged one may fail. */
const leastFound = 0.9;

const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-gates-'));
const cli = path.join(root, 'dist/host/cli.js');
const environment = { ...process.env, BRAGGBENCH_HOME: path.join(folder, 'home') };
const git = (...words: readonly string[]): void => {
  const names = ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...names, ...words], { cwd: folder, stdio: 'pipe' });
};

interface Printed {
  readonly variants: readonly (Omit<KeptGate, 'code' | 'ratios'> & {
    readonly sessions: readonly { readonly ratio: KeptGate['ratios'][number] }[];
  })[];
}

function gate(baseline: string, seed: number): KeptGate {
  const words = ['gate', 'sum-problem.json', '--baseline', baseline, '--trust', '--json', '--seed', String(seed)];
  const limits = ['--time', String(seconds), '--set', `problem.n=${n}`];
  const ended = spawnSync(process.execPath, [cli, ...words, ...limits], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  });
  if (ended.status !== 0 && ended.status !== 1) throw new Error(ended.stderr);
  const [found] = (JSON.parse(ended.stdout) as Printed).variants;
  if (found === undefined) throw new Error('the gate measured nothing');
  const { verdict, reason, floor, sessions } = found;
  return { code: ended.status, verdict, reason, floor, ratios: sessions.map(({ ratio }) => ratio) };
}

const began = performance.now();
const loads: number[] = [];
const series: { readonly slower: number; readonly gates: KeptGate[] }[] = [];
try {
  execFileSync(process.execPath, [cli, 'new-kernel', 'reduction', 'sum.cpp'], { cwd: folder, env: environment });
  const kernel = path.join(folder, 'sum.cpp');
  const source = readFileSync(kernel, 'utf8');
  git('init', '--quiet');
  git('add', 'sum.cpp', 'sum.json', 'sum.py', 'sum-problem.json');
  git('commit', '--quiet', '--message', 'Add a sum');
  git('tag', 'unchanged');
  // The next commit is the slower one; its baseline is the one before.
  writeFileSync(kernel, slowerBy(slower, source));
  git('commit', '--quiet', '--all', '--message', 'Add up the first elements again');
  for (const share of [0, slower]) {
    git('checkout', '--quiet', share === 0 ? 'unchanged' : '-');
    const gates: KeptGate[] = [];
    series.push({ slower: share, gates });
    for (let i = 0; i < repeats; i += 1) {
      loads.push(loadavg()[0] ?? 0);
      const one = gate('unchanged', 10 * i + 1);
      gates.push(one);
      console.log(
        `${100 * share} % slower, ${i + 1}: ${one.verdict}${one.reason === null ? '' : ` (${one.reason})`}, ${one.ratios.map(({ value }) => value.toFixed(4)).join(', ')}`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

for (const { slower: share, gates } of series) {
  const failed = gates.filter(({ code }) => code === 1).length;
  console.log(`${100 * share} % slower: ${failed} of ${gates.length} failed`);
  if (share === 0 ? failed > 0 : failed < leastFound * gates.length) process.exitCode = 1;
}
if (values.keep) {
  const kept: KeptGates = {
    measured: new Date().toISOString(),
    machine: cpus()[0]?.model ?? 'unknown processor',
    cores: availableParallelism(),
    load: loads.reduce((sum, one) => sum + one, 0) / loads.length,
    ...{ seconds, n, took_s: (performance.now() - began) / 1000, series },
  };
  writeFileSync(path.join(root, 'assets/measured/gate.json'), `${JSON.stringify(kept, null, 2)}\n`);
  console.log('Saved as assets/measured/gate.json. Now: npm run figures -- --only gate');
}
