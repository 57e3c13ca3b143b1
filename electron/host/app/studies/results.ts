/** Results of studies beside the host's loop: a hundred thousand rows take seconds to read and to sort. */
import type { StudyAdvice, StudyRows, StudyValues } from '../../../contract/study/calls.ts';
import type { PlanLine, PointResult } from '../../../contract/study/index.ts';
import { aside, asideKeeping } from '../../io/aside/task.ts';
import { needsOf } from '../../model/bench/claim-results.ts';
import { type Claim, speaksOf } from '../../model/bench/claims.ts';
import { adviceOf } from '../../model/studies/advice/index.ts';
import { tableCsv } from '../../model/studies/csv.ts';
import { StudyFolder } from '../../model/studies/folder.ts';
import { type Look, lookAt, valuesOf } from '../../model/studies/look.ts';
import type { StudyTable } from '../../model/studies/table.ts';
import { tableHdf5, tableParquet } from '../../model/studies/table-files.ts';
import { claimedValues } from '../../workloads/index.ts';
import { collect, type KnownRows, readRows } from './collect.ts';
import { documentOf } from './documents.ts';

/** Studies whose rows a thread keeps: that which is looked at, and one beside it. */
const KEPT = 2;
interface Kept {
  readonly known: KnownRows;
  size: number;
  /** When the folder had changed last, as it was looked at. */
  changed: string | null;
  table: StudyTable | null;
}
const kept = new Map<string, Kept>();

/** Only files that have come since the last time are read. */
async function tableOf(path: string): Promise<StudyTable> {
  const folder = await StudyFolder.open(path);
  const key = `${path} ${folder.head.sha256}`;
  const mine = kept.get(key) ?? { known: new Map(), size: -1, changed: null, table: null };
  kept.delete(key);
  kept.set(key, mine);
  for (const oldest of [...kept.keys()].slice(0, -KEPT)) kept.delete(oldest);
  const changed = await folder.changed();
  if (mine.table !== null && changed !== null && changed === mine.changed) return mine.table;
  const ended = await folder.ended();
  const failed = [...ended.values()].filter((state) => state === 'failed').length;
  const size = 2 * ended.size - failed;
  if (mine.table === null || mine.size !== size) {
    mine.table = await collect(folder, mine.known);
    mine.size = size;
  }
  mine.changed = changed;
  return mine.table;
}

export const studyRows = asideKeeping(
  'show results of a study',
  async ({ folder, look }: { readonly folder: string; readonly look: Look }): Promise<StudyRows> =>
    lookAt(await tableOf(folder), look),
);

export const studyValues = asideKeeping(
  'take columns of a study',
  async (asked: {
    readonly folder: string;
    readonly filter: string;
    readonly keys: readonly string[];
  }): Promise<{ points: string; columns: StudyValues[] }> =>
    valuesOf(await tableOf(asked.folder), asked.filter, asked.keys),
);

/** A point of the plan, and what was kept of it: plans have up to a million lines. */
export const studyPoint = aside(
  'find a point of a study',
  async (asked: {
    readonly folder: string;
    readonly point: string;
  }): Promise<{ line: PlanLine | null; result: PointResult | null }> => {
    const folder = await StudyFolder.open(asked.folder);
    const line = (await folder.lines()).find(({ id }) => id === asked.point) ?? null;
    const state = line === null ? undefined : (await folder.ended()).get(line.id);
    return { line, result: line === null || state === undefined ? null : await folder.result(line.id, state) };
  },
);

/** `claims`: those about the workload of the study. */
export const studyAdvice = asideKeeping(
  'say what a study says',
  async (asked: {
    readonly folder: string;
    readonly claims: readonly Claim[];
    readonly error_mm: number;
  }): Promise<readonly StudyAdvice[]> => {
    const folder = await StudyFolder.open(asked.folder);
    const { rows } = await readRows(folder, kept.get(`${asked.folder} ${folder.head.sha256}`)?.known);
    const gpu = rows[0]?.result.where.gpu ?? null;
    const claims = asked.claims.map((claim) => ({
      ...claim,
      needs: needsOf(claim, gpu),
      pairs: claim.pairs
        .filter(({ slower, faster }) =>
          [slower, faster].every(({ mode, clock }) => mode === 'warm' && clock === 'counted'),
        )
        .map(({ slower, faster, rival }) => ({ slower: slower.variant, faster: faster.variant, rival })),
      speaks: ({ base, settings }: PlanLine) => {
        if (Object.keys(claim.where).length === 0) return true;
        const values = claimedValues(documentOf(folder.head.bases[base]?.document, settings));
        return values !== null && speaksOf(claim, values);
      },
    }));
    return adviceOf(folder.head, rows, { claims, error_mm: asked.error_mm });
  },
);

export type TableFormat = 'csv' | 'parquet' | 'h5' | 'json';

const text = (written: string): Uint8Array => new TextEncoder().encode(written);

const writers: Readonly<Record<TableFormat, (table: StudyTable) => Uint8Array | Promise<Uint8Array>>> = {
  csv: (table) => text(tableCsv(table)),
  parquet: tableParquet,
  h5: tableHdf5,
  json: (table) => text(`${JSON.stringify(table)}\n`),
};

export const studyTableFile = asideKeeping(
  'write a table of a study',
  async ({ folder, format }: { readonly folder: string; readonly format: TableFormat }): Promise<Uint8Array> =>
    writers[format](await tableOf(folder)),
);
