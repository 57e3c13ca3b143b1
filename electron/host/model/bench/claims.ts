/**
 * Published claims as stated in the program's files: the subject of each, and the pairs of variants that isolate it.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { modeSchema } from '../../../contract/bench/bench-session.ts';
import { claimAboutSchema, claimKindSchema } from '../../../contract/bench/claim-table.ts';
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
 * True if the pair uses the very program that the claim is about, not a replacement. Then it is judged, and the claim's
 * other requirements do not matter.
 */
const otherProgram = z.boolean().default(false);
const sideSchema = z.strictObject({
  /** A variant's label, or the id of another program that the session timed. */
  variant: z.string(),
  mode: modeSchema.default('warm'),
  clock: clockSchema.default('counted'),
  /** Tolerance for an error, from the claim's source, if the source accepts answers beyond our own tolerance. */
  within: z.strictObject({ error: z.string(), most: z.number().positive() }).optional(),
});
export type Side = Readonly<z.infer<typeof sideSchema>>;

/** A claim about a number that a variant reports about itself, such as a latency in cycles. */
const valueSchema = z.strictObject({
  variant: z.string(),
  /**
   * A reported quantity of the variant, or one derived from its time and declared work: `time` (s), `traffic` (GB/s),
   * `rate` (GFLOP/s), `operations` (GFLOP). `memory-share` is the share of the time, in %, that its bytes need at copy
   * bandwidth. `setup-share` is the share of the set-up in the first run of a process, in %. `error.ID` is the error of
   * its answer in the column ID.
   */
  quantity: z.string(),
  /** Divides by the same quantity of this variant, to give a ratio. */
  over: z.string().optional(),
  what: z.string(),
  rival: otherProgram,
});

/** A number that follows from the sizes of a problem alone, such as the bytes that an algorithm moves. */
const countedSchema = z.strictObject({
  by: z.string(),
  /** Expression in the numbers of a problem, by name: `4 * batch * outputs`. */
  formula: z.string(),
  unit: z.string(),
  what: z.string(),
});

/** Compares one variant at two values of a sweep. */
const acrossSchema = z.strictObject({
  variant: z.string(),
  /** Path of the swept value in the scenario, such as problem.threads. */
  path: z.string(),
  slower: z.number(),
  faster: z.number(),
  what: z.string(),
});

/** Parameter values of the problems to which a claim applies: a range from … to, or a word. */
const whereSchema = z.record(z.string(), z.union([z.tuple([z.number(), z.number()]), z.string()]));

const claimSchema = z.strictObject({
  ...claimShape,
  /** Row in the table of claims; absent for a claim that appears only in sessions of the user. */
  row: z.int().positive().optional(),
  kind: claimKindSchema,
  about: claimAboutSchema.nullable().default(null),
  /** Errors or omissions in the source. */
  remark: z.string().nullable().default(null),
  /** Kind of GPU to which the claim applies: results on data-centre GPUs do not apply to consumer GPUs. */
  gpus: z.enum(['any', 'consumer']).default('any'),
  where: whereSchema.default({}),
  /**
   * Conditions stated by the source. Only results under these conditions decide the claim; others are shown for
   * context.
   */
  note: whereSchema.optional(),
  pairs: z
    .array(z.strictObject({ slower: sideSchema, faster: sideSchema, what: z.string(), rival: otherProgram }))
    .default([]),
  values: z.array(valueSchema).default([]),
  counted: z.array(countedSchema).default([]),
  across: z.array(acrossSchema).default([]),
  /**
   * Command that decides the claim, if the command derived from its scenario and variants does not. Examples are a
   * profile of another program, and a problem with other values than the shipped examples.
   */
  command: z.string().optional(),
});
export type Claim = Readonly<z.infer<typeof claimSchema>>;

