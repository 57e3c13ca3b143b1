/** Benchmarks of tests, through the door that the page and the command line take. */
import type { MeasuredSessionEntry, SessionReport } from '../../../electron/contract/bench/session.ts';
import type { NativeAddon } from '../../../electron/host/io/addon/addon.ts';
import { measureReport } from '../../../electron/host/workloads/bench.ts';
import type { BenchProblem } from '../../../electron/host/workloads/benchable.ts';
import { hostWorkloads } from '../../../electron/host/workloads/index.ts';

export type HereOptions = Parameters<typeof measureReport>[3];

export function benchHere(addon: NativeAddon, problem: BenchProblem, options: HereOptions): Promise<SessionReport> {
  return measureReport(addon, hostWorkloads[problem.kind].benchable, problem, options);
}

/** The entry of a label, or of a variant. Throws where it was not measured. */
export function measuredIn({ entries }: SessionReport, label: string): MeasuredSessionEntry {
  const entry = entries.find((one) => one.label === label);
  if (entry?.status !== 'measured') throw new Error(`${label} was not measured`);
  return entry;
}

export function accuracyIn(entry: MeasuredSessionEntry, id: string): MeasuredSessionEntry['accuracy'][number] {
  const found = entry.accuracy.find((one) => one.id === id);
  if (found === undefined) throw new Error(`${entry.label} has no ${id}`);
  return found;
}
