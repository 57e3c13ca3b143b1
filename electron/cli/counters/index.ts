/** Hardware counters of a benchmark, read from CSV files of Nsight Compute (ncu) or measured by running it. */
import path from 'node:path';
import type { Session } from '../../contract/bench/session.ts';
import { isUserKernelId } from '../../contract/user-kernels.ts';
import { addCounters, countWithNcu, readNcuCsv } from '../../host/api/benches.ts';
import { hostWorkloads } from '../../host/api/scenarios.ts';
import { readTableText } from '../../host/index.ts';
import { type FlagSpec, hasFlag, type ParsedArguments, UsageError } from '../arguments.ts';
import type { VerbContext } from '../verb.ts';

export const counterFlags: readonly FlagSpec[] = [
  {
    name: 'counters',
    value: 'VARIANT=NCU.csv',
    repeats: true,
    help: 'Bytes of DRAM and L2, cache hits, occupancy, instructions and stalls of a run, from a CSV file of Nsight Compute. May be repeated.',
  },
  {
    name: 'ncu',
    help: 'After the rounds, profile one run of each CUDA variant of a beam or an image with ncu. If this is not permitted, the reason is printed.',
  },
];

/** Size limit of a counter file, bytes. All metrics of thousands of launches fit. */
const MAX_COUNTER_BYTES = 64 * 2 ** 20;

/** Adds the counters in the `--counters` files to the session. Throws UsageError or BraggError. */
export async function withCounterFiles(session: Session, { flags }: ParsedArguments): Promise<Session> {
  let out = session;
  for (const text of flags.get('counters') ?? []) {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError(`--counters: ${JSON.stringify(text)} is not VARIANT=NCU.csv`);
    const [label, file] = [text.slice(0, at), text.slice(at + 1)];
    const csv = await readTableText(file, MAX_COUNTER_BYTES);
    if (!csv.ok) throw new UsageError(`--counters: ${file} ${csv.reason}`);
    out = addCounters(out, label, readNcuCsv(csv.text, file), path.basename(file));
  }
  return out;
}

/**
 * With `--ncu`, measures the counters of one run of each CUDA variant. A reason that applies to several variants is
 * printed once.
 */
export async function withMeasuredCounters(
  session: Session,
  { parsed, terminal, signal }: VerbContext,
): Promise<Session> {
  if (!hasFlag(parsed, 'ncu')) return session;
  const { workload, sweep, reports } = session;
  // Only transport and diffraction run their problem once per process. Other workloads repeat it many times, which ncu
  // would count.
  if (sweep !== null || hostWorkloads[workload].benchable.usualProcesses === 0) {
    terminal.printNote('No counters: --ncu profiles only beams and diffraction images, and only without --sweep.');
    return session;
  }
  const labels = (reports[0]?.entries ?? []).flatMap(({ label, variant, device }) =>
    // Skip labels that select a precision or a GPU, because `run` has no such labels.
    device === 'cuda' && label === variant && !isUserKernelId(variant) ? [label] : [],
  );
  const [scenario = ''] = parsed.operands;
  const overrides = (parsed.flags.get('set') ?? []).flatMap((one) => ['--set', one]);
  const program = process.argv.slice(0, 2);
  const printedReasons = new Set<string>();
  let out = session;
  for (const label of labels) {
    if (signal.aborted) break;
    const command = [...program, 'run', scenario, '--variant', label, ...overrides];
    const counted = await countWithNcu({ command, signal });
    if (typeof counted !== 'string') out = addCounters(out, label, counted, 'ncu');
    else if (!printedReasons.has(counted)) terminal.printNote(`No counters: ${counted}.`);
    if (typeof counted === 'string') printedReasons.add(counted);
  }
  if (labels.length === 0) terminal.printNote('No counters: no GPU variant was measured.');
  return out;
}