/** A recorded sweep over the size of a benchmark's problem; `values` has the form `n=1,10,100`. */
const sweepSchema = z.strictObject({
  name: z.string(),
  /** Name of the scenario; defaults to the name of the sweep. */
  scenario: z.string().optional(),
  variants: z.string(),
  values: z.string(),
  set: z.array(z.string()).optional(),
  time_s: z.number().positive().optional(),
});
const fileSchema = z.strictObject({
  version: z.literal(1),
  sweeps: z.array(sweepSchema).default([]),
  claims: z.array(claimSchema),
});

/** Benchmark to which claims are to apply. */
export type BenchKind = Pick<TaskProblem, 'workload' | 'bench'>;
export type Values = Pick<TaskProblem, 'numbers' | 'words'>;

/** Claims by the name of their file. Plain values, because they are sent to other threads. */
export type ClaimCatalogue = Readonly<Record<string, readonly Claim[]>>;
type ClaimFile = Readonly<z.infer<typeof fileSchema>>;

const folderOf = (assetsFolder: string): string => path.join(assetsFolder, 'claims');
const nameOf = ({ workload, bench }: BenchKind): string => (bench === '' ? workload : `${workload}/${bench}`);

/** Every file of claims by name, such as `transport` or `micro/launch`. */
export async function readClaimFiles(assetsFolder: string): Promise<Readonly<Record<string, ClaimFile>>> {
  const folder = folderOf(assetsFolder);
  const names = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length).split(path.sep).join('/'))
    .filter((name) => name !== 'table')
    .sort();
  // Files are read one after the other: all at once would need as many file descriptors.
  const files: Record<string, ClaimFile> = {};
  for (const name of names) {
    files[name] = fileSchema.parse(JSON.parse(await readFile(path.join(folder, `${name}.json`), 'utf8')));
  }
  return files;
}

/** Every claim in the program's files, by the name of the file. */
export async function readCatalogue(assetsFolder: string): Promise<ClaimCatalogue> {
  const files = await readClaimFiles(assetsFolder);
  return Object.fromEntries(Object.entries(files).map(([name, { claims }]) => [name, claims]));
}

export const claimsOf = (catalogue: ClaimCatalogue, kind: BenchKind): readonly Claim[] => catalogue[nameOf(kind)] ?? [];

/**
 * Claims about a workload: claims/<kind>.json, or claims/<kind>/<bench>.json of a workload with several benchmarks.
 * Empty without such a file.
 */
export async function readClaimsOf(assetsFolder: string, kind: BenchKind): Promise<readonly Claim[]> {
  return claimsOf(await readCatalogue(assetsFolder), kind);
}

/** Whether a problem meets the conditions. */
export function meetsConditions(conditions: Claim['where'], { numbers, words }: Values): boolean {
  return Object.entries(conditions).every(([name, wanted]) => {
    if (typeof wanted === 'string') return words[name] === wanted;
    const value = numbers[name];
    return value !== undefined && value >= wanted[0] && value <= wanted[1];
  });
}

/** Whether a claim applies to a problem with these values. */
export const appliesTo = ({ where }: Claim, values: Values): boolean => meetsConditions(where, values);

/**
 * Evaluates a formula in a problem's numbers, or one that `applicableClaims` has filled in. Throws an ExpressionError for an
 * invalid formula.
 */
export function countedBy(formula: string, numbers: Values['numbers'] = {}): number {
  const value = parseExpression(formula).evaluate(numbers);
  if (typeof value !== 'number') throw new Error(`${formula} is not a number`);
  return value;
}

/** Claims that apply to a problem, with their counted formulas evaluated. */
export function applicableClaims(claims: readonly Claim[], values: Values): readonly Claim[] {
  const filled = (claim: Claim): Claim => ({
    ...claim,
    counted: claim.counted.map((one) => ({ ...one, formula: String(countedBy(one.formula, values.numbers)) })),
  });
  return claims.filter((claim) => appliesTo(claim, values)).map(filled);
}

/** Claims of a benchmark that apply to this problem. */
export async function readTaskClaims(assetsFolder: string, about: BenchKind & Values): Promise<readonly Claim[]> {
  return applicableClaims(await readClaimsOf(assetsFolder, about), about);
}
