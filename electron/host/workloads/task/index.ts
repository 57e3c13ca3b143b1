/**
 * Small measured workloads in the host, one object per kind: scenarios, benchmarks, comparison, exports, measures and
 * timelines. A run is a session, and its run file is the JSON of that session with all samples.
 */
import { recognizeSession, SESSION_FORMAT, type Session, sessionSchema } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import { type TaskDocument, valueAt } from '../../../contract/scenario/index.ts';
import { type TaskKind, taskKinds } from '../../../contract/scenario/kinds.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { isTaskKind } from '../../../contract/task.ts';
import { csvText } from '../../../domain/values/csv.ts';
import { countText } from '../../../domain/values/units.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { readTaskClaims } from '../../model/bench/claims.ts';
import { kernelFolders } from '../../model/bench/machine.ts';
import { parseSessionFile, sessionText } from '../../model/bench/session-file.ts';
import { fromSavedRecording } from '../../model/recording/recording.ts';
import { type RecordedPart, type RunTimeline, threadLanes } from '../../model/timeline/import/run.ts';
import { type BenchmarkSupport, problemFor } from '../benchable.ts';
import { type AnyRunData, fileNameStem, runOf } from '../run-data.ts';
import type { Packer, RunFacts, SessionRunFile } from '../run-files/run-file.ts';
import {
  narrowToKinds,
  problemOf,
  type ScenarioFunctions,
  type ScenarioReading,
  type TaskReading,
} from '../scenarios/scenarios.ts';
import { toPageVariant } from '../variant.ts';
import {
  type ComparedRuns,
  type ExportedFile,
  type HostWorkload,
  type MeasuredTimes,
  measuresOf,
  quantityReadouts,
  sessionEnergyMeasures,
  unitBySuffix,
} from '../workload.ts';
import { taskSessionTerms } from './audits.ts';
import { taskCandidates, variantsFor } from './candidates.ts';
import {
  amountFor,
  minSecondsOfRun,
  roundsText,
  sumOfMinSeconds,
  TaskWorkloadRun,
  taskBenchSetup,
  throwIfTaskTooLong,
} from './running.ts';
import { checkTask, isTask, resolveTask } from './scenario/index.ts';
import { bestEntryOf, requireTaskRun, type TaskRunData, taskRunData } from './task-data.ts';
import { taskUserKernels } from './user-kernels.ts';
import { sizesIn, valuesInFiles } from './user-problem/definition.ts';

/** Whether a text is a session of a small measured workload, according to its first characters. */
export const isTaskSession = (text: string): boolean => recognizeSession(text)?.isTask === true;

/** Parses a session with its recordings. Throws BraggError `foreign-file`. */
export const parseTaskSession = (text: string, path: string): Session =>
  parseSessionFile(text, path, [SESSION_FORMAT], sessionSchema);

function writeTaskRun({ session }: TaskRunData): Promise<Uint8Array> {
  return Promise.resolve(new TextEncoder().encode(sessionText(session)));
}

/** Builds a run from its session. Throws BraggError `foreign-file`. */
export function runOfSession(session: Session, name: string): TaskRunData {
  const [report] = session.reports;
  const { workload } = session;
  if (report === undefined || !isTaskKind(workload)) {
    throw new BraggError(
      'foreign-file',
      `${name} contains a run of "${workload}", which this version does not support.`,
    );
  }
  const { machine, program, document, elapsed_s } = report;
  const scenario = document ?? { kind: workload, version: 1, name: report.scenario };
  return taskRunData(
    workload,
    {
      program: {
        version: program.version ?? '',
        build: program.build,
        compiler: program.compiler ?? '',
        commit: program.commit,
      },
      machine: {
        id: machine.id ?? null,
        cpu: machine.cpu,
        logicalCores: machine.logical_cores,
        memory_bytes: machine.memory_bytes ?? 0,
        os: machine.os,
        device: machine.gpu?.name ?? null,
      },
      name: report.scenario,
      created: session.created,
      finished: session.created,
      scenario,
      completeScenario: scenario,
      wall_s: session.reports.reduce((sum, one) => sum + one.elapsed_s, 0) || elapsed_s,
    },
    session,
  ) as TaskRunData;
}

