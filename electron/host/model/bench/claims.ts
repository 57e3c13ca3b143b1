/** Published claims as the program's files state them: what each is about, and the pairs of variants that isolate it. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { modeSchema } from '../../../contract/bench/bench-session.ts';
import { claimAboutSchema, claimKindSchema } from '../../../contract/bench/claim-table.ts';
import { claimShape } from '../../../contract/bench/claims.ts';
import { parseExpression } from '../../../contract/study/expression.ts';
import type { TaskProblem } from '../../io/addon/task.ts';

/**
 * Time that a claim refers to:
 * - `counted`: the time by which variants are compared
 * - `whole`: from set-up to the answer, in this process
 * - `first`: the first such run of the session, including loading and opening
 * - `process`: from the start of a process to its answer
 * - `cold-whole`: the first end-to-end run of a process of another program
 * - `cold-run`: the same without its set-up
 */
const clockSchema = z.enum(['counted', 'whole', 'first', 'process', 'cold-whole', 'cold-run']);

/** The pair uses the very program that the claim is about, not a replacement. It is judged whatever the claim needs. */
const rival = z.boolean().default(false);
const sideSchema = z.strictObject({
  /** A variant's label, or the id of another program that the session timed. */
  variant: z.string(),
  mode: modeSchema.default('warm'),
  clock: clockSchema.default('counted'),
  /** The note's own limit of an error, where it accepts answers that are wrong by ours. */
  within: z.strictObject({ error: z.string(), most: z.number().positive() }).optional(),
});
export type Side = Readonly<z.infer<typeof sideSchema>>;

/** A claim about a number that a variant states of itself, such as a latency in cycles. */
const valueSchema = z.strictObject({
  variant: z.string(),
  /**
   * One of its quantities, or of what it declares: `time` (s), `traffic` (GB/s), `rate` (GFLOP/s), `operations` (GFLOP),
   * `memory-share` (of the time, by its bytes at the bandwidth of a copy). `setup-share` is that of the first run of a
   * process, in %; `error.ID` an error of its answer by the id of its column.
   */
  quantity: z.string(),
  /** Over the same quantity of this variant: how many times as much. */
  over: z.string().optional(),
  what: z.string(),
  rival,
});

/** A number that follows from the sizes of a problem alone, such as the bytes that a way of computing moves. */
const countedSchema = z.strictObject({
  by: z.string(),
  /** An expression of the numbers of a problem, by their names: `4 * batch * outputs`. */
  formula: z.string(),
  unit: z.string(),
  what: z.string(),
});

/** One variant at two values of a sweep. */
const acrossSchema = z.strictObject({
  variant: z.string(),
  /** Which value of the scenario, such as problem.threads. */
  path: z.string(),
  slower: z.number(),
  faster: z.number(),
  what: z.string(),
});

/** Which values of the problem's parameters a claim speaks about: from … to, or a word. */
const whereSchema = z.record(z.string(), z.union([z.tuple([z.number(), z.number()]), z.string()]));

const claimSchema = z.strictObject({
  ...claimShape,
  kind: claimKindSchema,
  about: claimAboutSchema.nullable().default(null),
  /** Errors or omissions in the source. */
  remark: z.string().nullable().default(null),
  /** GPUs of data centres say nothing of those of consumers. */
  gpus: z.enum(['any', 'consumer']).default('any'),
  where: whereSchema.default({}),
  /** The conditions that the note states: findings under them decide, others draw the map. */
  note: whereSchema.optional(),
  pairs: z.array(z.strictObject({ slower: sideSchema, faster: sideSchema, what: z.string(), rival })).default([]),
  values: z.array(valueSchema).default([]),
  counted: z.array(countedSchema).default([]),
  across: z.array(acrossSchema).default([]),
});
export type Claim = Readonly<z.infer<typeof claimSchema>>;
const fileSchema = z.strictObject({ version: z.literal(1), claims: z.array(claimSchema) });

/** The problem that claims are to be about. */
export type BenchKind = Pick<TaskProblem, 'workload' | 'bench'>;
export type Values = Pick<TaskProblem, 'numbers' | 'words'>;

/** Claims by the name of their file; plain values, which go to other threads. */
export type ClaimCatalogue = Readonly<Record<string, readonly Claim[]>>;

const folderOf = (assetsFolder: string): string => path.join(assetsFolder, 'claims');
const nameOf = ({ workload, bench }: BenchKind): string => (bench === '' ? workload : `${workload}/${bench}`);

async function readFileOf(file: string): Promise<readonly Claim[]> {
  return fileSchema.parse(JSON.parse(await readFile(file, 'utf8'))).claims;
}

/** Every claim that the program knows. */
export async function readCatalogue(assetsFolder: string): Promise<ClaimCatalogue> {
  const folder = folderOf(assetsFolder);
  const names = (await readdir(folder, { recursive: true }))
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length).split(path.sep).join('/'))
    .filter((name) => name !== 'table');
  // One after the other: all at once would need as many file descriptors.
  const catalogue: Record<string, readonly Claim[]> = {};
  for (const name of names) catalogue[name] = await readFileOf(path.join(folder, `${name}.json`));
  return catalogue;
}

export const claimsOf = (catalogue: ClaimCatalogue, kind: BenchKind): readonly Claim[] => catalogue[nameOf(kind)] ?? [];

/** About a workload: claims/<kind>.json, or claims/<kind>/<bench>.json of one that has several. None without such a file. */
export async function readClaimsOf(assetsFolder: string, kind: BenchKind): Promise<readonly Claim[]> {
  return claimsOf(await readCatalogue(assetsFolder), kind);
}

/** Whether a problem has these values. */
export function meets(conditions: Claim['where'], { numbers, words }: Values): boolean {
  return Object.entries(conditions).every(([name, wanted]) => {
    if (typeof wanted === 'string') return words[name] === wanted;
    const value = numbers[name];
    return value !== undefined && value >= wanted[0] && value <= wanted[1];
  });
}

/** Whether a claim is about a problem of these values. */
export const speaksOf = ({ where }: Claim, values: Values): boolean => meets(where, values);

/** A formula of a problem's numbers, or one that `spokenOf` has filled in. Throws an ExpressionError where it is none. */
export function countedBy(formula: string, numbers: Values['numbers'] = {}): number {
  const value = parseExpression(formula).evaluate(numbers);
  if (typeof value !== 'number') throw new Error(`${formula} is no number`);
  return value;
}

/** Those that are about a problem, with what they count filled in. */
export function spokenOf(claims: readonly Claim[], values: Values): readonly Claim[] {
  const filled = (claim: Claim): Claim => ({
    ...claim,
    counted: claim.counted.map((one) => ({ ...one, formula: String(countedBy(one.formula, values.numbers)) })),
  });
  return claims.filter((claim) => speaksOf(claim, values)).map(filled);
}

/** Those of them that are about this problem. */
export async function readTaskClaims(assetsFolder: string, about: BenchKind & Values): Promise<readonly Claim[]> {
  return spokenOf(await readClaimsOf(assetsFolder, about), about);
}
