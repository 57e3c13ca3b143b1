/**
 * Published performance claims in assets/claims: what each states, and the pairs of variants whose comparison tests it.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { modeSchema } from '../../../contract/bench/bench-session.ts';
import { claimKindSchema, claimSubjectSchema } from '../../../contract/bench/claim-table.ts';
import { claimShape } from '../../../contract/bench/claims.ts';
import { parseExpression } from '../../../domain/values/expression.ts';
import type { TaskProblem } from '../../io/addon/task.ts';

/**
 * Time to which a claim refers:
 * - `counted`: the time by which variants are compared
 * - `whole`: end-to-end run in this process, from set-up to the answer
 * - `first`: the first end-to-end run of the session, including loading and opening
 * - `process`: from the start of a process to its answer
 * - `cold-whole`: the first end-to-end run in a process of another program
 * - `cold-run`: the first end-to-end run in such a process, without its set-up
 */
const clockSchema = z.enum(['counted', 'whole', 'first', 'process', 'cold-whole', 'cold-run']);

/**
 * True if the pair contains the very program that the claim is about, not a replacement. The claim is then judged even
 * if its other requirements are not met.
 */
const otherProgramSchema = z.boolean().default(false);
const sideSchema = z.strictObject({
  /** Label of a variant, or id of another program in the session. */
  variant: z.string(),
  mode: modeSchema.default('warm'),
  clock: clockSchema.default('counted'),
  /**
   * Error limit of the claim's source, if the source accepts larger errors than Braggbench. `error` names the column of
   * the error in the report.
   */
  within: z.strictObject({ error: z.string(), most: z.number().positive() }).optional(),
});
export type ClaimSide = Readonly<z.infer<typeof sideSchema>>;

/** A claim about a number that a variant reports, such as a latency in cycles. */
const quantityClaimSchema = z.strictObject({
  variant: z.string(),
  /**
   * Id of a quantity that the variant reports, or one of the following. Derived from its time and declared work: `time`
   * (s), `traffic` (GB/s), `rate` (GFLOP/s), `operations` (GFLOP). `memory-share`: percentage of the time that moving
   * its bytes needs at copy bandwidth. `setup-share`: percentage of the set-up in the first run of a process.
   * `error.ID`: error of its answer in the column ID.
   */
  quantity: z.string(),
  /** Variant whose quantity is the divisor, if the claim is about a ratio. */
  over: z.string().optional(),
  what: z.string(),
  rival: otherProgramSchema,
});

/** A claim about a number that follows from the sizes of a problem, such as the bytes that an algorithm moves. */
const formulaClaimSchema = z.strictObject({
  by: z.string(),
  /** Expression with the names of the problem's numbers, such as `4 * batch * outputs`. */
  formula: z.string(),
  unit: z.string(),
  what: z.string(),
});

/** A claim that compares a variant at two values of a sweep. */
const sweepClaimSchema = z.strictObject({
  variant: z.string(),
  /** Path of the value that is swept in the scenario, such as problem.threads. */
  path: z.string(),
  slower: z.number(),
  faster: z.number(),
  what: z.string(),
});

/** Conditions on a problem's parameters, by name: a range [from, to] of a number, or a word. */
const conditionsSchema = z.record(z.string(), z.union([z.tuple([z.number(), z.number()]), z.string()]));

const claimSchema = z.strictObject({
  ...claimShape,
  /** Number of the row in the handbook table of claims; absent if the claim appears only in user sessions. */
  row: z.int().positive().optional(),
  kind: claimKindSchema,
  about: claimSubjectSchema.nullable().default(null),
  /** Errors or omissions in the claim's source. */
  remark: z.string().nullable().default(null),
  /** GPUs to which the claim applies. Results on data-centre GPUs do not decide a claim about consumer GPUs. */
  gpus: z.enum(['any', 'consumer']).default('any'),
  where: conditionsSchema.default({}),
  /**
   * Conditions that the source states. Only results under these conditions decide the claim; others are shown as
   * context.
   */
  note: conditionsSchema.optional(),
  pairs: z
    .array(z.strictObject({ slower: sideSchema, faster: sideSchema, what: z.string(), rival: otherProgramSchema }))
    .default([]),
  values: z.array(quantityClaimSchema).default([]),
  counted: z.array(formulaClaimSchema).default([]),
  across: z.array(sweepClaimSchema).default([]),
  /**
   * Command that decides the claim, if it is not the one derived from scenario and variants. Examples are a profile of
   * another program, or a problem with values that no shipped example has.
   */
  command: z.string().optional(),
});
export type Claim = Readonly<z.infer<typeof claimSchema>>;

