/**
 * How to write a computation, from sessions that measured it written in several ways. Each way stands with its fastest
 * right contestant; a difference counts where no sample of one is as fast as a sample of the other.
 */
import { gpusUsed } from '../../../contract/bench/bench-session.ts';
import { type Decision, type Option, type Step, type Way, WHOLE_RUN, ways } from '../../../contract/bench/decision.ts';
import { isRight, type Session, type SessionReport } from '../../../contract/bench/session.ts';
import { atOnce, type Pausing } from '../../../contract/pausing.ts';
import { inTurns } from '../../io/flow/in-turns.ts';
import type { Baseline } from '../../model/external/registry.ts';
import { median } from '../../model/verdicts/order.ts';

/** Fewer samples have no range worth the name. */
const fewestSamples = 5;
const usualMargin = 0.01;
const hour_s = 3600;

/** How programs of the registry are written; one of another style says nothing of a way. */
const wayOfStyle: Readonly<Record<string, Way>> = {
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

interface Measured {
  readonly device: 'cpu' | 'cuda';
  readonly option: Omit<Option, 'time_s' | 'range'>;
  readonly steps: readonly number[];
  /** Null where whole runs were not timed. */
  readonly whole: readonly number[] | null;
}

function measuredIn(report: SessionReport, baselines: readonly Baseline[]): readonly Measured[] {
  const programs = new Map(baselines.map((one) => [one.id, one]));
  const entries = report.entries.flatMap((entry): Measured[] => {
    if (entry.status === 'refused') return [];
    const { label, variant, title, device, accuracy, verdict, samples } = entry;
    const program = programs.get(variant);
    const way = program === undefined ? 'compiled' : wayOfStyle[program.style];
    if (way === undefined || samples.length === 0) return [];
    const right = verdict !== 'wrong' && isRight(accuracy);
    const whole = samples.flatMap(({ wall_s }) => (wall_s === undefined ? [] : [wall_s]));
    return [
      {
        device,
        option: { way, label, title, right },
        steps: samples.map(({ time_s }) => time_s),
        whole: whole.length === samples.length ? whole : null,
      },
    ];
  });
  const outside = report.external.flatMap(({ id, title, result }): Measured[] => {
    const program = programs.get(id);
    const way = program === undefined ? undefined : wayOfStyle[program.style];
    if (program === undefined || way === undefined || result === null || result.times.length === 0) return [];
    const right = !result.wrong && isRight(result.accuracy);
    return [{ device: program.device, option: { way, label: id, title, right }, steps: result.times, whole: null }];
  });
  return [...entries, ...outside];
}

function stepOf(base: Sampled, over: Sampled, margin: number): Step {
  const ratio_range = {
    low: base.option.range.low / over.option.range.high,
    high: base.option.range.high / over.option.range.low,
  };
  const enough = Math.min(base.count, over.count) >= fewestSamples;
  const faster = enough && ratio_range.low > 1 + margin;
  const slower = enough && ratio_range.high < 1 / (1 + margin);
  const saved_s = base.option.time_s - over.option.time_s;
  return {
    option: over.option,
    ratio: base.option.time_s / over.option.time_s,
    ratio_range,
    decided: faster ? 'faster' : slower ? 'slower' : 'undecided',
    saved_s,
    runs_per_hour: faster ? Math.ceil(hour_s / saved_s) : null,
  };
}

interface Sampled {
  readonly option: Option;
  readonly count: number;
}

/** The fastest right one of each way, by the work that they take; a wrong one only where a way has no right one. */
function bestOfEach(measured: readonly Measured[], samplesOf: (one: Measured) => readonly number[]): Sampled[] {
  const all = measured.map((one): Sampled => {
    const samples = samplesOf(one);
    const range = { low: Math.min(...samples), high: Math.max(...samples) };
    return { option: { ...one.option, time_s: median(samples), range }, count: samples.length };
  });
  return ways.flatMap((way) => {
    const same = all.filter(({ option }) => option.way === way);
    const right = same.filter(({ option }) => option.right);
    const best = (right.length > 0 ? right : same).toSorted((a, b) => a.option.time_s - b.option.time_s)[0];
    return best === undefined ? [] : [best];
  });
}

interface SessionOfFile {
  readonly file: string;
  readonly session: Session;
}

/** What one report of a session says, each device for itself. */
function decisionsIn({ file, session }: SessionOfFile, i: number, baselines: readonly Baseline[]): readonly Decision[] {
  const report = session.reports[i];
  if (report === undefined) return [];
  const measured = measuredIn(report, baselines);
  return (['cuda', 'cpu'] as const).flatMap((device): Decision[] => {
    const here = measured.filter((one) => one.device === device);
    const byWhole = here.every(({ whole }) => whole !== null);
    const options = bestOfEach(here, ({ steps, whole }) => (byWhole ? (whole ?? steps) : steps));
    const [base, ...others] = options.filter(({ option }) => option.right);
    if (base === undefined || others.length === 0) return [];
    const gpus = gpusUsed(report.machine, [{ device }]).map(({ name }) => name);
    const margin = report.judged?.margin ?? usualMargin;
    return [
      {
        workload: session.workload,
        bench: report.bench,
        scenario: report.scenario,
        at: session.sweep === null ? null : `${session.sweep.path} = ${session.sweep.values[i]}`,
        machine: gpus.length === 0 ? report.machine.cpu : gpus.join(', '),
        file,
        created: session.created,
        time: byWhole ? WHOLE_RUN : session.words.time,
        options: options.map(({ option }) => option),
        steps: others.map((one) => stepOf(base, one, margin)),
      },
    ];
  });
}

/** Those reports that measured a right answer in more than one way; the newest of each problem. */
function* deciding(sessions: readonly SessionOfFile[], baselines: readonly Baseline[]): Pausing<readonly Decision[]> {
  const all: Decision[] = [];
  for (const one of sessions) {
    for (let i = 0; i < one.session.reports.length; i += 1) {
      all.push(...decisionsIn(one, i, baselines));
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

export const decisionsOf = (sessions: readonly SessionOfFile[], baselines: readonly Baseline[]): readonly Decision[] =>
  atOnce(deciding(sessions, baselines));

/** The same with the turns of others in between. */
export const decisionsInTurns = (
  sessions: readonly SessionOfFile[],
  baselines: readonly Baseline[],
): Promise<readonly Decision[]> => inTurns(deciding(sessions, baselines));
