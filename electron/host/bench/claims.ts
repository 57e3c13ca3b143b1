/** Published claims beside what this machine gave for the pairs of variants that isolate each. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type ClaimResult, modeSchema } from '../../contract/bench.ts';
import { ratioOf } from './entry.ts';
import { timeOf } from './measure.ts';
import type { BenchEntry, Ratio } from './report.ts';

const sideSchema = z.strictObject({ variant: z.string(), mode: modeSchema.default('warm') });
export const claimSchema = z.strictObject({
  id: z.string(),
  claim: z.string(),
  from: z.number(),
  to: z.number(),
  source: z.string(),
  reason: z.string().nullable(),
  pairs: z.array(z.strictObject({ slower: sideSchema, faster: sideSchema, what: z.string() })),
});
export type Claim = Readonly<z.infer<typeof claimSchema>>;
type Side = Claim['pairs'][number]['slower'];
const fileSchema = z.strictObject({ version: z.literal(1), claims: z.array(claimSchema) });

export async function readClaims(assetsFolder: string): Promise<readonly Claim[]> {
  const text = await readFile(join(assetsFolder, 'claims', 'kernel-notes.json'), 'utf8');
  return fileSchema.parse(JSON.parse(text)).claims;
}

function timesOf(entries: readonly BenchEntry[], { variant, mode }: Side): readonly number[] {
  const entry = entries.find(({ label }) => label === variant);
  if (entry?.status !== 'measured' || entry.verdict === 'wrong') return [];
  const samples = mode === 'warm' ? entry.samples : (entry.modes.find((one) => one.mode === mode)?.samples ?? []);
  return samples.map(timeOf);
}

const nameOf = ({ variant, mode }: Side): string => (mode === 'warm' ? variant : `${variant}, ${mode}`);

/** Only where the whole interval agrees is a claim contradicted. */
function judge(gain: Ratio | null, { from, to }: Claim): ClaimResult['pairs'][number]['verdict'] {
  if (gain === null) return 'not measured';
  const { low, high } = gain.interval ?? { low: gain.value, high: gain.value };
  if (high < from) return 'less';
  return low > to ? 'more' : 'as claimed';
}

export function claimResults(claims: readonly Claim[], entries: readonly BenchEntry[], seed: number): ClaimResult[] {
  return claims.map((claim) => ({
    ...claim,
    pairs: claim.pairs.map(({ slower, faster, what }) => {
      const [slow, fast] = [timesOf(entries, slower), timesOf(entries, faster)];
      // The gain is time before over time after.
      const gain = slow.length === 0 || fast.length === 0 ? null : ratioOf(slow, fast, seed);
      return { slower: nameOf(slower), faster: nameOf(faster), what, gain, verdict: judge(gain, claim) };
    }),
  }));
}
