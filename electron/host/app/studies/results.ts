/**
 * Reads and sorts the results of studies on a worker thread, because a hundred thousand rows need seconds. Also builds
 * the scenarios that points solve.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { validateScenario, valueAt } from '../../../contract/scenario/index.ts';
import type { StudyAdvice, StudyColumns, StudyRows } from '../../../contract/study/calls.ts';
import type { PlanHead, PlanLine, PointResult } from '../../../contract/study/index.ts';
import { readRegularFile } from '../../io/files/plain-file.ts';
import { defineCachingThreadTask } from '../../io/threads/task.ts';
import { unmetRequirement } from '../../model/bench/claim-results.ts';
import { type Claim, claimApplies } from '../../model/bench/claims.ts';
import { applyOverrides } from '../../model/scenarios/overrides.ts';
import { deriveAdvice } from '../../model/studies/advice/index.ts';
import { StudyFolder } from '../../model/studies/folder.ts';
import { type Row, type StudyTable, studyTable, tableCsv, tableHdf5, tableParquet } from '../../model/studies/table.ts';
import { columnValues, queryTable, type RequestedColumns, type TableQuery } from '../../model/studies/table-query.ts';
import { claimedValues, hostWorkloads } from '../../workloads/index.ts';

/** Builds the scenario of a point from its base scenario and its settings. */
export function documentOf(base: unknown, settings: PlanLine['settings']): unknown {
  return applyOverrides(
    base,
    settings.map((setting) => ({ ...setting, swept: true })),
  ).document;
}

/** Whether a point sets the grid or the solver. `auto` then selects a variant that solves on the grid. */
export const variesGrid = (settings: PlanLine['settings']): boolean =>
  settings.some(({ path: [first] }) => first === 'grid' || first === 'solver');

/**
 * Limits the threads of a run that requests every core, which does not change its result. `threads`: null for all
 * cores.
 */
export function withThreadLimit(document: unknown, threads: number | null): unknown {
  const requested = valueAt(document, ['solver', 'threads']);
  if (threads === null || (requested !== undefined && requested !== 0)) return document;
  return documentOf(document, [{ path: ['solver', 'threads'], value: threads }]);
}

/**
 * Digests of the files that a scenario names. They are part of a point's id, because a changed table makes a different
 * point.
 */
export async function namedFileDigests(document: unknown, folder: string | null): Promise<readonly string[]> {
  const { filled } = validateScenario(document);
  if (filled === null || folder === null) return [];
  const files = hostWorkloads[filled.kind].scenario.files(filled);
  return Promise.all(
    files.map(async (file) => {
      // Anything but a regular file counts as missing, for example a pipe.
      const bytes = await readRegularFile(path.resolve(folder, file)).catch(() => null);
      return `${file} ${bytes === null ? 'missing' : createHash('sha256').update(bytes).digest('hex')}`;
    }),
  );
}

/** Maximum time in milliseconds before reading yields to other tasks. */
const SLICE_MS = 5;

/**
 * Cache of the plan, which never changes, and of rows by point. A failed point may be solved later, so its row may
 * change.
 */
interface CachedRows {
  lines: readonly PlanLine[] | null;
  readonly rows: Map<string, Row>;
}

const emptyCache = (): CachedRows => ({ lines: null, rows: new Map() });

/**
 * Returns the rows in the order of the plan. Damaged results are renamed and listed. They count as missing, so the next
 * run solves them again. `known` caches the rows for the next call. `turn` resolves when reading may continue.
 */
export async function readRows(
  folder: StudyFolder,
  known: CachedRows = emptyCache(),
  turn: () => Promise<unknown> = nextTurn,
): Promise<{ readonly rows: readonly Row[]; readonly damaged: readonly string[] }> {
  const ended = await folder.finishedPoints();
  known.lines ??= await folder.readLines();
  const rows: Row[] = [];
  const damaged: string[] = [];
  let since = performance.now();
  for (const line of known.lines) {
    const state = ended.get(line.id);
    if (state === undefined) continue;
    const before = known.rows.get(line.id);
    if (before?.result.status === state) {
      rows.push(before);
      continue;
    }
    if (performance.now() - since > SLICE_MS) {
      await turn();
      since = performance.now();
    }
    const result = await folder.readResult(line.id, state);
    if (result === null) {
      damaged.push(line.id);
      continue;
    }
    const row = { line, result };
    known.rows.set(line.id, row);
    rows.push(row);
  }
  return { rows, damaged };
}

export async function collectTable(folder: StudyFolder): Promise<StudyTable> {
  const { rows, damaged } = await readRows(folder);
  return studyTable(folder.head, rows, damaged);
}

// The following functions cache the results of displayed studies on the thread that read them, so that only new files
// are read.

/** Number of cached studies: the displayed one and one more. */
const CACHED_STUDIES = 2;
/** Number of cached answers to requests for advice, which differ in the error limit. */
const MAX_ADVICE = 4;

class StudyResults {
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

