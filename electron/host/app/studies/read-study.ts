/** Results of the studies that are looked at, kept by the thread that read them: only files that have come since are read. */
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import type { StudyAdvice } from '../../../contract/study/calls.ts';
import type { PlanHead, PlanLine } from '../../../contract/study/index.ts';
import { StudyFolder } from '../../model/studies/folder.ts';
import { type Row, type StudyTable, studyTable } from '../../model/studies/table.ts';
import { type Known, nothingKnown, readRows } from './collect.ts';

/** That which is looked at, and one beside it. */
const KEPT = 2;
/** Reader's bounds of an error that sentences are kept for. */
const FEW_TOLD = 4;

export class ReadStudy {
  readonly head: PlanHead;
  readonly rows: readonly Row[];
  readonly damaged: readonly string[];
  #table: StudyTable | null = null;
  readonly #told = new Map<string, readonly StudyAdvice[]>();

  constructor(head: PlanHead, rows: readonly Row[], damaged: readonly string[]) {
    this.head = head;
    this.rows = rows;
    this.damaged = damaged;
  }

  table(): StudyTable {
    this.#table ??= studyTable(this.head, this.rows, this.damaged);
    return this.#table;
  }

  /** What these rows say to a question, made once. */
  told(question: string, make: () => readonly StudyAdvice[]): readonly StudyAdvice[] {
    const told = this.#told.get(question) ?? make();
    this.#told.set(question, told);
    for (const oldest of [...this.#told.keys()].slice(0, -FEW_TOLD)) this.#told.delete(oldest);
    return told;
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

/** Being read, the one asked for last at the end: it is what somebody looks at now. */
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
  // Asked for again, it comes before what was asked for meanwhile.
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
