/**
 * Saves Nsight Compute counters of a dense transport step, for the handbook. Usage: `node
 * electron/build/bench/dense-step.ts NCU.csv GPU COMMIT`. The CSV file is the output of `ncu --csv --page raw --set
 * full` for `braggbench run dense-36M --variant cuda-fused`.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { parseNcuValues, readNcuCsv } from '../../host/model/counters/ncu.ts';

/** Number of cells of the scenario `dense-36M`. */
const CELLS = 50 * 72 * 100 * 100;

const share = z.number().min(0).max(1);
const fileSchema = z.strictObject({
  format: z.literal('braggbench-dense-step'),
  format_version: z.literal(1),
  /** Commit in which the kernel last changed. */
  kernel_commit: z.string(),
  gpu: z.string(),
  cells: z.int(),
  /** Time of one launch under ncu, s. */
  time_s: z.number(),
  launches: z.int().min(1),
  dram_read_bytes: z.number(),
  dram_written_bytes: z.number(),
  /** Number of executed warp instructions; one instruction of a warp counts once, not per thread. */
  instructions: z.number(),
  dram: share,
  issue: share,
  shared: share,
  fma: share,
  /** Fraction of the step's time in which a multiprocessor is active, averaged over all multiprocessors. */
  busy: share,
  /** Mean number of active warps per scheduler, over the cycles in which it has any. */
  warps: z.number(),
  /** Fraction of the stall cycles for each reason, largest first. */
  stalls: z.array(z.strictObject({ reason: z.string(), share })).min(1),
  /**
   * Designs that were compared; the first is the one in use. They are timed without ncu in one process, on the same GPU
   * model.
   */
  tried: z.array(z.strictObject({ what: z.string(), time_s: z.number().positive() })).default([]),
});
export type DenseStep = Readonly<z.infer<typeof fileSchema>>;

/** Converts the counters in a CSV file of ncu. Throws an error that names a missing metric. */
export function parseDenseStep(csv: string, gpu: string, kernelCommit: string): DenseStep {
  const values = parseNcuValues(csv, 'the CSV');
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

const recordFile = (root: string): string => path.join(root, 'assets/measured/dense-step.json');

/** Reads the saved counters; null if there are none. */
export function readDenseStep(root: string): DenseStep | null {
  const file = recordFile(root);
  return existsSync(file) ? fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
}

if (import.meta.main) {
  const [csv, gpu, commit] = process.argv.slice(2);
  if (csv === undefined || gpu === undefined || commit === undefined)
    throw new Error('expected arguments: NCU.csv GPU COMMIT');
  const record = parseDenseStep(readFileSync(csv, 'utf8'), gpu, commit);
  const root = path.resolve(import.meta.dirname, '../../..');
  // Keep the compared designs of the saved file, because they are timed separately.
  const tried = readDenseStep(root)?.tried ?? [];
  writeFileSync(recordFile(root), `${JSON.stringify({ ...record, tried }, null, 2)}\n`);
}
