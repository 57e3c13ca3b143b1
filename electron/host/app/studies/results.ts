/** Reads and sorts results of studies on a worker thread: a hundred thousand rows need seconds. */

import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import type { StudyAdvice, StudyColumns, StudyRows } from '../../../contract/study/calls.ts';
import type { PlanHead, PlanLine, PointResult } from '../../../contract/study/index.ts';
import { asideKeeping } from '../../io/aside/task.ts';
import { needsOf } from '../../model/bench/claim-results.ts';
import { type Claim, speaksOf } from '../../model/bench/claims.ts';
import { adviceOf } from '../../model/studies/advice/index.ts';
import { tableCsv } from '../../model/studies/csv.ts';
import { StudyFolder } from '../../model/studies/folder.ts';
import { type AskedColumns, type Look, lookAt, valuesOf } from '../../model/studies/look.ts';
import { type Row, type StudyTable, studyTable } from '../../model/studies/table.ts';
import { tableHdf5, tableParquet } from '../../model/studies/table-files.ts';
import { claimedValues } from '../../workloads/index.ts';
import { type Known, nothingKnown, readRows } from './collect.ts';
import { documentOf } from './documents.ts';

// Results of the studies in view, cached by the thread that read them: only files added since are read.

/** Cached studies: the one in view and one more. */
const KEPT = 2;
/** Cached requests for advice; they differ by the reader's error limit. */
const MOST_ADVICE = 4;

class ReadStudy {
  readonly head: PlanHead;
  readonly rows: readonly Row[];
  readonly damaged: readonly string[];
  #table: StudyTable | null = null;
  readonly #advice = new Map<string, readonly StudyAdvice[]>();

  constructor(head: PlanHead, rows: readonly Row[], damaged: readonly string[]) {
    this.head = head;
    this.rows = rows;
    this.damaged = damaged;
  }

  table(): StudyTable {
    this.#table ??= studyTable(this.head, this.rows, this.damaged);
    return this.#table;
  }

  /** Advice on these rows for a question, computed once. */
  adviceOn(question: string, make: () => readonly StudyAdvice[]): readonly StudyAdvice[] {
    const found = this.#advice.get(question) ?? make();
    this.#advice.set(question, found);
    for (const oldest of [...this.#advice.keys()].slice(0, -MOST_ADVICE)) this.#advice.delete(oldest);
    return found;
  }

  isOf(rows: readonly Row[], damaged: readonly string[]): boolean {
    const alike = <T>(some: readonly T[], others: readonly T[]): boolean =>
      some.length === others.length && some.every((one, i) => one === others[i]);
    return alike(this.rows, rows) && alike(this.damaged, damaged);
  }
}

interface Kept {
  readonly known: Known;
  /** When its folders had changed, before they were read. */
  changed: string | null;
  read: ReadStudy | null;
  /** One after the other: two at once read each file twice. */
  last: Promise<unknown>;
}
const kept = new Map<string, Kept>();

/** Studies being read, the latest request last: it is the one in view. */
const reading: Kept[] = [];
/** Others look whether it is their turn again. */
const LATER_MS = 20;

async function turnOf(mine: Kept): Promise<void> {
  await nextTurn();
  while (reading.at(-1) !== mine) await setTimeout(LATER_MS);
}

function leave(mine: Kept): void {
  const at = reading.indexOf(mine);
  if (at >= 0) reading.splice(at, 1);
}

async function brought(folder: StudyFolder, mine: Kept): Promise<ReadStudy> {
  const changed = await folder.changed();
  if (mine.read !== null && changed !== null && changed === mine.changed) return mine.read;
  reading.push(mine);
  const { rows, damaged } = await readRows(folder, mine.known, () => turnOf(mine)).finally(() => leave(mine));
  // Rows that were read before are the same objects: their table and sentences stay.
  if (mine.read?.isOf(rows, damaged) !== true) mine.read = new ReadStudy(folder.head, rows, damaged);
  mine.changed = changed;
  return mine.read;
}

function keptOf(folder: StudyFolder): Kept {
  const key = `${folder.folder} ${folder.head.sha256}`;
  const mine = kept.get(key) ?? { known: nothingKnown(), changed: null, read: null, last: Promise.resolve() };
  kept.delete(key);
  kept.set(key, mine);
  for (const oldest of [...kept.keys()].slice(0, -KEPT)) kept.delete(oldest);
  return mine;
}

export async function readStudy(path: string): Promise<ReadStudy> {
  const folder = await StudyFolder.open(path);
  const mine = keptOf(folder);
  // A repeated request moves ahead of those made since.
  if (reading.includes(mine)) {
    leave(mine);
    reading.push(mine);
  }
  const now = mine.last.then(() => brought(folder, mine));
  mine.last = now.catch(() => undefined);
  return now;
}

export async function plannedLines(folder: StudyFolder): Promise<readonly PlanLine[]> {
  const { known } = keptOf(folder);
  known.lines ??= await folder.lines();
  return known.lines;
}

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

/** A point of the plan and its stored result. Plans have up to a million lines. */
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
    return read.adviceOn(JSON.stringify([asked.claims, asked.error_mm]), () => adviceNow(read, asked));
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
