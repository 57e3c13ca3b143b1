/** Findings of NVIDIA's compute-sanitizer in a run. */
import { z } from 'zod';
import { issueSchema } from '../errors.ts';

export const sanitizerTools = ['memcheck', 'racecheck', 'initcheck', 'synccheck'] as const;
export const sanitizerToolSchema = z.enum(sanitizerTools);
export type SanitizerTool = z.infer<typeof sanitizerToolSchema>;

/** Defects that each tool detects, as list entries. */
export const sanitizerWords: Readonly<Record<SanitizerTool, string>> = {
  memcheck: 'memory beyond its end',
  racecheck: 'races in shared memory',
  initcheck: 'memory that was never written',
  synccheck: 'barriers that not all reach',
};

export const findingSchema = z.strictObject({
  /** `Invalid __global__ write of size 4 bytes`. */
  what: z.string(),
  kernel: z.string().nullable(),
  file: z.string().nullable(),
  line: z.number().int().nullable(),
  /** Further words of the first of them: thread, block, address. */
  more: z.string(),
  /** Number of reports: one per thread, up to the tool's limit. */
  times: z.number().int(),
});
export type Finding = Readonly<z.infer<typeof findingSchema>>;

export const sanitizedSchema = z.strictObject({
  tool: sanitizerToolSchema,
  findings: z.array(findingSchema),
  /** As the tool counted them; null where it did not come to its end. */
  errors: z.number().int().nullable(),
  /** Those in the kernel's own file, at their lines. */
  issues: z.array(issueSchema),
  seconds: z.number(),
  /** As it was typed. */
  command: z.string(),
});
export type Sanitized = Readonly<z.infer<typeof sanitizedSchema>>;

/** `3 findings by memcheck, 61 errors`. */
export function sanitizedText({ tool, findings, errors }: Sanitized): string {
  if (errors === null) return `${tool} did not come to its end`;
  if (errors === 0) return `${tool} has found nothing: no ${sanitizerWords[tool]}`;
  const places = findings.length === 1 ? 'one place' : `${findings.length} places`;
  return `${tool} has found ${errors === 1 ? 'one error' : `${errors} errors`} at ${places}: ${sanitizerWords[tool]}`;
}
