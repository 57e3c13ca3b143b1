/** Loads the subjects of a comparison (runs, and entries of sessions) with their numbers. */
import {
  type EndToEnd,
  environmentFacts,
  gpuOfEntry,
  isUnproven,
  type MachineIdentity,
  machineKey,
  type Ratio,
  type SessionGpu,
} from '../../../contract/bench/bench-session.ts';
import type { Subject } from '../../../contract/bench/benches.ts';
import type { ComparedRow } from '../../../contract/bench/comparison.ts';
import {
  type Correctness,
  correctnessOf,
  type MeasuredSessionEntry,
  type Session,
  type SessionReport,
  type SessionTerms,
  type TimedSample,
} from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import { recordedInstances } from '../../model/bench/claim-results.ts';
import type { ComparedField } from '../../model/fields/field.ts';
import { defaultMargin } from '../../model/verdicts/judge.ts';
import type { Instances } from '../../model/verdicts/levels.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import type { Benches } from '../benches/benches.ts';
import type { Runs } from '../runs/runs.ts';

/** Columns of a row that do not depend on the reference. */
export type AbsoluteRow = Omit<
  ComparedRow,
  | 'group'
  | 'ratio'
  | 'whole'
  | 'process'
  | 'paired'
  | 'verdict'
  | 'note'
  | 'differences'
  | 'time_interval'
  | 'has_map'
  | 'has_curve'
>;

export interface LoadedSubject {
  readonly row: AbsoluteRow;
  readonly words: SessionTerms;
  /** Times in seconds. A variant of a session has one time per round. */
  readonly times: readonly number[];
  /** Times grouped by instance, which is one separately prepared state. Null if the session records no instances. */
  readonly instances: Instances | null;
  /** Times of end-to-end runs, grouped by instance. Null if they were not measured in this way. */
  readonly wholes: Instances | null;
  /** Times of separate processes, one per process, or the reason why there are none. Null if none were requested. */
  readonly processes: { readonly times: Instances; readonly reason: string | null } | null;
  /** Identifies the session report whose rounds were timed. Null for a single run. */
  readonly rounds: string | null;
  readonly machine: {
    /** Identifies the machine without its GPU. */
    readonly key: string;
    readonly name: string;
    /** UUID of the default GPU for runs. Undefined if not recorded. */
    readonly gpu: string | null | undefined;
  };
  /** Ratio of the session's reference to a second copy of it. Null if there is no session. */
  readonly noise: Ratio | null;
  /** Noise floors of the session as ratios minus 1: of step times, end-to-end runs and processes. */
  readonly floor: number | null;
  readonly wholeFloor: number | null;
  readonly processFloor: number | null;
  /** Ratio minus 1 up to which the session calls two times the same. */
  readonly margin: number;
  /** Label of the session's reference. Null if there is none. */
  readonly sessionReference: string | null;
  /** The session's comparison of end-to-end runs with its reference. Null if there is none. */
  readonly judgedWhole: EndToEnd | null;
  /** Correctness according to the session. A single run is not checked. */
  readonly correctness: Correctness;
  /** Whether `row.accuracy` was computed against FP64. If not, it is the difference from another result. */
  readonly isAgainstFp64: boolean;
  readonly field: ComparedField | null;
  /** Scenario as the user wrote it. Null if it was not recorded. */
  readonly document: Readonly<Record<string, unknown>> | null;
  readonly environment: Readonly<Record<string, string>>;
}

export interface SubjectParts {
  readonly benches: Benches;
  readonly runs: Runs;
}

function machineOf(machine: Omit<MachineIdentity, 'gpu'>, gpu: string | null | undefined): LoadedSubject['machine'] {
  const { cpu, logical_cores } = machine;
  return {
    key: machineKey({ ...machine, gpu: null }),
    name: `${cpu}, ${logical_cores} ${logical_cores === 1 ? 'core' : 'cores'}`,
    gpu,
  };
}

