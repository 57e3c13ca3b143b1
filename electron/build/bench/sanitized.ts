/**
 * `npm run bench -- sanitized`: runs compute-sanitizer on a kernel that lacks a bounds check, and on two variants
 * without this error. Requires a GPU and the CUDA toolkit. `--keep` saves the result for the handbook.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { findingSchema, type SanitizerReport, sanitizerToolSchema } from '../../contract/user-kernels/checks.ts';
import { readCommit } from '../../host/model/bench/commit.ts';
import { root } from '../setup/root.mjs';
import { Failure, printLine } from '../setup/say.mjs';
import { runForJson } from './command-line.mjs';

export const SANITIZED_SCENARIO = 'bounds';
export const SANITIZED_VARIANTS = ['cuda-checked', 'cuda-padded', 'cuda-unchecked'] as const;

const runSchema = z.strictObject({
  variant: z.string(),
  tool: sanitizerToolSchema,
  errors: z.number().int(),
  /** Findings without folders in file names, because folders depend on the machine. */
  findings: z.array(findingSchema),
});

const fileSchema = z.strictObject({
  format: z.literal('braggbench-sanitized'),
  format_version: z.literal(1),
  /** Time in ISO 8601. */
  created: z.string(),
  commit: z.string().nullable(),
  gpu: z.string(),
  scenario: z.string(),
  runs: z.array(runSchema).min(1),
});
export type SanitizerRecord = Readonly<z.infer<typeof fileSchema>>;

const reportsFile = (root: string): string => path.join(root, 'assets/measured/sanitized.json');

/** Creates the record of a run. Throws if the run was not completed. */
export function sanitizerRun(
  variant: string,
  { tool, errors, findings }: SanitizerReport,
): SanitizerRecord['runs'][number] {
  if (errors === null) throw new Error(`${tool} did not finish with ${variant}`);
  const named = findings.map((one) => ({ ...one, file: one.file === null ? null : path.basename(one.file) }));
  return { variant, tool, errors, findings: named };
}

/** Saves the reports and returns the path of the file. */
export async function saveSanitizerRecord(root: string, gpu: string, runs: SanitizerRecord['runs']): Promise<string> {
  const head = { format: 'braggbench-sanitized', format_version: 1, created: new Date().toISOString() } as const;
  const sanitizedRecord = fileSchema.parse({
    ...head,
    commit: await readCommit(root),
    gpu,
    scenario: SANITIZED_SCENARIO,
    runs,
  });
  const file = reportsFile(root);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(sanitizedRecord, null, 2)}\n`);
  return file;
}

/** Reads the saved reports; null if there are none. */
export function readSanitizerRecord(root: string): SanitizerRecord | null {
  const file = reportsFile(root);
  return existsSync(file) ? fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
}

export async function run(args: readonly string[]): Promise<number> {
  const { cuda } = await runForJson('devices');
  const gpu = cuda.devices[0]?.name;
  if (gpu === undefined) throw new Failure(cuda.reason ?? 'there is no GPU', 1);
  const runs: SanitizerRecord['runs'] = [];
  for (const variant of SANITIZED_VARIANTS) {
    const one = sanitizerRun(variant, await runForJson('sanitize', SANITIZED_SCENARIO, '--variant', variant));
    printLine(`${variant}: ${one.errors} errors found by ${one.tool}`);
    for (const { what, file, line } of one.findings) printLine(`  ${what}, ${file ?? 'no file'}:${line ?? '?'}`);
    runs.push(one);
  }
  if (args.includes('--keep')) printLine(`Saved in ${await saveSanitizerRecord(root, gpu, runs)}`);
  return 0;
}
