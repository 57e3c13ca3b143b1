/**
 * Saves Nsight Compute counters of a dense step for the handbook: `node electron/build/bench/dense-step.ts NCU.csv GPU
 * COMMIT`, where the CSV is `ncu --csv --page raw --set full` of `braggbench run dense-36M --variant cuda-fused`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { ncuValues, readNcuCsv } from '../../host/model/counters/ncu.ts';

/** Number of cells of `dense-36M`. */
const CELLS = 50 * 72 * 100 * 100;

const share = z.number().min(0).max(1);
const fileSchema = z.strictObject({
  format: z.literal('braggbench-dense-step'),
  format_version: z.literal(1),
  /** Last commit that changed the kernel. */
  kernel_commit: z.string(),
  gpu: z.string(),
  cells: z.int(),
  /** Seconds of a launch under ncu. */
  time_s: z.number(),
  launches: z.int().min(1),
  dram_read_bytes: z.number(),
  dram_written_bytes: z.number(),
  /** Instructions per warp, not per thread. */
  instructions: z.number(),
  dram: share,
  issue: share,
  shared: share,
  fma: share,
  /** Mean share of the step's time in which a multiprocessor is active. */
  busy: share,
  /** Mean number of warps of a scheduler while it has any. */
  warps: z.number(),
  /** Share of the waiting cycles by reason, the largest first. */
  stalls: z.array(z.strictObject({ reason: z.string(), share })).min(1),
  /** Alternative designs, the shipped one first. They are timed without ncu, in one process on the same GPU model. */
  tried: z.array(z.strictObject({ what: z.string(), time_s: z.number().positive() })).default([]),
});
export type DenseStep = Readonly<z.infer<typeof fileSchema>>;

/** Counters of a dense step. Throws an error with the name of a metric that the CSV lacks. */
export function denseStepOf(csv: string, gpu: string, kernelCommit: string): DenseStep {
  const values = ncuValues(csv, 'the CSV');
  const mean = (metric: string): number => {
    const found = values.filter((one) => one.metric === metric).map(({ value }) => value);
    if (found.length === 0 || found.includes(null)) throw new Error(`the CSV has no metric ${metric}`);
    return found.reduce<number>((sum, value) => sum + (value ?? 0), 0) / found.length;
  };
  const { launches, stalls } = readNcuCsv(csv, 'the CSV');
  return fileSchema.parse({
    ...{ format: 'braggbench-dense-step', format_version: 1, kernel_commit: kernelCommit, gpu, cells: CELLS },
    ...{ time_s: mean('gpu__time_duration.sum'), launches },
    dram_read_bytes: mean('dram__bytes_read.sum'),
    dram_written_bytes: mean('dram__bytes_write.sum'),
    instructions: mean('smsp__inst_executed.sum'),
    dram: mean('gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed') / 100,
    issue: mean('sm__issue_active.avg.pct_of_peak_sustained_elapsed') / 100,
    shared: mean('l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed') / 100,
    fma: mean('sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed') / 100,
    busy: mean('sm__cycles_active.avg') / mean('sm__cycles_elapsed.max'),
    warps: mean('smsp__warps_active.avg.per_cycle_active'),
    stalls: stalls.slice(0, 4),
  });
}

const fileOf = (root: string): string => path.join(root, 'assets/measured/dense-step.json');

/** Saved counters; null if there are none. */
export function readDenseStep(root: string): DenseStep | null {
  const file = fileOf(root);
  return existsSync(file) ? fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
}

if (import.meta.main) {
  const [csv, gpu, commit] = process.argv.slice(2);
  if (csv === undefined || gpu === undefined || commit === undefined)
    throw new Error('expected arguments: NCU.csv GPU COMMIT');
  const kept = denseStepOf(readFileSync(csv, 'utf8'), gpu, commit);
  const root = path.resolve(import.meta.dirname, '../../..');
  // Replaces the counters, but retains the designs, which are timed separately.
  const tried = readDenseStep(root)?.tried ?? [];
  writeFileSync(fileOf(root), `${JSON.stringify({ ...kept, tried }, null, 2)}\n`);
}