async function loadRun(subject: Extract<Subject, { kind: 'run' }>, runs: Runs): Promise<LoadedSubject> {
  const run = await runs.data(subject.run);
  const { compared } = hostWorkloads[run.workload];
  if (compared.kind === 'sessions') {
    throw new BraggError('unsupported', `${run.name} measured several variants: open it from the list of sessions.`);
  }
  const { threads, isa, time_s, setup_s, setup_parts, size, quantities, accuracy, field, environment } =
    await compared.of(run);
  const { name, variant, precision, machine, program, created, wall_s } = run;
  return {
    row: {
      subject,
      workload: run.workload,
      bench: '',
      title: `${name}: ${variant}`,
      origin: name,
      scenario: name,
      variant,
      device: machine.device ?? `${machine.cpu}, ${threads} threads`,
      precision,
      provenance: {
        machine: machine.device ?? machine.cpu,
        version: program.version,
        commit: program.commit,
        measured: created,
        driver: null,
        sm_MHz: null,
      },
      conditions: [],
      ...{ time_s, wall_s, setup_s, setup_parts: [...setup_parts], size },
      spread: null,
      first_setup_s: null,
      modes: [],
      accuracy: [...accuracy],
      quantities: [...quantities],
      roofline: null,
      determinism: null,
      flagged: null,
      rung: null,
      cumulative: null,
      samples: [{ round: 0, time_s, sm_MHz: null, flag: null }],
    },
    words: compared.words,
    times: [time_s],
    instances: null,
    wholes: null,
    processes: null,
    rounds: null,
    machine: machineOf({ ...machine, logical_cores: machine.logicalCores }, undefined),
    noise: null,
    sessionReference: null,
    floor: null,
    wholeFloor: null,
    processFloor: null,
    margin: defaultMargin,
    judgedWhole: null,
    correctness: 'not checked',
    isAgainstFp64: false,
    field,
    document: run.completeScenario,
    environment: {
      version: program.version,
      compiler: program.compiler,
      commit: program.commit ?? 'not recorded',
      cpu: machine.cpu,
      system: machine.os,
      gpu: machine.device ?? 'none',
      'instruction set': isa,
      threads: String(threads),
      ...environment,
    },
  };
}

/** Groups times by instance. Null if a sample lacks its instance or the requested time. */
function instancesIn(
  samples: MeasuredSessionEntry['samples'],
  secondsOf: (sample: TimedSample) => number | undefined,
): Instances | null {
  const allHaveInstances = samples.every((sample) => sample.instance !== undefined && secondsOf(sample) !== undefined);
  return allHaveInstances && samples.length > 0
    ? recordedInstances(samples, (sample) => secondsOf(sample) ?? Number.NaN)
    : null;
}

const processesOf = ({
  samples,
  reason,
}: NonNullable<MeasuredSessionEntry['process']>): LoadedSubject['processes'] => ({
  times: samples.map(({ time_s }) => [time_s]),
  reason,
});

function clockRangeOf(samples: readonly { readonly sm_MHz: number | null }[]) {
  // Use a loop, because a file may contain more samples than Math.min accepts as arguments.
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { sm_MHz } of samples) {
    if (sm_MHz !== null) [low, high] = [Math.min(low, sm_MHz), Math.max(high, sm_MHz)];
  }
  return low <= high ? { low, high } : null;
}

function deviceOf({ device, threads, gpu }: MeasuredSessionEntry, { machine }: SessionReport): string {
  if (device === 'cpu') return threads === null ? machine.cpu : `${machine.cpu}, ${threads} threads`;
  return `${gpuOfEntry(machine, gpu)?.name ?? 'GPU'}${gpu === null ? '' : `, GPU ${gpu}`}`;
}

function environmentOf(
  { machine, program, scenario }: SessionReport,
  gpu: SessionGpu | null,
): LoadedSubject['environment'] {
  return {
    version: program.version ?? 'not recorded',
    compiler: program.compiler ?? 'not recorded',
    commit: program.commit ?? 'not recorded',
    cpu: machine.cpu,
    system: machine.os,
    gpu: gpu?.name ?? 'none',
    driver: gpu?.driver ?? 'none',
    scenario,
  };
}

/** Returns the conditions during the measurement. Imported sessions store them among the facts. */
function conditionsOf({ title, machine, environment, facts }: SessionReport): AbsoluteRow['conditions'] {
  const all = [
    ...environmentFacts(environment, machine.logical_cores),
    ...facts.filter(([, value]) => value !== title),
  ];
  return [...new Map(all.map((fact) => [fact.join('\n'), fact])).values()];
}

