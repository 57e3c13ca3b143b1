/** Predicts the time of one run of each variant before anything is measured. */
import { gpuOfEntry, type MachineIdentity, machineKey } from '../../../contract/bench/bench-session.ts';
import type { ExpectedTime } from '../../../contract/bench/benches.ts';
import {
  isIncorrect,
  type MeasuredSessionEntry,
  type Session,
  type SessionReport,
} from '../../../contract/bench/session.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { defaultGpu } from '../../io/addon/gpu.ts';
import type { BenchmarkSupport, BenchProblem, WorkAmount } from '../../workloads/benchable.ts';
import type { ScenarioReading } from '../../workloads/scenarios/scenarios.ts';

/** A recorded session without a sweep. `problem` returns null if the session does not contain its scenario. */
export interface TimedSession {
  readonly session: Session;
  readonly problem: () => Promise<ProblemWithReading | null>;
}

/** A benchmark problem and the scenario that it was read from. */
interface ProblemWithReading {
  readonly problem: BenchProblem;
  readonly reading: ScenarioReading;
}

/** This machine. Machines are compared by key, because many have the same processor name. */
interface LocalMachine {
  readonly machine: MachineIdentity;
  readonly gpu: string | null;
}

interface RecordedTime {
  readonly entry: MeasuredSessionEntry;
  readonly report: SessionReport;
  readonly timed: TimedSession;
  readonly machine: string;
  readonly here: boolean;
}

function machineOf({ device, gpu }: MeasuredSessionEntry, { machine }: SessionReport): string {
  return device === 'cpu' ? machine.cpu : (gpuOfEntry(machine, gpu)?.name ?? 'a GPU');
}

/** Returns the recorded times of a variant: first those of this machine, then those of others, each newest first. */
function recordedTimes(
  variant: string,
  sessions: readonly TimedSession[],
  { machine: own, gpu }: LocalMachine,
): readonly RecordedTime[] {
  const key = machineKey({ ...own, gpu: null });
  const all = sessions.flatMap((timed): RecordedTime[] => {
    const [report] = timed.session.reports;
    const entry = report?.entries.find(({ label }) => label === variant);
    if (report === undefined || entry?.status !== 'measured') return [];
    const machine = machineOf(entry, report);
    const here = entry.device === 'cpu' ? machineKey({ ...report.machine, gpu: null }) === key : machine === gpu;
    return [{ entry, report, timed, machine, here }];
  });
  const creationTime = ({ timed }: RecordedTime): string => timed.session.created;
  return all.sort((a, b) => Number(b.here) - Number(a.here) || (creationTime(a) < creationTime(b) ? 1 : -1));
}

/**
 * Scales a recorded run time by the amount of work and the number of threads, and adds the recorded set-up time.
 * Returns seconds.
 */
function scaleToWork({ entry, report }: RecordedTime, then: WorkAmount, now: WorkAmount): number {
  const rest = entry.wall_s === null ? entry.setup_s : Math.max(0, entry.wall_s - entry.time_s);
  const had = entry.threads ?? report.machine.logical_cores;
  const threads = now.threads === null || had === 0 ? 1 : had / now.threads;
  return rest + (entry.time_s * now.amount * threads) / then.amount;
}

export async function expectedTimes(
  addon: NativeAddon,
  benchable: BenchmarkSupport,
  { problem, reading }: ProblemWithReading,
  variants: readonly string[],
  sessions: readonly TimedSession[],
  machine: MachineIdentity,
): Promise<ExpectedTime[]> {
  const here = { machine, gpu: defaultGpu(addon.devices())?.name ?? null };
  const problems = new Map<TimedSession, Promise<ProblemWithReading | null>>();
  const problemOf = (timed: TimedSession): Promise<ProblemWithReading | null> => {
    const known = problems.get(timed) ?? timed.problem();
    problems.set(timed, known);
    return known;
  };
  const predict = async (variant: string): Promise<ExpectedTime> => {
    const now = await benchable.amount(addon, problem, variant, reading);
    const all = recordedTimes(variant, sessions, here);
    const wrong = all[0] !== undefined && isIncorrect(all[0].entry.verdict);
    const unable = { variant, run_s: null, like: null, right: !wrong, able: false };
    if (now === null) return unable;
    if (typeof now === 'string') return { ...unable, reason: now };
    const [right, able] = [!wrong && now.isCorrect, true];
    for (const found of all) {
      // The usual rate per thread predicts better than a measurement on a different processor.
      if (!found.here && now.usualRate !== null) continue;
      const before = await problemOf(found.timed);
      const then = before === null ? null : await benchable.amount(addon, before.problem, variant, before.reading);
      if (then === null || typeof then === 'string' || then.of !== now.of || !(then.amount > 0)) continue;
      const run_s = scaleToWork(found, then, now);
      // A measurement on this machine also improves the forecast in the scenario form.
      if (found.here) now.learn?.(run_s);
      return { variant, run_s, like: found.here ? null : found.machine, right, able };
    }
    const usual = now.usualRate === null ? null : now.amount / (now.usualRate * (now.threads ?? 1));
    return { variant, run_s: usual, like: null, right, able };
  };
  return Promise.all(variants.map(predict));
}
