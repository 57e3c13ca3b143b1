/**
 * `npm run bench -- aa`: sessions of a variant against a byte-identical user kernel in a process of its own. Every
 * "faster" or "slower" is false. As many again run with a busy process on every core. All end within `--minutes`;
 * `--keep` writes what the handbook's table is made from.
 *
 * Needs Node, dist and assets, and no package.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { KeptReal } from '../../../electron/build/figures/rates.ts';
import { keep } from '../kept.ts';
import { Budget } from './budget.ts';
import { onCpu, onGpu, sessionOf, type Verdict, writeCopy } from './session.ts';

const usual = { sessions: '40', seconds: '5', minutes: '11', allowed: '2' };
const { values } = parseArgs({
  options: {
    gpu: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    sessions: { type: 'string', default: usual.sessions },
    seconds: { type: 'string', default: usual.seconds },
    minutes: { type: 'string', default: usual.minutes },
    allowed: { type: 'string', default: usual.allowed },
  },
});

/** Throws for what is no whole number, or no number, above 0. */
function number(name: keyof typeof usual, least: number): number {
  const value = Number(values[name]);
  if (Number.isFinite(value) && value >= least) return value;
  throw new Error(`--${name}: ${JSON.stringify(values[name])} is not a number of at least ${least}`);
}

const sessions = Math.floor(number('sessions', 1));
const most = number('seconds', 0.1);
const total_s = 60 * number('minutes', 0.5);
const allowed = number('allowed', 0);
const copied = values.gpu ? onGpu : onCpu;

/** Sessions with an interval that a half must have, of all: what is not judged cannot be false. */
const leastJudged = 0.9;

const isFalse = (verdict: string): boolean => verdict !== 'same' && verdict !== 'undecided';

function line(i: number, half: string, one: Verdict): string {
  const { verdict, whole, ratio, interval, floor, rounds, otherLoad_cores } = one;
  const percent = (value: number | null): string => (value === null ? '–' : `${(100 * value).toFixed(2)} %`);
  const between = interval === null ? 'no interval' : `${interval.low.toFixed(4)} to ${interval.high.toFixed(4)}`;
  const load = otherLoad_cores === null ? '' : `, others ${otherLoad_cores.toFixed(1)} cores`;
  const mark = isFalse(verdict) ? '  FALSE' : '';
  return `${String(i + 1).padStart(3)} ${half}: ${verdict} ${ratio.toFixed(4)} (${between}), floor ${percent(floor)}, ${rounds} rounds, whole run ${whole}${load}${mark}`;
}

const burners: ChildProcess[] = [];
const endLoad = (): void => {
  for (const one of burners.splice(0)) one.kill('SIGKILL');
};
process.once('exit', endLoad);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

/** Conditions of the machine, and by which share of the time each has ended: sessions start slowly under load. */
const conditions = [
  ['as it is', 0.4],
  ['every core busy', 1],
] as const;

const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-aa-'));
const began = performance.now();
const now = (): number => (performance.now() - began) / 1000;
const halves: { readonly name: string; readonly sessions: Verdict[] }[] = [];
const cores = availableParallelism();
let machine = 'not known';
try {
  const copy = writeCopy(folder, copied);
  console.log(
    `${sessions} sessions of at most ${most} s of rounds: ${copied.variant} against ${copy}, the same bytes in a process of its own; then ${sessions} with ${cores} busy processes on ${cores} cores. At most ${total_s / 60} minutes.`,
  );
  // Compiled, and its ceilings measured, before the first.
  ({ machine } = await sessionOf(folder, copy, copied, { seed: 0, seconds: 0.1 }));
  for (const [k, [name, share]] of conditions.entries()) {
    if (k > 0) {
      for (let core = 0; core < cores; core += 1) burners.push(spawn(process.execPath, ['-e', 'for (;;);']));
    }
    const budget = new Budget({ sessions, most, ends: share * total_s });
    const taken: Verdict[] = [];
    halves.push({ name, sessions: taken });
    for (let i = 0; i < sessions; i += 1) {
      const at = k * sessions + i;
      const [from, seconds] = [now(), budget.next(now())];
      const { told: one } = await sessionOf(folder, copy, copied, { seed: at + 1, seconds });
      budget.ended(seconds, now() - from);
      taken.push(one);
      console.log(line(at, name, one));
    }
  }
} finally {
  endLoad();
  rmSync(folder, { recursive: true, force: true });
}
const took_s = now();
const count = (all: readonly Verdict[], of: (one: Verdict) => boolean): number => all.filter(of).length;
console.log('');
for (const { name, sessions: all } of halves) {
  const [steps, whole] = [
    count(all, ({ verdict }) => isFalse(verdict)),
    count(all, ({ whole: verdict }) => isFalse(verdict)),
  ];
  const judged = count(all, ({ interval }) => interval !== null);
  console.log(
    `${name}: ${steps} of ${judged} judged false on steps, ${allowed} allowed; ${whole} on whole runs, where the copy's answer goes from process to process, which is no noise.`,
  );
  if (steps > allowed) process.exitCode = 1;
  if (judged < leastJudged * all.length) {
    process.exitCode = 1;
    console.log(
      `  ${all.length - judged} had too few rounds to be judged: give it more --minutes, or an idle machine.`,
    );
  }
}
console.log(`${took_s.toFixed(0)} s, ${(took_s / (2 * sessions)).toFixed(1)} s a session.`);
if (values.keep) {
  const kept: KeptReal = {
    measured: new Date().toISOString(),
    ...{ machine, cores, variant: copied.variant, allowed, took_s, halves },
  };
  console.log(`Kept as ${keep('real', kept)}. Now: npm run figures -- --only verdicts-real`);
}
