/** Rows of the table of published claims: which claims, which scenarios test them, which sessions were recorded. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { scenarioKindNames } from '../../../contract/scenario/index.ts';
import type { WorkloadName } from '../../../contract/workload.ts';

const rowSchema = z.strictObject({
  /** From 1. */
  row: z.int().positive(),
  claim: z.string().min(1),
  source: z.string().min(1),
  /** Below assets/scenarios. */
  scenarios: z.array(z.string()),
  /** Below assets/runs. */
  sessions: z.array(z.string()),
  /** Ids by what they are about: `micro/launch`, `diffraction`, `transport`. */
  claims: z.record(z.string(), z.array(z.string()).min(1)),
});
export type ClaimRow = Readonly<z.infer<typeof rowSchema>>;

const tableSchema = z.strictObject({ version: z.literal(1), rows: z.array(rowSchema).min(1) });

export async function readClaimTable(assetsFolder: string): Promise<readonly ClaimRow[]> {
  const file = path.join(assetsFolder, 'claims', 'table.json');
  return tableSchema.parse(JSON.parse(await readFile(file, 'utf8'))).rows;
}

export interface RowPart {
  readonly workload: WorkloadName;
  readonly bench: string;
  readonly ids: readonly string[];
}

/** Throws where a row names a workload that there is not. */
export function partsOf({ row, claims }: ClaimRow): readonly RowPart[] {
  return Object.entries(claims).map(([about, ids]) => {
    const [name = '', bench = ''] = about.split('/');
    const workload = scenarioKindNames.find((one) => one === name);
    if (workload === undefined) throw new Error(`row ${row} of the claims names ${JSON.stringify(about)}`);
    return { workload, bench, ids };
  });
}
