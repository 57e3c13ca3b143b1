/**
 * Recommends an implementation of a computation, from sessions that measured several. Each programming style is
 * represented by its fastest correct candidate. A difference counts only if every sample of one is faster than every
 * sample of the other.
 */
import { isUnproven, usedGpus } from '../../../contract/bench/bench-session.ts';
import {
  type Approach,
  type ApproachComparison,
  type ApproachOption,
  approaches,
  type Decision,
  END_TO_END_RUN,
  minEvidence,
} from '../../../contract/bench/decision.ts';
import { correctnessOf, type Session, type SessionReport } from '../../../contract/bench/session.ts';
import { runToCompletion, type YieldingTask } from '../../../domain/values/pausing.ts';
import { runInSlices } from '../../io/flow/cooperative.ts';
import type { Baseline } from '../../model/external/conversation.ts';
import { median } from '../../model/verdicts/order.ts';

const defaultMargin = 0.01;
const hour_s = 3600;

/** Programming style of each kind of program in the registry. Programs of other kinds are ignored. */
const approachOfStyle: Readonly<Record<string, Approach>> = {
  loop: 'loop',
  array: 'array',
  graph: 'array',
  eager: 'array',
  'eager-tf32': 'array',
  compile: 'compiled-array',
  'compile-tf32': 'compiled-array',
  elementwise: 'elementwise',
  raw: 'raw',
  ours: 'raw',
  kernel: 'raw',
};

interface MeasuredOption {
  readonly device: 'cpu' | 'cuda';
  readonly option: Omit<ApproachOption, 'time_s' | 'range' | 'samples'>;
  readonly steps: readonly number[];
  /** Null if end-to-end runs were not timed. */
  readonly whole: readonly number[] | null;
}

function measuredOptions(report: SessionReport, baselines: readonly Baseline[]): readonly MeasuredOption[] {
  const programs = new Map(baselines.map((one) => [one.id, one]));
  const entries = report.entries.flatMap((entry): MeasuredOption[] => {
    if (entry.status === 'refused') return [];
    const { label, variant, title, device, verdict, samples } = entry;
    const program = programs.get(variant);
    const way = program === undefined ? 'compiled' : approachOfStyle[program.style];
    if (way === undefined || samples.length === 0) return [];
    const right = !isUnproven(verdict);
    const whole = samples.flatMap(({ wall_s }) => (wall_s === undefined ? [] : [wall_s]));
    return [
      {
        device,
        option: { way, label, title, right, instances: new Set(samples.map(({ instance = 0 }) => instance)).size },
        steps: samples.map(({ time_s }) => time_s),
        whole: whole.length === samples.length ? whole : null,
      },
    ];
  });
  const outside = report.external.flatMap(({ id, title, result }): MeasuredOption[] => {
    const program = programs.get(id);
    const way = program === undefined ? undefined : approachOfStyle[program.style];
    if (program === undefined || way === undefined || result === null || result.times.length === 0) return [];
    const right = !result.wrong && correctnessOf(result.accuracy) === 'correct';
    return [
      {
        device: program.device,
        option: { way, label: id, title, right, instances: 1 },
        steps: result.times,
        whole: null,
      },
    ];
  });
  return [...entries, ...outside];
}

const isEvidence = ({ samples, instances }: ApproachOption): boolean =>
  samples >= minEvidence.samples && instances >= minEvidence.instances;

function outcomeOfRange(
  base: ApproachOption,
  over: ApproachOption,
  range: ApproachComparison['ratio_range'],
  margin: number,
): ApproachComparison['decided'] {
  if (!(isEvidence(base) && isEvidence(over))) return 'too few';
  if (range.low > 1 + margin) return 'faster';
  return range.high < 1 / (1 + margin) ? 'slower' : 'overlap';
}

