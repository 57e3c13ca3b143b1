/** Published claims beside what this machine gave for the pairs of variants that isolate each. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { modeSchema, type Ratio } from '../../../contract/bench/bench-session.ts';
import { type ClaimResult, claimShape, judgeClaim } from '../../../contract/bench/claims.ts';
import type { TaskProblem } from '../../io/addon/task.ts';
import type { Instances } from '../verdicts/levels.ts';
import { bootstrapRatioOf, ratioOf } from './comparison.ts';
import { timeOf } from './measure.ts';
import type { BenchEntry } from './report.ts';

/**
 * Which time a claim speaks about: `counted`, that variants are compared by; `whole`, of everything from set-up to the answer
 * in this process; `first`, of the first such run, which loads and opens.
 */
const clockSchema = z.enum(['counted', 'whole', 'first']);
const sideSchema = z.strictObject({
  variant: z.string(),
  mode: modeSchema.default('warm'),
  clock: clockSchema.default('counted'),
});
export const claimSchema = z.strictObject({
  ...claimShape,
  pairs: z.array(z.strictObject({ slower: sideSchema, faster: sideSchema, what: z.string() })),
});
export type Claim = Readonly<z.infer<typeof claimSchema>>;
type Side = Claim['pairs'][number]['slower'];

/** A claim about a number that a variant states of itself, such as a latency in cycles. */
const quantityClaimSchema = z.strictObject({ variant: z.string(), quantity: z.string(), what: z.string() });
/** Which values of the problem's parameters a claim speaks about: from … to, or a word. */
const whereSchema = z.record(z.string(), z.union([z.tuple([z.number(), z.number()]), z.string()]));
export const taskClaimSchema = z.strictObject({
  ...claimSchema.shape,
  where: whereSchema.default({}),
  pairs: claimSchema.shape.pairs.default([]),
  values: z.array(quantityClaimSchema).default([]),
});
export type TaskClaim = Readonly<z.infer<typeof taskClaimSchema>>;
const taskFileSchema = z.strictObject({ version: z.literal(1), claims: z.array(taskClaimSchema) });
const fileSchema = z.strictObject({ version: z.literal(1), claims: z.array(claimSchema) });

async function read(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8'));
}

/** About proton transport. */
export async function readClaims(assetsFolder: string): Promise<readonly Claim[]> {
  return fileSchema.parse(await read(join(assetsFolder, 'claims', 'kernel-notes.json'))).claims;
}

/** The problem that claims are to be about. */
type BenchKind = Pick<TaskProblem, 'workload' | 'bench'>;
type Values = Pick<TaskProblem, 'numbers' | 'words'>;

/** Whether a claim is about a problem of these values. */
export function speaksOf({ where }: TaskClaim, { numbers, words }: Values): boolean {
  return Object.entries(where).every(([name, wanted]) => {
    if (typeof wanted === 'string') return words[name] === wanted;
    const value = numbers[name];
    return value !== undefined && value >= wanted[0] && value <= wanted[1];
  });
}

/** About a workload: claims/<kind>.json, or claims/<kind>/<bench>.json of one that has several. None without such a file. */
export async function readClaimsOf(assetsFolder: string, { workload: kind, bench }: BenchKind) {
  const file = join(assetsFolder, 'claims', ...(bench === '' ? [`${kind}.json`] : [kind, `${bench}.json`]));
  const value = await read(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return value === null ? [] : taskFileSchema.parse(value).claims;
}

/** Those of them that are about this problem. */
export async function readTaskClaims(assetsFolder: string, about: BenchKind & Values): Promise<readonly TaskClaim[]> {
  return (await readClaimsOf(assetsFolder, about)).filter((claim) => speaksOf(claim, about));
}

/** Seconds of the samples of a side, by its variant's label. */
export interface SideTimes {
  /** By instance; empty where it was not measured. */
  readonly times: Instances;
  readonly wrong: boolean;
}
export type TimesOf = (side: Side) => SideTimes;

export const notMeasured: SideTimes = { times: [], wrong: false };

/** Samples as files keep them: without `instance` all belong to one. */
export function keptInstances<S extends { readonly instance?: number | undefined }>(
  samples: readonly S[],
  secondsOf: (sample: S) => number,
): Instances {
  return [...Map.groupBy(samples, ({ instance }) => instance ?? 0).values()].map((each) => each.map(secondsOf));
}

export function transportTimes(entries: readonly BenchEntry[]): TimesOf {
  return ({ variant, mode, clock }) => {
    const entry = entries.find(({ label }) => label === variant);
    if (entry?.status !== 'measured') return notMeasured;
    const wrong = entry.verdict === 'wrong';
    if (clock === 'first') return { times: [[entry.first.wall_s]], wrong };
    const samples = mode === 'warm' ? entry.samples : (entry.modes.find((one) => one.mode === mode)?.samples ?? []);
    return { times: keptInstances(samples, clock === 'whole' ? ({ wall_s }) => wall_s : timeOf), wrong };
  };
}

const clockNames = { counted: null, whole: 'whole run', first: 'first run' } as const;

const nameOf = ({ variant, mode, clock }: Side): string =>
  [variant, mode === 'warm' ? null : mode, clockNames[clock]].filter((part) => part !== null).join(', ');

/** Two or more instances are judged by them; what a session without them measured, by the bootstrap of its rounds. */
function gainOf(slow: Instances, fast: Instances, seed: number): Ratio | null {
  if (slow.length === 0 || fast.length === 0) return null;
  if (slow.length > 1 && fast.length > 1) return ratioOf(slow, fast);
  return bootstrapRatioOf(slow.flat(), fast.flat(), seed);
}

export function claimResults(claims: readonly Claim[], timesFor: TimesOf, seed: number): ClaimResult[] {
  return claims.map((claim) => ({
    ...claim,
    pairs: claim.pairs.map(({ slower, faster, what }) => {
      const [slow, fast] = [timesFor(slower), timesFor(faster)];
      // The gain is time before over time after.
      const gain = gainOf(slow.times, fast.times, seed);
      const verdict = judgeClaim(gain, claim);
      const wrong = [...new Set([...(slow.wrong ? [slower.variant] : []), ...(fast.wrong ? [faster.variant] : [])])];
      return {
        ...{ slower: nameOf(slower), faster: nameOf(faster), what, gain, verdict },
        ...(gain === null || wrong.length === 0 ? {} : { wrong }),
      };
    }),
  }));
}
