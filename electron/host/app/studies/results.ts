/** Results of studies beside the host's loop: a hundred thousand rows take seconds to read and to sort. */
import type { StudyAdvice, StudyColumns, StudyRows } from '../../../contract/study/calls.ts';
import type { PlanLine, PointResult } from '../../../contract/study/index.ts';
import { asideKeeping } from '../../io/aside/task.ts';
import { needsOf } from '../../model/bench/claim-results.ts';
import { type Claim, speaksOf } from '../../model/bench/claims.ts';
import { adviceOf } from '../../model/studies/advice/index.ts';
import { tableCsv } from '../../model/studies/csv.ts';
import { StudyFolder } from '../../model/studies/folder.ts';
import { type AskedColumns, type Look, lookAt, valuesOf } from '../../model/studies/look.ts';
import type { StudyTable } from '../../model/studies/table.ts';
import { tableHdf5, tableParquet } from '../../model/studies/table-files.ts';
import { claimedValues } from '../../workloads/index.ts';
import { documentOf } from './documents.ts';
import { plannedLines, type ReadStudy, readStudy } from './read-study.ts';

export const studyRows = asideKeeping(
  'show results of a study',
  async ({ folder, look }: { readonly folder: string; readonly look: Look }): Promise<StudyRows> =>
    lookAt((await readStudy(folder)).table(), look),
);

export const studyValues = asideKeeping(
  'take columns of a study',
  async ({ folder, asked }: { readonly folder: string; readonly asked: AskedColumns }): Promise<StudyColumns> =>
    valuesOf((await readStudy(folder)).table(), asked),
);

/** A point of the plan, and what was kept of it: plans have up to a million lines. */
export const studyPoint = asideKeeping(
  'find a point of a study',
  async (asked: {
    readonly folder: string;
    readonly point: string;
  }): Promise<{ line: PlanLine | null; result: PointResult | null }> => {
    const folder = await StudyFolder.open(asked.folder);
    const line = (await plannedLines(folder)).find(({ id }) => id === asked.point) ?? null;
    const state = line === null ? null : await folder.stateOf(line.id);
    return { line, result: line === null || state === null ? null : await folder.result(line.id, state) };
  },
);

interface AdviceAsked {
  readonly folder: string;
  /** Those about the workload of the study. */
  readonly claims: readonly Claim[];
  readonly error_mm: number;
}

function adviceNow({ head, rows }: ReadStudy, asked: AdviceAsked): readonly StudyAdvice[] {
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
      const values = claimedValues(documentOf(head.bases[base]?.document, settings));
      return values !== null && speaksOf(claim, values);
    },
  }));
  return adviceOf(head, rows, { claims, error_mm: asked.error_mm });
}

export const studyAdvice = asideKeeping(
  'say what a study says',
  async (asked: AdviceAsked): Promise<readonly StudyAdvice[]> => {
    const read = await readStudy(asked.folder);
    // Plots of a hundred thousand rows waited a second for the same sentences again.
    return read.told(JSON.stringify([asked.claims, asked.error_mm]), () => adviceNow(read, asked));
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
    writers[format]((await readStudy(folder)).table()),
);
