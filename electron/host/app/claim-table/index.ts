/** The table of published claims: each row with the scenarios that test it and what recorded sessions say. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ClaimResult, TaskClaimResult } from '../../../contract/bench/claims.ts';
import type { TaskClaim } from '../../model/bench/index.ts';
import { readImageClaims } from '../../workloads/diffraction/claims.ts';
import { parseKeptSession, withClaims } from '../sessions/index.ts';

const rowSchema = z.strictObject({
  /** From 1. */
  row: z.int().positive(),
  claim: z.string().min(1),
  source: z.string().min(1),
  /** Below assets/scenarios. */
  scenarios: z.array(z.string()).min(1),
  /** Below assets/runs. */
  sessions: z.array(z.string()).min(1),
  /** Which of the sessions' claims belong to the row; all of them where it is empty. */
  only: z.array(z.string()),
});
export type ClaimRow = Readonly<z.infer<typeof rowSchema>>;

const tableSchema = z.strictObject({ version: z.literal(1), rows: z.array(rowSchema).min(1) });

export async function readClaimTable(assetsFolder: string): Promise<readonly ClaimRow[]> {
  return tableSchema.parse(JSON.parse(await readFile(join(assetsFolder, 'claims', 'table.json'), 'utf8'))).rows;
}

/** One statement of a session about a claim. */
export interface Finding {
  /** File below assets/runs. */
  readonly session: string;
  readonly claim: string;
  readonly from: number;
  readonly to: number;
  /** What it was measured by; null where a reason stands in its place. */
  readonly by: string | null;
  readonly value: number | null;
  /** `×` of a gain. */
  readonly unit: string;
  readonly verdict: string;
  readonly reason: string | null;
}

type AnyClaim = ClaimResult | TaskClaimResult;

function findingsOf(session: string, claim: AnyClaim): readonly Finding[] {
  const { from, to, reason } = claim;
  const common = { session, claim: claim.claim, from, to, reason };
  if (reason !== null) return [{ ...common, by: null, value: null, unit: '', verdict: 'not isolated' }];
  const values = 'values' in claim ? claim.values : [];
  return [
    ...claim.pairs.map((pair) => ({
      ...common,
      by: `${pair.slower} → ${pair.faster}`,
      value: pair.gain?.value ?? null,
      unit: '×',
      verdict: pair.wrong === undefined ? pair.verdict : `${pair.verdict}, by a wrong answer`,
    })),
    ...values.map(({ variant, what, value, unit, verdict }) => ({
      ...common,
      by: `${variant}: ${what}`,
      value,
      unit,
      verdict,
    })),
  ];
}

function claimsOf(text: string, path: string, imageClaims: readonly TaskClaim[]): readonly AnyClaim[] {
  const { reports } = withClaims(parseKeptSession(text, path), { imageClaims });
  return reports.flatMap(({ claims = [] }): readonly AnyClaim[] => claims);
}

/** What the recorded sessions of a row say; a session that is not there says nothing. */
export async function findingsOfRow(assetsFolder: string, { sessions, only }: ClaimRow): Promise<readonly Finding[]> {
  const imageClaims = await readImageClaims(assetsFolder);
  const each = await Promise.all(
    sessions.map(async (session) => {
      const path = join(assetsFolder, 'runs', session);
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw error;
      });
      const claims = text === null ? [] : claimsOf(text, path, imageClaims);
      return claims
        .filter(({ id }) => only.length === 0 || only.includes(id))
        .flatMap((claim) => findingsOf(session, claim));
    }),
  );
  return each.flat();
}