/** Returns the columns that all rows of a report share, and for a GPU variant the GPU that it used. */
function reportColumns(
  { workload, created, words }: Session,
  report: SessionReport,
  on: { readonly device: 'cpu' | 'cuda'; readonly gpu: number | null },
) {
  const { machine, program, scenario, bench, noise, judged, document = null } = report;
  const used = gpuOfEntry(machine, on.gpu);
  const gpu = on.device === 'cuda' ? used : null;
  return {
    words,
    machine: machineOf(machine, machine.gpu?.uuid ?? null),
    noise: noise.ratio,
    sessionReference: report.reference,
    floor: noise.floor,
    wholeFloor: noise.whole_floor ?? null,
    processFloor: noise.process_floor ?? null,
    margin: judged?.margin ?? defaultMargin,
    document,
    environment: environmentOf(report, used),
    row: {
      workload,
      bench,
      scenario,
      provenance: {
        machine: gpu?.name ?? machine.cpu,
        driver: gpu?.driver ?? null,
        sm_MHz: null,
        version: program.version,
        commit: program.commit,
        measured: created,
      },
      conditions: conditionsOf(report),
    },
  };
}

/** A session with its display name, and the answers that are still in memory. */
interface NamedSession {
  readonly name: string;
  readonly session: Session;
  readonly answer: (report: number, label: string) => ComparedField | null;
}

export type EntrySubject = Exclude<Subject, { kind: 'run' }>;

/** Loads an entry of a session. Throws BraggError if the session does not contain it. */
export function loadedSubjectOf({ name, session, answer }: NamedSession, subject: EntrySubject): LoadedSubject {
  const report = session.reports[subject.report];
  const throwMissing = (): never => {
    throw new BraggError('not-found', `${name} has no ${subject.label}.`);
  };
  if (report === undefined) return throwMissing();
  const rounds = subject.kind === 'external' ? null : JSON.stringify([subject.bench, subject.report]);
  if (subject.kind === 'external') {
    const external = report.external.find(({ id }) => id === subject.label);
    if (external?.result == null) return throwMissing();
    const { times, wrong, ...result } = external.result;
    const { row, ...common } = reportColumns(session, report, { device: 'cuda', gpu: null });
    return {
      ...common,
      row: {
        ...row,
        ...result,
        subject,
        title: external.title,
        origin: name,
        variant: external.id,
        // An external program reports only the time of its steps, without start-up and output.
        wall_s: null,
        first_setup_s: null,
        setup_parts: [],
        modes: [],
        roofline: null,
        determinism: null,
        flagged: null,
        rung: null,
        cumulative: null,
        samples: times.map((time_s, round) => ({ round, time_s, sm_MHz: null, flag: null })),
      },
      ...{ times, rounds, correctness: wrong ? 'wrong' : correctnessOf(result.accuracy) },
      instances: null,
      wholes: null,
      processes: null,
      judgedWhole: null,
      isAgainstFp64: true,
      field: null,
    };
  }
  const entry = report.entries.find(({ label }) => label === subject.label);
  if (entry?.status !== 'measured') return throwMissing();
  const { row, ...common } = reportColumns(session, report, entry);
  const { label, variant, precision, time_s, wall_s, spread, setup_s, first_setup_s, setup_parts, modes } = entry;
  const { size, accuracy, quantities, roofline, determinism, flagged, samples, whole, process } = entry;
  const { rung, cumulative } = entry;
  return {
    ...common,
    row: {
      ...row,
      provenance: { ...row.provenance, sm_MHz: clockRangeOf(samples) },
      ...{ subject, title: label, origin: name, variant, precision, device: deviceOf(entry, report) },
      ...{ time_s, wall_s, spread, setup_s, first_setup_s, setup_parts, modes },
      ...{ size, accuracy, quantities, roofline, flagged, rung, cumulative },
      determinism: determinism && repeatsOf(determinism),
      // A session that was cancelled before a complete round contains only the first run.
      samples: samples.length === 0 ? [{ round: 0, time_s, sm_MHz: null, flag: null }] : samples,
    },
    times: samples.length === 0 ? [time_s] : samples.map((sample) => sample.time_s),
    instances: instancesIn(samples, (sample) => sample.time_s),
    wholes: instancesIn(samples, (sample) => sample.wall_s),
    processes: process === undefined ? null : processesOf(process),
    judgedWhole: whole ?? null,
    rounds,
    correctness: isUnproven(entry.verdict) ? entry.verdict : 'correct',
    isAgainstFp64: true,
    field: answer(subject.report, subject.label),
  };
}

/** Omits the hash of the result, which is not shown. */
const repeatsOf = ({ runs, bitwise, spread }: NonNullable<AbsoluteRow['determinism']>) => ({ runs, bitwise, spread });

/** Loads a run or an entry of a session. Throws BraggError if it no longer exists. */
export async function loadSubject(subject: Subject, { benches, runs }: SubjectParts): Promise<LoadedSubject> {
  return subject.kind === 'run'
    ? loadRun(subject, runs)
    : loadedSubjectOf(await benches.session(subject.bench), subject);
}
