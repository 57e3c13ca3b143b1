/** Results of checking a user kernel as shipped kernels are checked: accuracy, conservation, determinism. */
import { z } from 'zod';
import { type Accuracy, accuracySchema } from '../bench/session.ts';

const userKernelVerdictSchema = z.strictObject({
  /** As sessions have them; the last is determinism. */
  checks: z.array(accuracySchema),
  /** Every repeat gave the same bits. */
  bitwise: z.boolean(),
  repeats: z.number().int(),
  /** Every check holds. */
  right: z.boolean(),
});
export type UserKernelVerdict = Readonly<z.infer<typeof userKernelVerdictSchema>>;

interface Repeats {
  readonly runs: number;
  readonly bitwise: boolean;
  /** Largest difference between them over the largest value; null where only their bits were compared. */
  readonly spread: number | null;
}

/**
 * The spread may be as large as the first bound. What is not a number holds never, and JSON has none; where there is
 * nothing to compare with, nothing is known to be right.
 */
export function userKernelVerdict(checks: readonly Accuracy[], { runs, bitwise, spread }: Repeats): UserKernelVerdict {
  const says = bitwise
    ? 'gave the same bits'
    : spread === null
      ? 'differ in their bits'
      : 'differ, over the largest value';
  const bound = spread === null ? null : (checks.find((check) => check.bound !== null)?.bound ?? null);
  const determinism: Accuracy = {
    ...{ id: 'determinism', title: 'Determinism', tip: `${runs} runs ${says}`, unit: '', value: spread, bound },
    holds: bound === null || (spread !== null && spread <= bound),
  };
  const all = [...checks, determinism].map((check) => {
    const known = check.value !== null && Number.isFinite(check.value);
    return { ...check, value: known ? check.value : null, holds: check.holds && (known || check.bound === null) };
  });
  return { checks: all, bitwise, repeats: runs, right: all.every(({ holds }) => holds) };
}

/** `Relative L2 difference of the dose from the FP64 reference: 1.2e-7, 1.0e-5 allowed`. */
export function checkText({ id, tip, value, bound }: Accuracy): string {
  // If bits are equal, or only bits were compared, the text needs no number.
  if (id === 'determinism' && (value === null || value === 0)) return tip;
  const is = value === null ? 'no number' : value.toExponential(1);
  return `${tip}: ${is}${bound === null ? '' : `, ${bound.toExponential(1)} allowed`}`;
}
