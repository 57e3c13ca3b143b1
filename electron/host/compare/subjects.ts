/** What stands in a comparison, with the numbers behind it. */
import type { BenchReport, ExternalEntry, MeasuredEntry } from '../../contract/bench.ts';
import type { Subject } from '../../contract/benches.ts';
import { BraggError } from '../../contract/errors.ts';
import { timeOf } from '../bench/measure.ts';
import type { Benches } from '../benches/benches.ts';
import type { Runs } from '../runs/runs.ts';
import { runOf } from '../workloads/run-data.ts';
import { measured, type RunData } from '../workloads/transport/run-data.ts';
import { type DoseField, fieldOfProblem } from './dose-field.ts';

interface Common {
  readonly subject: Subject;
  /** The session's or the run's name. */
  readonly origin: string;
  /** ISO 8601. */
  readonly created: string;
  /** Seconds of the steps; of a session's variant one per round. */
  readonly times: readonly number[];
  readonly dose: DoseField | null;
  /** As the user wrote it; null where it was not recorded. */
  readonly document: Readonly<Record<string, unknown>> | null;
}

export type Loaded =
  | (Common & { readonly kind: 'entry'; readonly entry: MeasuredEntry; readonly report: BenchReport })
  | (Common & {
      readonly kind: 'external';
      readonly external: ExternalEntry;
      readonly result: NonNullable<ExternalEntry['result']>;
      readonly report: BenchReport;
    })
  | (Common & { readonly kind: 'run'; readonly run: RunData });

export interface SubjectParts {
  readonly benches: Benches;
  readonly runs: Runs;
}

async function ofRun(subject: Extract<Subject, { kind: 'run' }>, runs: Runs): Promise<Loaded> {
  const run = runOf('transport', await runs.data(subject.run));
  const { geometry } = measured(run);
  return {
    kind: 'run',
    subject,
    run,
    origin: run.name,
    created: run.created,
    times: [run.device_s > 0 ? run.device_s : run.solve_s],
    dose: { dose: run.dose, geometry },
    document: run.completeScenario,
  };
}

async function ofSession(subject: Exclude<Subject, { kind: 'run' }>, benches: Benches): Promise<Loaded> {
  const { name, session, task, doses } = await benches.session(subject.bench);
  const report = session.reports[subject.report];
  const missing = (): never => {
    throw new BraggError('not-found', `${name} has no ${subject.label}.`);
  };
  if (report === undefined) return missing();
  const common = { subject, origin: name, created: session.created, report, document: report.document ?? null };
  if (subject.kind === 'external') {
    const external = report.external.find(({ id }) => id === subject.label);
    if (external?.result == null) return missing();
    const { result } = external;
    const times = result.samples.map(({ device_s, wall_s }) => device_s ?? wall_s);
    return { ...common, kind: 'external', external, result, times, dose: null };
  }
  const entry = report.entries.find(({ label }) => label === subject.label);
  if (entry?.status !== 'measured') return missing();
  const dose = doses[subject.report]?.get(subject.label);
  const problem = task?.problems[subject.report];
  return {
    ...common,
    kind: 'entry',
    entry,
    // Cancelled before a round was whole: the first run is all there is.
    times: entry.samples.length === 0 ? [entry.time_s] : entry.samples.map(timeOf),
    dose: dose === undefined || problem === undefined ? null : fieldOfProblem(problem, dose),
  };
}

/** Throws BraggError where the subject is gone. */
export function loadSubject(subject: Subject, { benches, runs }: SubjectParts): Promise<Loaded> {
  return subject.kind === 'run' ? ofRun(subject, runs) : ofSession(subject, benches);
}