function compareApproaches(base: ApproachOption, over: ApproachOption, margin: number): ApproachComparison {
  const ratio_range = { low: base.range.low / over.range.high, high: base.range.high / over.range.low };
  const decided = outcomeOfRange(base, over, ratio_range, margin);
  const saved_s = base.time_s - over.time_s;
  return {
    option: over,
    ratio: base.time_s / over.time_s,
    ratio_range,
    decided,
    saved_s,
    runs_per_hour: decided === 'faster' ? Math.ceil(hour_s / saved_s) : null,
  };
}

/**
 * Selects the fastest correct candidate of each style by the time of the measured work. Selects an incorrect candidate
 * only if the style has no correct one.
 */
function fastestOfEachApproach(
  measured: readonly MeasuredOption[],
  samplesOf: (one: MeasuredOption) => readonly number[],
): ApproachOption[] {
  const all = measured.map((one): ApproachOption => {
    const samples = samplesOf(one);
    const range = { low: Math.min(...samples), high: Math.max(...samples) };
    return { ...one.option, time_s: median(samples), range, samples: samples.length };
  });
  return approaches.flatMap((way) => {
    const same = all.filter((option) => option.way === way);
    const right = same.filter((option) => option.right);
    const best = (right.length > 0 ? right : same).toSorted((a, b) => a.time_s - b.time_s)[0];
    return best === undefined ? [] : [best];
  });
}

interface SessionWithFile {
  readonly file: string;
  readonly session: Session;
}

/** Returns the recommendations from one report of a session, at most one per device. */
function decisionsOfReport(
  { file, session }: SessionWithFile,
  i: number,
  baselines: readonly Baseline[],
): readonly Decision[] {
  const report = session.reports[i];
  if (report === undefined) return [];
  const measured = measuredOptions(report, baselines);
  return (['cuda', 'cpu'] as const).flatMap((device): Decision[] => {
    const here = measured.filter((one) => one.device === device);
    const byWhole = here.every(({ whole }) => whole !== null);
    const options = fastestOfEachApproach(here, ({ steps, whole }) => (byWhole ? (whole ?? steps) : steps));
    const [base, ...others] = options.filter(({ right }) => right);
    if (base === undefined || others.length === 0) return [];
    const gpus = usedGpus(report.machine, [{ device }]).map(({ name }) => name);
    const margin = report.judged?.margin ?? defaultMargin;
    return [
      {
        workload: session.workload,
        bench: report.bench,
        scenario: report.scenario,
        at: session.sweep === null ? null : `${session.sweep.path} = ${session.sweep.values[i]}`,
        machine: gpus.length === 0 ? report.machine.cpu : gpus.join(', '),
        file,
        created: session.created,
        time: byWhole ? END_TO_END_RUN : session.words.time,
        options,
        steps: others.map((one) => compareApproaches(base, one, margin)),
      },
    ];
  });
}

/**
 * Collects recommendations from reports with correct results in several styles, the newest for each problem and
 * machine.
 */
function* collectDecisions(
  sessions: readonly SessionWithFile[],
  baselines: readonly Baseline[],
): YieldingTask<readonly Decision[]> {
  const all: Decision[] = [];
  for (const one of sessions) {
    for (let i = 0; i < one.session.reports.length; i += 1) {
      all.push(...decisionsOfReport(one, i, baselines));
      yield;
    }
  }
  const newest = Map.groupBy(all, ({ workload, bench, scenario, at, machine }) =>
    JSON.stringify([workload, bench, scenario, at, machine]),
  );
  return [...newest.values()].flatMap((same) =>
    same.toSorted((a, b) => Date.parse(b.created) - Date.parse(a.created)).slice(0, 1),
  );
}

export const decisionsOf = (
  sessions: readonly SessionWithFile[],
  baselines: readonly Baseline[],
): readonly Decision[] => runToCompletion(collectDecisions(sessions, baselines));

/** Like `decisionsOf`, but lets other tasks run between slices of work. */
export const decisionsInSlices = (
  sessions: readonly SessionWithFile[],
  baselines: readonly Baseline[],
): Promise<readonly Decision[]> => runInSlices(collectDecisions(sessions, baselines));
