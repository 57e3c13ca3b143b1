/** Predicts the time of one run of each variant before anything is measured. */
import { gpuOf, type MachineIdentity, machineKey } from '../../../contract/bench/bench-session.ts';
import type { ExpectedTime } from '../../../contract/bench/benches.ts';
import {
  isIncorrect,
  type MeasuredSessionEntry,
  type Session,
  type SessionReport,
} from '../../../contract/bench/session.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { usedGpu } from '../../io/addon/gpu.ts';
import type { Benchable, BenchProblem, WorkAmount } from '../../workloads/benchable.ts';
import type { ScenarioReading } from '../../workloads/scenarios/scenarios.ts';

/** A session of one size with the problem that it measured. Null if its scenario was not recorded. */
export interface TimedSession {
  readonly session: Session;
  readonly problem: () => Promise<ReadProblem | null>;
}

/** A problem, with the scenario that was read. */
interface ReadProblem {
  readonly problem: BenchProblem;
  readonly reading: ScenarioReading;
}

/** This machine, identified by its key because many machines have the same processor name. */
interface ThisMachine {
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
  return device === 'cpu' ? machine.cpu : (gpuOf(machine, gpu)?.name ?? 'a GPU');
}

/** Sessions of this machine come before those of others, both with the newest first. */
function recordedTimeOf(
  variant: string,
  sessions: readonly TimedSession[],
  { machine: own, gpu }: ThisMachine,
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
  const created = ({ timed }: RecordedTime): string => timed.session.created;
  return all.sort((a, b) => Number(b.here) - Number(a.here) || (created(a) < created(b) ? 1 : -1));
}

/** Previous set-up time plus the previous run time, scaled by the amount of work and the number of threads. */
function scaleToWork({ entry, report }: RecordedTime, then: WorkAmount, now: WorkAmount): number {
  const rest = entry.wall_s === null ? entry.setup_s : Math.max(0, entry.wall_s - entry.time_s);
  const had = entry.threads ?? report.machine.logical_cores;
  const threads = now.threads === null || had === 0 ? 1 : had / now.threads;
  return rest + (entry.time_s * now.amount * threads) / then.amount;
}

export async function expectedTimes(
  addon: NativeAddon,
  benchable: Benchable,
  { problem, reading }: ReadProblem,
  variants: readonly string[],
  sessions: readonly TimedSession[],
  machine: MachineIdentity,
): Promise<ExpectedTime[]> {
  const here = { machine, gpu: usedGpu(addon.devices())?.name ?? null };
  const problems = new Map<TimedSession, Promise<ReadProblem | null>>();
  const problemOf = (timed: TimedSession): Promise<ReadProblem | null> => {
    const known = problems.get(timed) ?? timed.problem();
    problems.set(timed, known);
    return known;
  };
  const one = async (variant: string): Promise<ExpectedTime> => {
    const now = await benchable.amount(addon, problem, variant, reading);
    const all = recordedTimeOf(variant, sessions, here);
    const wrong = all[0] !== undefined && isIncorrect(all[0].entry.verdict);
    const unable = { variant, run_s: null, like: null, right: !wrong, able: false };
    if (now === null) return unable;
    if (typeof now === 'string') return { ...unable, reason: now };
    const [right, able] = [!wrong && now.right, true];
    for (const found of all) {
      // A different processor predicts less accurately than the usual rate per thread.
      if (!found.here && now.usualRate !== null) continue;
      const before = await problemOf(found.timed);
      const then = before === null ? null : await benchable.amount(addon, before.problem, variant, before.reading);
      if (then === null || typeof then === 'string' || then.of !== now.of || !(then.amount > 0)) continue;
      const run_s = scaleToWork(found, then, now);
      // The forecast in the scenario form also learns from this session.
      if (found.here) now.learn?.(run_s);
      return { variant, run_s, like: found.here ? null : found.machine, right, able };
    }
    const usual = now.usualRate === null ? null : now.amount / (now.usualRate * (now.threads ?? 1));
    return { variant, run_s: usual, like: null, right, able };
  };
  return Promise.all(variants.map(one));
}
