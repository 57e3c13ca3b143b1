/**
 * `npm run bench -- aa`: sessions that compare a variant with a byte-identical user kernel in a separate process. Every
 * "faster" or "slower" is false. The same number of sessions run with a busy process on every core. `--keep` saves the
 * data of the handbook's table after every session, and continues from that file when started again. `--cores 2,3` runs
 * on these cores only; if given several times, one session runs on each set of cores at once.
 *
 * Needs Node, dist and assets, and no package.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { RecordedReal } from '../../../electron/build/figures/rates.ts';
import { readUnfinished, saveRecording } from '../recorded.ts';
import {
  BusyProcesses,
  type Lane,
  lanesOf,
  onCpu,
  onGpu,
  runMissingSessions,
  sessionOf,
  type Verdict,
  writeCopy,
} from './session.ts';

const defaults = { sessions: '40', seconds: '5', allowed: '2' };
const { values } = parseArgs({
  options: {
    gpu: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    anew: { type: 'boolean', default: false },
    sessions: { type: 'string', default: defaults.sessions },
    seconds: { type: 'string', default: defaults.seconds },
    allowed: { type: 'string', default: defaults.allowed },
    cores: { type: 'string', multiple: true, default: [] },
  },
});

/** Throws for anything but a number that is at least `least`. */
function positiveNumberOption(name: keyof typeof defaults, least: number): number {
  const value = Number(values[name]);
  if (Number.isFinite(value) && value >= least) return value;
  throw new Error(`--${name}: ${JSON.stringify(values[name])} is not a number of at least ${least}`);
}

const wantedSessions = Math.floor(positiveNumberOption('sessions', 1));
const seconds = positiveNumberOption('seconds', 0.1);
const allowedFalse = positiveNumberOption('allowed', 0);
const lanes = lanesOf(values.cores);
const copiedVariant = values.gpu ? onGpu : onCpu;
const { variant } = copiedVariant;

/**
 * Smallest share of the sessions under one condition that must have an interval. A session without a verdict cannot be
 * false, and must not improve the result.
 */
const leastJudged = 0.9;

const isFalse = (verdict: string): boolean => verdict === 'faster' || verdict === 'slower';

function sessionLine(i: number, half: string, one: Verdict): string {
  const { verdict, whole, ratio, interval, floor, rounds, otherLoad_cores } = one;
  const percent = (value: number | null): string => (value === null ? '–' : `${(100 * value).toFixed(2)} %`);
  const between = interval === null ? 'no interval' : `${interval.low.toFixed(4)} to ${interval.high.toFixed(4)}`;
  const load = otherLoad_cores === null ? '' : `, others ${otherLoad_cores.toFixed(1)} cores`;
  const mark = isFalse(verdict) ? '  FALSE' : '';
  return `${String(i + 1).padStart(3)} ${half}: ${verdict} ${ratio.toFixed(4)} (${between}), floor ${percent(floor)}, ${rounds} rounds, whole run ${whole}${load}${mark}`;
}

/** Conditions of the machine, each with the number of processes that keep the cores of a lane busy. */
const conditions = [
  ['as it is', () => 0],
  ['every core busy', (cores: string | null) => cores?.split(',').length ?? availableParallelism()],
] as const;

const isComplete = ({ halves }: RecordedReal): boolean =>
  halves.length === conditions.length && halves.every(({ sessions }) => sessions.length >= wantedSessions);
const before =
  values.keep && !values.anew ? readUnfinished<RecordedReal>('real', { variant, seconds }, isComplete) : null;
const measuredConditions: readonly { readonly name: string; readonly sessions: Verdict[] }[] = conditions.map(
  ([name]) => ({
    name,
    sessions: [...(before?.halves.find((one) => one.name === name)?.sessions ?? [])],
  }),
);

const began = performance.now();
const elapsed_s = (): number => (before?.took_s ?? 0) + (performance.now() - began) / 1000;
let machine = cpus()[0]?.model.trim() ?? 'not known';
function saveSessions(): void {
  if (!values.keep) return;
  saveRecording('real', {
    measured: new Date().toISOString(),
    ...{
      machine,
      cores: availableParallelism(),
      lanes: values.cores,
      seconds,
      variant,
      allowed: allowedFalse,
      took_s: elapsed_s(),
    },
    halves: measuredConditions.filter(({ sessions }) => sessions.length > 0),
  });
}

const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-aa-'));
const load = new BusyProcesses();
try {
  const copy = writeCopy(folder, copiedVariant);
  console.log(
    `${wantedSessions} sessions of ${seconds} s compare ${variant} with ${copy}, a byte-identical copy in a separate process; then ${wantedSessions} more with every core busy.`,
  );
  for (const [k, [name, busy]] of conditions.entries()) {
    const sessions = measuredConditions[k]?.sessions ?? [];
    if (sessions.length >= wantedSessions) continue;
    // Run one session before the counted ones. It compiles the kernel and measures the machine's ceilings.
    for (const lane of lanes)
      ({ machine } = await sessionOf(folder, copy, copiedVariant, { seed: 0, seconds: 0.1, lane }));
    for (const lane of lanes) load.begin(busy(lane.cores), lane);
    const take = async (i: number, lane: Lane): Promise<Verdict> => {
      const seed = k * wantedSessions + i + 1;
      const { told } = await sessionOf(folder, copy, copiedVariant, { seed, seconds, lane });
      console.log(sessionLine(seed - 1, name, told));
      return told;
    };
    await runMissingSessions([{ sessions, take }], wantedSessions, { lanes, save: saveSessions });
    load.end();
  }
} finally {
  load.end();
  rmSync(folder, { recursive: true, force: true });
}
const count = (all: readonly Verdict[], of: (one: Verdict) => boolean): number => all.filter(of).length;
console.log('');
for (const { name, sessions: all } of measuredConditions) {
  const [steps, whole] = [
    count(all, ({ verdict }) => isFalse(verdict)),
    count(all, ({ whole: verdict }) => isFalse(verdict)),
  ];
  const judged = count(all, ({ interval }) => interval !== null);
  console.log(
    `${name}: ${steps} of ${judged} verdicts on steps are false, ${allowedFalse} allowed; ${count(all, ({ verdict }) => verdict === 'same')} are "same"; ${whole} verdicts on end-to-end runs differ, because the copy's results are sent between processes.`,
  );
  if (steps > allowedFalse) process.exitCode = 1;
  if (judged < leastJudged * all.length) {
    process.exitCode = 1;
    console.log(
      `  ${all.length - judged} sessions had too few rounds for a verdict: increase --seconds, or use an idle machine.`,
    );
  }
}
console.log(`${elapsed_s().toFixed(0)} s, ${(elapsed_s() / (2 * wantedSessions)).toFixed(1)} s per session.`);
if (values.keep) console.log('Saved as assets/rates/real.json. Next: npm run figures -- --only verdicts-real');