/** Decodes UTF-8. Unlike TextDecoder, this accepts shared memory. */
const decodeUtf8 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

/** Reads a run file. Throws BraggError `foreign-file`. */
function readTaskRun(bytes: Uint8Array, name: string): TaskRunData {
  return runOfSession(parseTaskSession(decodeUtf8(bytes), name), name);
}

/** Number of leading bytes of a file that contain the name of its format. */
const HEAD_BYTES = 200;

/** Whether a file may be a session of a small measured workload. Run files of other workloads are HDF5. */
function isTaskFile(bytes: Uint8Array): boolean {
  return isTaskSession(decodeUtf8(bytes.subarray(0, HEAD_BYTES)));
}

function taskFacts({
  workload,
  name,
  scenario,
  variant,
  precision,
  status,
  machine,
  wall_s,
  session,
}: TaskRunData): RunFacts {
  const best = bestEntryOf(session);
  const result = best === null ? null : `${(1 / best.ratio.value).toPrecision(3)} × with ${best.label}`;
  return { workload, name, scenario, variant, precision, status, device: machine.device ?? 'cpu', result, wall_s };
}

const taskRunFile: SessionRunFile = {
  format: 'session',
  is: isTaskFile,
  read: readTaskRun,
  write: (run: AnyRunData) => writeTaskRun(requireTaskRun(run)),
  facts: (run: AnyRunData) => taskFacts(requireTaskRun(run)),
  holds: 'it contains a measurement of small workloads, which the page and braggbench replay can show',
};

function taskBenchable(kind: TaskKind): BenchmarkSupport {
  return {
    problem: (reading) => {
      if (reading.kind !== kind) throw new Error(`a scenario of kind ${reading.kind} was passed to ${kind}`);
      return { kind, problem: problemOf(reading) };
    },
    check: (addon, problem, variants) => {
      taskCandidates(problemFor(kind, problem), variants, addon.taskVariants(kind));
    },
    least_s: async (addon, problem, variants) => sumOfMinSeconds(addon, problemFor(kind, problem), variants),
    amount: (addon, problem, variant) => amountFor(addon, problemFor(kind, problem), variant),
    // No cold processes, because such workloads measure a kernel that is prepared once and then repeated.
    usualProcesses: 0,
    terms: taskSessionTerms,
    // Names of folders with C++ code contain underscores.
    kernels: kind.replaceAll('-', '_'),
    readClaims: (assetsFolder, problem) => readTaskClaims(assetsFolder, problemFor(kind, problem)),
    setup: async (addon, problem, options) => taskBenchSetup(addon, problemFor(kind, problem), options),
    field: () => null,
  };
}

const comparedTasks: ComparedRuns = {
  kind: 'sessions',
  session: (run: AnyRunData) => {
    if ('session' in run) return run.session;
    throw new Error(`expected a run of a small workload, but this is one of ${run.workload}`);
  },
};

const columns = [
  'at',
  'variant',
  'device',
  'precision',
  'status',
  'time_s',
  'ratio',
  'ratio_low',
  'ratio_high',
  'verdict',
  'bytes_per_s',
  'flops_per_s',
  'bitwise',
  'reason',
];

function sessionTable({ session }: TaskRunData): string {
  const rows = session.reports.flatMap(({ entries }, i) =>
    entries.map((entry) => {
      const at = session.sweep?.values[i] ?? '';
      const head = [at, entry.label, entry.device, entry.precision, entry.status];
      if (entry.status === 'refused') return [...head, '', '', '', '', '', '', '', '', entry.reason];
      const { time_s, ratio, verdict, roofline, determinism } = entry;
      const { bytes_per_s = null, flops_per_s = null } = roofline ?? {};
      const { value, interval } = ratio;
      return [
        ...head,
        ...[time_s, value, interval?.low, interval?.high, verdict, bytes_per_s, flops_per_s, determinism?.bitwise, ''],
      ];
    }),
  );
  return csvText(columns, rows);
}