  /** Returns cached advice on these rows for a request, or makes it. */
  cachedAdvice(question: string, make: () => readonly StudyAdvice[]): readonly StudyAdvice[] {
    const found = this.#advice.get(question) ?? make();
    this.#advice.set(question, found);
    for (const oldest of [...this.#advice.keys()].slice(0, -MAX_ADVICE)) this.#advice.delete(oldest);
    return found;
  }

  contains(rows: readonly Row[], damaged: readonly string[]): boolean {
    const areEqual = <T>(some: readonly T[], others: readonly T[]): boolean =>
      some.length === others.length && some.every((one, i) => one === others[i]);
    return areEqual(this.rows, rows) && areEqual(this.damaged, damaged);
  }
}

interface LoadedStudy {
  readonly known: CachedRows;
  /** Modification times of the study's folders before the last read. */
  changed: string | null;
  read: StudyResults | null;
  /** Last read. Reads are sequential, because concurrent ones would read each file twice. */
  last: Promise<unknown>;
}
const loadedStudies = new Map<string, LoadedStudy>();

/** Studies that are being read. The last one was requested most recently, so it is displayed and has priority. */
const reading: LoadedStudy[] = [];
/** Interval in ms at which waiting reads check whether they may continue. */
const RECHECK_MS = 20;

async function waitForReaders(mine: LoadedStudy): Promise<void> {
  await nextTurn();
  while (reading.at(-1) !== mine) await setTimeout(RECHECK_MS);
}

function endReading(mine: LoadedStudy): void {
  const at = reading.indexOf(mine);
  if (at >= 0) reading.splice(at, 1);
}

async function refreshRows(folder: StudyFolder, mine: LoadedStudy): Promise<StudyResults> {
  const changed = await folder.currentStamp();
  if (mine.read !== null && changed !== null && changed === mine.changed) return mine.read;
  reading.push(mine);
  const { rows, damaged } = await readRows(folder, mine.known, () => waitForReaders(mine)).finally(() =>
    endReading(mine),
  );
  // Unchanged rows are the same objects, so keep the study with its table and advice.
  if (mine.read?.contains(rows, damaged) !== true) mine.read = new StudyResults(folder.head, rows, damaged);
  mine.changed = changed;
  return mine.read;
}

function loadedStudy(folder: StudyFolder): LoadedStudy {
  const key = `${folder.folder} ${folder.head.sha256}`;
  const mine = loadedStudies.get(key) ?? { known: emptyCache(), changed: null, read: null, last: Promise.resolve() };
  loadedStudies.delete(key);
  loadedStudies.set(key, mine);
  for (const oldest of [...loadedStudies.keys()].slice(0, -CACHED_STUDIES)) loadedStudies.delete(oldest);
  return mine;
}

export async function readStudy(path: string): Promise<StudyResults> {
  const folder = await StudyFolder.open(path);
  const mine = loadedStudy(folder);
  // A repeated request gets priority over requests made since the first one.
  if (reading.includes(mine)) {
    endReading(mine);
    reading.push(mine);
  }
  const now = mine.last.then(() => refreshRows(folder, mine));
  mine.last = now.catch(() => undefined);
  return now;
}

export async function plannedLines(folder: StudyFolder): Promise<readonly PlanLine[]> {
  const { known } = loadedStudy(folder);
  known.lines ??= await folder.readLines();
  return known.lines;
}

export const studyRows = defineCachingThreadTask(
  'show results of a study',
  async ({ folder, look }: { readonly folder: string; readonly look: TableQuery }): Promise<StudyRows> =>
    queryTable((await readStudy(folder)).table(), look),
);

export const studyValues = defineCachingThreadTask(
  'read columns of a study',
  async ({ folder, asked }: { readonly folder: string; readonly asked: RequestedColumns }): Promise<StudyColumns> =>
    columnValues((await readStudy(folder)).table(), asked),
);

/** Finds a point of the plan and its stored result. On a worker thread, because plans have up to a million lines. */
export const studyPoint = defineCachingThreadTask(
  'find a point in a study',
  async (asked: {
    readonly folder: string;
    readonly point: string;
  }): Promise<{ line: PlanLine | null; result: PointResult | null }> => {
    const folder = await StudyFolder.open(asked.folder);
    const line = (await plannedLines(folder)).find(({ id }) => id === asked.point) ?? null;
    const state = line === null ? null : await folder.stateOf(line.id);
    return { line, result: line === null || state === null ? null : await folder.readResult(line.id, state) };
  },
);

interface AdviceRequest {
  readonly folder: string;
  /** Published claims about the workload of the study. */
  readonly claims: readonly Claim[];
  readonly error_mm: number;
}

function computeAdvice({ head, rows }: StudyResults, asked: AdviceRequest): readonly StudyAdvice[] {
  const gpu = rows[0]?.result.where.gpu ?? null;
  const claims = asked.claims.map((claim) => ({
    ...claim,
    needs: unmetRequirement(claim, gpu),
    pairs: claim.pairs
      .filter(({ slower, faster }) =>
        [slower, faster].every(({ mode, clock }) => mode === 'warm' && clock === 'counted'),
      )
      .map(({ slower, faster, rival }) => ({ slower: slower.variant, faster: faster.variant, rival })),
    appliesTo: ({ base, settings }: PlanLine) => {
      if (Object.keys(claim.where).length === 0) return true;
      const values = claimedValues(documentOf(head.bases[base]?.document, settings));
      return values !== null && claimApplies(claim, values);
    },
  }));
  return deriveAdvice(head, rows, { claims, error_mm: asked.error_mm });
}

export const studyAdvice = defineCachingThreadTask(
  'summarise a study',
  async (asked: AdviceRequest): Promise<readonly StudyAdvice[]> => {
    const read = await readStudy(asked.folder);
    // Cached, because advice on a hundred thousand rows needs a second, and plots request it repeatedly.
    return read.cachedAdvice(JSON.stringify([asked.claims, asked.error_mm]), () => computeAdvice(read, asked));
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

export const studyTableFile = defineCachingThreadTask(
  'write the table of a study',
  async ({ folder, format }: { readonly folder: string; readonly format: TableFormat }): Promise<Uint8Array> =>
    writers[format]((await readStudy(folder)).table()),
);
