/**
 * Results of checking a user kernel: accuracy, conservation and determinism as for built-in kernels, and the findings
 * of NVIDIA's compute-sanitizer.
 */
import { z } from 'zod';
import { type Accuracy, accuracySchema, CACHED_RESULTS_CHECK } from '../bench/session.ts';
import { issueSchema } from '../errors.ts';

const userKernelVerdictSchema = z.strictObject({
  /** Checks in the format of benchmark sessions, the last of which is determinism. */
  checks: z.array(accuracySchema),
  /** Whether all repeats gave bitwise identical results. */
  bitwise: z.boolean(),
  repeats: z.number().int(),
  /** True if all checks pass and none is open. */
  right: z.boolean(),
  /** True if all checks pass, but it is not known yet whether the kernel caches results. Another run decides. */
  doubtful: z.boolean(),
});
export type UserKernelVerdict = Readonly<z.infer<typeof userKernelVerdictSchema>>;

interface RepeatedRuns {
  readonly runs: number;
  readonly bitwise: boolean;
  /** Largest difference between repeats, divided by the largest value; null if only bits were compared. */
  readonly spread: number | null;
}

/**
 * Adds the check of determinism, with the bound of the first bounded check. A bounded check without a finite value
 * fails; its value becomes null because JSON has no NaN.
 */
export function userKernelVerdict(
  checks: readonly Accuracy[],
  { runs, bitwise, spread }: RepeatedRuns,
): UserKernelVerdict {
  const says = bitwise
    ? 'gave bitwise identical results'
    : spread === null
      ? 'gave results that differ bitwise'
      : 'gave different results, relative to the largest value';
  const bound = spread === null ? null : (checks.find((check) => check.bound !== null)?.bound ?? null);
  const determinism: Accuracy = {
    ...{ id: 'determinism', title: 'Determinism', tip: `${runs} runs ${says}`, unit: '', value: spread, bound },
    holds: bound === null || (spread !== null && spread <= bound),
  };
  const all = [...checks, determinism].map((check) => {
    const known = check.value !== null && Number.isFinite(check.value);
    const holds = check.holds && (known || check.bound === null || isOpenCheck(check));
    return { ...check, value: known ? check.value : null, holds };
  });
  const nothingFails = all.every(({ holds }) => holds);
  const isOpen = checks.some(isOpenCheck);
  return { checks: all, bitwise, repeats: runs, right: nothingFails && !isOpen, doubtful: nothingFails && isOpen };
}

/** Whether a check is open, because it has no value yet. */
export const isOpenCheck = ({ id, value }: Pick<Accuracy, 'id' | 'value'>): boolean =>
  id === CACHED_RESULTS_CHECK && value === null;

/** Formats a check: `Relative L2 difference of the dose from the FP64 reference: 1.2e-7, 1.0e-5 allowed`. */
export function checkText(check: Accuracy): string {
  const { id, tip, value, bound } = check;
  // The tip alone is enough if results are equal, or if only bits were compared.
  if (id === 'determinism' && (value === null || value === 0)) return tip;
  if (isOpenCheck(check)) return tip;
  const is = value === null ? 'no number' : value.toExponential(1);
  return `${tip}: ${is}${bound === null ? '' : `, ${bound.toExponential(1)} allowed`}`;
}

export const sanitizerTools = ['memcheck', 'racecheck', 'initcheck', 'synccheck'] as const;
export const sanitizerToolSchema = z.enum(sanitizerTools);
export type SanitizerTool = z.infer<typeof sanitizerToolSchema>;

/** Kind of defect that each tool detects, for lists. */
export const sanitizerDefects: Readonly<Record<SanitizerTool, string>> = {
  memcheck: 'out-of-bounds accesses',
  racecheck: 'races in shared memory',
  initcheck: 'uninitialised memory',
  synccheck: 'barriers that not all threads reach',
};

export const findingSchema = z.strictObject({
  /** Description of the defect, such as `Invalid __global__ write of size 4 bytes`. */
  what: z.string(),
  kernel: z.string().nullable(),
  file: z.string().nullable(),
  line: z.number().int().nullable(),
  /** Details of the first report, such as thread, block and address. */
  more: z.string(),
  /** Number of equal reports. Each thread reports separately, up to the tool's limit. */
  times: z.number().int(),
});
export type Finding = Readonly<z.infer<typeof findingSchema>>;

export const sanitizerReportSchema = z.strictObject({
  tool: sanitizerToolSchema,
  findings: z.array(findingSchema),
  /** Number of errors that the tool counted; null if it did not finish. */
  errors: z.number().int().nullable(),
  /** Findings located in the kernel's own file, with line numbers. */
  issues: z.array(issueSchema),
  seconds: z.number(),
  /** Command line of the tool. */
  command: z.string(),
});
export type SanitizerReport = Readonly<z.infer<typeof sanitizerReportSchema>>;

/** Formats a summary: `3 findings by memcheck, 61 errors`. */
export function sanitizerSummary({ tool, findings, errors }: SanitizerReport): string {
  if (errors === null) return `${tool} did not finish`;
  if (errors === 0) return `${tool} found nothing: no ${sanitizerDefects[tool]}`;
  const places = findings.length === 1 ? 'one place' : `${findings.length} places`;
  return `${tool} found ${errors === 1 ? 'one error' : `${errors} errors`} at ${places}: ${sanitizerDefects[tool]}`;
}