async function exportTask(run: TaskRunData, what: string, packer: Packer): Promise<ExportedFile> {
  const name = fileNameStem(run.name);
  if (what === 'run') return { name: `${name}.task.json`, mime: 'application/json', bytes: await packer.write(run) };
  return { name: `${name}-variants.csv`, mime: 'text/csv', bytes: new TextEncoder().encode(sessionTable(run)) };
}

function taskMeasures(run: TaskRunData): MeasuredTimes {
  const requested = valueAt(run.completeScenario, ['solver', 'variant']);
  const entries = run.session.reports[0]?.entries ?? [];
  const own = entries.find(({ variant }) => variant === requested);
  if (own?.status === 'refused') throw new BraggError('unsupported', `${own.label}: ${own.reason}`);
  const entry = own ?? bestEntryOf(run.session);
  if (entry === null) throw new BraggError('unsupported', `${run.name}: no variant could be measured on this machine.`);
  const checks = entry.accuracy.map(({ id, value }) => [`check.${id}`, value] as const);
  return {
    variant: entry.variant,
    precision: entry.precision,
    threads: entry.threads,
    measures: [
      // The verdict, and the errors that it is based on.
      ...measuresOf('readouts', unitBySuffix, { verdict: entry.verdict, ...Object.fromEntries(checks) }),
      ...quantityReadouts(entry.quantities),
      ...measuresOf('times', (name) => (name.endsWith('_per_s') ? '1/s' : unitBySuffix(name)), {
        ...{ time_s: entry.time_s, setup_s: entry.setup_s, wall_s: entry.wall_s },
        ...{ spread: entry.spread, rounds: entry.samples.length },
        ...{ bytes_per_s: entry.roofline?.bytes_per_s, flops_per_s: entry.roofline?.flops_per_s },
        ...{ share_of_copy: entry.roofline?.share_of_copy, share_of_flops: entry.roofline?.share_of_flops },
        ratio_to_first: entry.ratio.value,
        ratio_to_first_low: entry.ratio.interval?.low,
        ratio_to_first_high: entry.ratio.interval?.high,
      }),
      ...measuresOf('memory', unitBySuffix, { state_bytes: entry.state_bytes }),
      ...sessionEnergyMeasures(entry.quantities, run.session.reports[0]?.facts ?? []),
    ],
    curves: [],
  };
}

const taskScenario: ScenarioFunctions = {
  files: (filled) =>
    filled.kind === USER_PROBLEM
      ? filled.arrays.flatMap(({ values }) => (values?.kind === 'file' ? [values.path] : []))
      : [],
  completeAndCheck: async (any, _value, _leftOut, { folder }, { variants, memoryLimit_bytes }) => {
    const scenario = narrowToKinds(taskKinds, any);
    const faults = checkTask(scenario, variants(scenario.kind));
    const read =
      scenario.kind === USER_PROBLEM && faults.length === 0
        ? await valuesInFiles(scenario, folder, kernelFolders().cache)
        : { files: [], faults: [] };
    return {
      faults: [...faults, ...read.faults],
      issues: [],
      warnings: () => Promise.resolve([]),
      reading: ({ draft, document, issues, valid, locate }) => ({
        kind: scenario.kind,
        draft,
        document: document as TaskDocument | null,
        issues,
        scenario,
        problem: valid ? () => resolveTask(scenario, memoryLimit_bytes, read.files) : null,
        locate,
      }),
    };
  },
};

function taskTimeline({ name, variant, precision, machine, session }: TaskRunData): RunTimeline {
  const { reports, sweep } = session;
  const parts = reports.flatMap(({ recordings = [] }, i): RecordedPart[] =>
    recordings.map((kept) => {
      const recording = fromSavedRecording(kept);
      const [calls, ...threads] = [{ name: 'samples', onDevice: false }, ...threadLanes(recording.spans.threads - 1)];
      return {
        title: sweep === null ? kept.label : `${kept.label} at ${sweep.values[i]}`,
        device: kept.device,
        lanes: calls === undefined ? [] : [calls, ...threads],
        ...recording,
      };
    }),
  );
  const device = parts.find((part) => part.device !== null)?.device ?? machine.device;
  return {
    name,
    variant,
    precision,
    machine: { ...machine, device },
    parts,
    counts: 'Repetitions',
    traffic: null,
  };
}

