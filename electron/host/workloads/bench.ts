/** Runs benchmarks for the page, the command line, measured runs, and tests. */
import { SESSION_FORMAT, type Session, type SessionReport } from '../../contract/bench/session.ts';
import type { NativeAddon } from '../io/addon/addon.ts';
import { addFactorialEffects, readDesigns } from '../model/bench/factorial/effects.ts';
import { describeGpus, devicesWithCeilings, kernelFolders } from '../model/bench/machine.ts';
import { runSession, type SessionOptions } from '../model/bench/session.ts';
import { collectRecordedFacts } from '../model/bench/session-file.ts';
import { kernelsNamedIn, readVariantSources } from '../model/bench/sources.ts';
import { fitSweep } from '../model/bench/sweep.ts';
import type {
  BenchCallbacks,
  BenchmarkSupport,
  BenchOutcome,
  BenchProblem,
  BenchSetupOptions,
  BenchTask,
  ResultArrays,
} from './benchable.ts';
import { allVariants } from './index.ts';

/** Measures variants of one problem against each other. Throws a BraggError if a variant is unknown. */
export async function measureReport(
  addon: NativeAddon,
  benchable: BenchmarkSupport,
  problem: BenchProblem,
  options: SessionOptions & Omit<BenchSetupOptions, 'signal'>,
): Promise<SessionReport> {
  return runSession(addon, await benchable.setup(addon, problem, options), options);
}

/**
 * Limits the recorded kernel resources to the kernels of the report's variants. Those of a complete workload would
 * dominate the file size.
 */
async function withReportKernels(addon: NativeAddon, report: SessionReport, workload: string): Promise<SessionReport> {
  const { resources, ...rest } = report;
  if (resources === undefined) return report;
  const ids = new Set(report.entries.map(({ variant }) => variant));
  const own = allVariants(addon).filter(
    (one) => one.workload === workload && one.bench === report.bench && ids.has(one.id),
  );
  const { sources } = kernelFolders();
  const named = await Promise.all(
    own.map(async (variant) => {
      const files = await readVariantSources(sources, variant).catch(() => null);
      return files === null ? [] : kernelsNamedIn(files, resources).kernels;
    }),
  );
  const kernels = new Set(named.flat());
  return kernels.size === 0 ? rest : { ...rest, resources: { ...resources, kernels: [...kernels] } };
}

/**
 * Measures a task. The session contains one report, or for a sweep one per value and a fitted line. A cancelled session
 * contains the reports so far.
 */
export async function measureSession(
  addon: NativeAddon,
  benchable: BenchmarkSupport,
  task: BenchTask,
  { onProgress: reportProgress, signal, onIntermediateSession, warn, startChild }: BenchCallbacks,
): Promise<BenchOutcome> {
  const { workload, problems, sweep, created, command, assetsFolder, trace } = task;
  const { scenario, documents, variants, modes, seed, limits } = task;
  const count = task.processes ?? (sweep === null ? benchable.usualProcesses : 0);
  const reports: SessionReport[] = [];
  const answers: ResultArrays[] = [];
  const sessionOf = (all: readonly SessionReport[]): Session => {
    const values = sweep?.values.slice(0, all.length) ?? [];
    return {
      ...{ format: SESSION_FORMAT, format_version: 3, workload, words: benchable.terms(sweep?.path), created, command },
      reports: [...all],
      sweep: sweep === null ? null : { path: sweep.path, values: [...values], fits: fitSweep(values, all) },
    };
  };
  const devices = await devicesWithCeilings(addon, (reason) => warn?.(`No ceilings: ${reason}`));
  const facts = await collectRecordedFacts(assetsFolder, devices, benchable.kernels);
  for (const [index, problem] of problems.entries()) {
    if (signal.aborted && index > 0) break;
    const found = new Map<string, Float32Array | Float64Array>();
    answers.push(found);
    const report = await measureReport(addon, benchable, problem, {
      ...{ scenario, variants, modes, seed, limits, signal },
      recorded: { ...facts, document: documents[index] ?? {} },
      ...{ steadied: task.steadied, energy: task.energy },
      gpus: describeGpus(devices),
      claims: task.withoutClaims === true ? [] : await benchable.readClaims(assetsFolder, problem),
      ...(task.sample_s !== undefined && { sample_s: task.sample_s }),
      external:
        task.external.length === 0 ? null : { assetsFolder, ids: task.external, scenario: task.scenarios[index] },
      ...(startChild !== undefined && { processes: { count, startChild } }),
      ...(trace && { trace: (reason: string) => warn?.(reason) }),
      ...(onIntermediateSession !== undefined && {
        soFar: (part: SessionReport) => onIntermediateSession(sessionOf([...reports, part])),
      }),
      onAnswer: (label, values) => found.set(label, values),
      onProgress: (progress) => reportProgress(progress, index),
    });
    reports.push(await withReportKernels(addon, report, workload));
  }
  return { session: addFactorialEffects(sessionOf(reports), await readDesigns(assetsFolder)), answers };
}
