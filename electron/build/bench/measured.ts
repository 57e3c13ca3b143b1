/**
 * Measured targets of a benchmark, saved with the machine and the commit. Tables in the documents are generated from
 * these files.
 */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { readCommit } from '../../host/model/bench/commit.ts';

const rowSchema = z.strictObject({
  what: z.string(),
  wanted: z.string(),
  /** Measured value as text; null if this machine cannot measure it. */
  measured: z.string().nullable(),
  met: z.boolean().nullable(),
  bound: z.string().nullable().default(null),
  /** Ratio of the measured value to the bound. */
  ratio: z.string().nullable().default(null),
  /** Device that the measurement requires; null if it was measured. */
  needs: z.string().nullable().default(null),
});
export type TargetRow = Readonly<z.input<typeof rowSchema>>;

const fileSchema = z.strictObject({
  format: z.literal('braggbench-targets'),
  format_version: z.literal(1),
  /** Command as typed. */
  command: z.string(),
  /** Time in ISO 8601. */
  created: z.string(),
  commit: z.string().nullable(),
  machine: z.strictObject({ cpu: z.string(), cores: z.number(), load: z.number(), node: z.string() }),
  rows: z.array(rowSchema).readonly(),
});
type MeasuredTargets = Readonly<z.infer<typeof fileSchema>>;

export const KEEP_FLAG = '--keep';

const targetsFile = (root: string, name: string): string => path.join(root, 'assets/measured', `${name}.json`);

/** Saves targets and returns the path of the file. `load` is the load of the machine before the measurement. */
export async function saveTargets(
  root: string,
  name: string,
  { command, load, rows }: { readonly command: string; readonly load: number; readonly rows: readonly TargetRow[] },
): Promise<string> {
  const savedTargets = fileSchema.parse({
    ...{ format: 'braggbench-targets', format_version: 1, command, created: new Date().toISOString() },
    commit: await readCommit(root),
    machine: {
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      cores: availableParallelism(),
      load: Math.round(load * 100) / 100,
      node: process.version,
    },
    rows,
  });
  const file = targetsFile(root, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(savedTargets, null, 2)}\n`);
  return file;
}

export function readTargets(root: string, name: string): MeasuredTargets {
  return fileSchema.parse(JSON.parse(readFileSync(targetsFile(root, name), 'utf8')));
}

export const loadNow = (): number => loadavg()[0] ?? 0;