function requireTask(kind: TaskKind, reading: ScenarioReading): TaskReading {
  if (isTask(reading)) return reading;
  throw new Error(`a scenario of kind ${reading.kind} was passed to ${kind}`);
}

export function taskWorkload(kind: TaskKind): HostWorkload {
  const variants = (addon: NativeAddon) =>
    addon.taskVariants(kind).map((variant) => toPageVariant(variant, [variant.precision]));
  return {
    scenario: taskScenario,
    runFile: taskRunFile,
    timeline: (run) => taskTimeline(runOf(kind, run)),
    userKernels: taskUserKernels(kind),
    compiledAtStart: false,
    variants,
    resolve: async ({ addon, memoryLimit_bytes }, any) => {
      const reading = requireTask(kind, any);
      if (reading.problem === null) return null;
      const problem = reading.problem();
      const mine = variantsFor(problem, addon.taskVariants(kind));
      const { plan } = addon.createTask(problem);
      throwIfTaskTooLong(problem);
      return {
        kind,
        scenario: { ...reading.scenario },
        variant: plan.variant,
        variants: mine.map(({ id, reason }) => ({ id, refusal: reason })),
        estimate: { total_bytes: plan.estimate_bytes, limit_bytes: memoryLimit_bytes },
        bench: problem.bench,
        title: mine[0]?.benchTitle ?? kind,
        available: mine.filter(({ available }) => available).length,
      };
    },
    needs: async (addon, reading) => {
      const asked = problemOf(requireTask(kind, reading));
      const { variant, precision, estimate_bytes } = addon.createTask(asked).plan;
      throwIfTaskTooLong(asked);
      const problem = kind === USER_PROBLEM ? sizesIn(asked) : { ...asked.numbers, ...asked.words, ...asked.switches };
      const parameterTexts = Object.entries(problem).map(([name, value]) => `${name} ${value}`);
      return {
        variant,
        precision,
        state_bytes: estimate_bytes,
        size: parameterTexts.join(', '),
        sizes: { problem },
        least_s: minSecondsOfRun(addon, asked),
      };
    },
    prepare: async (addon, any, { assetsFolder, name, trace, measure, energy }) => {
      const reading = requireTask(kind, any);
      throwIfTaskTooLong(problemOf(reading));
      return new TaskWorkloadRun(addon, {
        kind,
        problem: problemOf(reading),
        document: { ...reading.document },
        name: reading.scenario.name || name,
        assetsFolder,
        trace,
        measure,
        energy,
      });
    },
    ended: async (any) => {
      const { session } = runOf(kind, any);
      const best = bestEntryOf(session);
      const measured = session.reports[0]?.entries.filter(({ status }) => status === 'measured').length ?? 0;
      const rounds = session.reports[0]?.rounds ?? 0;
      const gain = best === null || best.ratio.value === 0 ? null : 1 / best.ratio.value;
      return {
        size: countText(measured, 'variant'),
        headline: gain === null ? null : { name: 'best', value: gain, unit: '×' },
        detail: { workload: kind, phase: 'rounds', what: '', round: rounds, rounds },
        upTo: roundsText(session),
      };
    },
    exportFile: (run, what, packer) => exportTask(runOf(kind, run), what, packer),
    benchable: taskBenchable(kind),
    compared: comparedTasks,
    measures: (run) => taskMeasures(runOf(kind, run)),
    // Concurrent computations would disturb the measurement.
    concurrency: () => 'alone',
    label: () => '',
    // Some claims apply only to certain values of the problem.
    claimValues: (filled) => (isTaskKind(filled.kind) ? resolveTask(narrowToKinds(taskKinds, filled), 1) : null),
  };
}
