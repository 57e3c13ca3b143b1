/** Published claims beside what this machine gave for the pairs of variants that isolate each. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { modeSchema } from '../../contract/bench-session.ts';
import { type ClaimResult, type ClaimVerdict, claimShape } from '../../contract/claims.ts';
import type { TaskProblem } from '../addon-task.ts';
import { ratioOf } from './comparison.ts';
import { timeOf } from './measure.ts';
import type { BenchEntry } from './report.ts';

const sideSchema = z.strictObject({ variant: z.string(), mode: modeSchema.default('warm') });
export const claimSchema = z.strictObject({
  ...claimShape,
  pairs: z.array(z.strictObject({ slower: sideSchema, faster: sideSchema, what: z.string() })),
});
export type Claim = Readonly<z.infer<typeof claimSchema>>;
type Side = Claim['pairs'][number]['slower'];

/** A claim about a number that a variant states of itself, such as a latency in cycles. */
const quantityClaimSchema = z.strictObject({ variant: z.string(), quantity: z.string(), what: z.string() });
/** Of which values of the problem's parameters a claim speaks: from … to, or a word. */
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
type About = Pick<TaskProblem, 'workload' | 'bench' | 'numbers' | 'words'>;

function speaksOf({ where }: TaskClaim, { numbers, words }: About): boolean {
  return Object.entries(where).every(([name, wanted]) => {
    if (typeof wanted === 'string') return words[name] === wanted;
    const value = numbers[name];
    return value !== undefined && value >= wanted[0] && value <= wanted[1];
  });
}

/**
 * About a problem of a bench of small measured workloads: claims/<kind>.json, or claims/<kind>/<bench>.json
 * of a kind that has several. None where there is no such file.
 */
export async function readTaskClaims(assetsFolder: string, about: About): Promise<readonly TaskClaim[]> {
  const { workload: kind, bench } = about;
  const file = join(assetsFolder, 'claims', ...(bench === '' ? [`${kind}.json`] : [kind, `${bench}.json`]));
  const value = await read(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return value === null ? [] : taskFileSchema.parse(value).claims.filter((claim) => speaksOf(claim, about));
}

/** Seconds of the samples of a side, by its variant's label; empty where it was not measured or is wrong. */
export type TimesOf = (side: Side) => readonly number[];

export function transportTimes(entries: readonly BenchEntry[]): TimesOf {
  return ({ variant, mode }) => {
    const entry = entries.find(({ label }) => label === variant);
    if (entry?.status !== 'measured' || entry.verdict === 'wrong') return [];
    const samples = mode === 'warm' ? entry.samples : (entry.modes.find((one) => one.mode === mode)?.samples ?? []);
    return samples.map(timeOf);
  };
}

const nameOf = ({ variant, mode }: Side): string => (mode === 'warm' ? variant : `${variant}, ${mode}`);

/** Only where the whole interval agrees is a claim contradicted. Null: not measured. */
export function judgeClaim(
  found: { readonly low: number; readonly high: number } | null,
  { from, to }: Pick<Claim, 'from' | 'to'>,
): ClaimVerdict {
  if (found === null) return 'not measured';
  if (found.high < from) return 'less';
  return found.low > to ? 'more' : 'as claimed';
}

export function claimResults(claims: readonly Claim[], timesFor: TimesOf, seed: number): ClaimResult[] {
  return claims.map((claim) => ({
    ...claim,
    pairs: claim.pairs.map(({ slower, faster, what }) => {
      const [slow, fast] = [timesFor(slower), timesFor(faster)];
      // The gain is time before over time after.
      const gain = slow.length === 0 || fast.length === 0 ? null : ratioOf(slow, fast, seed);
      const verdict = gain !== null && gain.interval === null ? 'undecided' : judgeClaim(gain?.interval ?? null, claim);
      return { slower: nameOf(slower), faster: nameOf(faster), what, gain, verdict };
    }),
  }));
}