/** A recorded sweep over the problem size of a benchmark. `values` has the form `n=1,10,100`. */
const sweepSchema = z.strictObject({
  name: z.string(),
  /** Name of the scenario, by default the name of the sweep. */
  scenario: z.string().optional(),
  variants: z.string(),
  values: z.string(),
  set: z.array(z.string()).optional(),
  time_s: z.number().positive().optional(),
});
const claimFileSchema = z.strictObject({
  version: z.literal(1),
  sweeps: z.array(sweepSchema).default([]),
  claims: z.array(claimSchema),
});

/** Workload and benchmark to which claims belong. */
export type BenchmarkId = Pick<TaskProblem, 'workload' | 'bench'>;
export type ProblemValues = Pick<TaskProblem, 'numbers' | 'words'>;

/** Claims by the name of their file. They are plain values, because they are sent to other threads. */
export type ClaimCatalogue = Readonly<Record<string, readonly Claim[]>>;
type ClaimFile = Readonly<z.infer<typeof claimFileSchema>>;

const claimsFolder = (assetsFolder: string): string => path.join(assetsFolder, 'claims');
const claimFileName = ({ workload, bench }: BenchmarkId): string => (bench === '' ? workload : `${workload}/${bench}`);

/** Reads all files of claims. The result has them by name, such as `transport` or `micro/launch`. */
export async function readClaimFiles(assetsFolder: string): Promise<Readonly<Record<string, ClaimFile>>> {
  const folder = claimsFolder(assetsFolder);
  const names = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length).split(path.sep).join('/'))
    .filter((name) => name !== 'table')
    .sort();
  // The files are read one by one, because reading all at once would need as many file descriptors.
  const files: Record<string, ClaimFile> = {};
  for (const name of names) {
    files[name] = claimFileSchema.parse(JSON.parse(await readFile(path.join(folder, `${name}.json`), 'utf8')));
  }
  return files;
}

/** Reads all claims, by the name of their file. */
export async function readClaimCatalogue(assetsFolder: string): Promise<ClaimCatalogue> {
  const files = await readClaimFiles(assetsFolder);
  return Object.fromEntries(Object.entries(files).map(([name, { claims }]) => [name, claims]));
}

export const claimsFor = (catalogue: ClaimCatalogue, kind: BenchmarkId): readonly Claim[] =>
  catalogue[claimFileName(kind)] ?? [];

/**
 * Reads the claims of a workload: claims/<kind>.json, or claims/<kind>/<bench>.json for a workload with several
 * benchmarks. Empty if there is no such file.
 */
export async function readBenchmarkClaims(assetsFolder: string, kind: BenchmarkId): Promise<readonly Claim[]> {
  return claimsFor(await readClaimCatalogue(assetsFolder), kind);
}

/** Whether the values of a problem meet the conditions. */
export function meetsConditions(conditions: Claim['where'], { numbers, words }: ProblemValues): boolean {
  return Object.entries(conditions).every(([name, wanted]) => {
    if (typeof wanted === 'string') return words[name] === wanted;
    const value = numbers[name];
    return value !== undefined && value >= wanted[0] && value <= wanted[1];
  });
}

/** Whether a claim applies to a problem with the given values. */
export const claimApplies = ({ where }: Claim, values: ProblemValues): boolean => meetsConditions(where, values);

/**
 * Evaluates a formula with the problem's numbers. `numbers` may be absent if `applicableClaims` has already inserted
 * them. Throws an ExpressionError for an invalid formula.
 */
export function evaluateFormula(formula: string, numbers: ProblemValues['numbers'] = {}): number {
  const value = parseExpression(formula).evaluate(numbers);
  if (typeof value !== 'number') throw new Error(`${formula} is not a number`);
  return value;
}

/** Selects the claims that apply to a problem, and evaluates the formulas of their counted numbers. */
export function applicableClaims(claims: readonly Claim[], values: ProblemValues): readonly Claim[] {
  const filled = (claim: Claim): Claim => ({
    ...claim,
    counted: claim.counted.map((one) => ({ ...one, formula: String(evaluateFormula(one.formula, values.numbers)) })),
  });
  return claims.filter((claim) => claimApplies(claim, values)).map(filled);
}

/** Reads the claims of a benchmark that apply to a problem. */
export async function readTaskClaims(
  assetsFolder: string,
  about: BenchmarkId & ProblemValues,
): Promise<readonly Claim[]> {
  return applicableClaims(await readBenchmarkClaims(assetsFolder, about), about);
}
