/**
 * Benchmarks that the host knows, and rows of the comparison. Contains metadata only; computed results are in data/.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { BenchId, BenchInfo, BenchProgress, Subject } from '../../electron/contract/bench/benches.ts';
import { defaultKind } from '../../electron/contract/scenario/index.ts';
import type { WorkloadName } from '../../electron/contract/workload.ts';

/** A row of a comparison. */
export interface ChosenRow {
  readonly key: string;
  readonly workload: WorkloadName;
  readonly subject: Subject;
  /** Index into the series colours. */
  readonly ink: number;
  readonly hidden: boolean;
  /** True if suggested automatically; removed when the user chooses rows. */
  readonly offered?: boolean;
}

interface ComparisonState {
  /** Sessions measured since the program started, newest first. */
  readonly live: readonly BenchInfo[];
  /** Measured runs, opened files, sessions in the library, and bundled sessions. */
  readonly stored: readonly BenchInfo[];
  /** True after the stored sessions have been listed. */
  readonly listed: boolean;
  readonly progress: Readonly<Record<BenchId, BenchProgress>>;
  /** Workload of the shown comparison. Each workload has its own comparison. */
  readonly workload: WorkloadName;
  /** Chosen rows of all workloads, in order. */
  readonly chosen: readonly ChosenRow[];
  /** Workloads for which rows were suggested. Rows are suggested only once, even if the user removes them. */
  readonly offered: readonly WorkloadName[];
  /** Key of the row that others are compared with, by workload; if missing, the first row. */
  readonly references: Readonly<Partial<Record<WorkloadName, string>>>;
  /** True if the table should be shown next, regardless of the current view. */
  readonly tableWanted: boolean;
}

export interface ComparisonStore extends StoreApi<ComparisonState> {
  /** Appends those subjects that are missing, and shows their workload. */
  add(workload: WorkloadName, subjects: readonly Subject[]): void;
  /** Shows automatically suggested rows, replacing earlier suggestions. */
  offer(workload: WorkloadName, subjects: readonly Subject[]): void;
  /** Like `offer`, but also shows the workload and its table with the given reference. */
  present(workload: WorkloadName, subjects: readonly Subject[], reference: string): void;
  remove(keys: readonly string[]): void;
  show(workload: WorkloadName): void;
  setReference(key: string): void;
  hide(key: string, hidden: boolean): void;
  recolour(key: string, ink: number): void;
  /** Moves a row before the row at index `place` of its workload. */
  move(key: string, place: number): void;
}

export function subjectKey(subject: Subject): string {
  return subject.kind === 'run'
    ? `run ${subject.run}`
    : `${subject.kind} ${subject.bench} ${subject.report} ${subject.label}`;
}

/** Number of series colours in the theme. */
const INKS = 8;

/** The least used colour; of several, the first. */
function nextInk(chosen: readonly ChosenRow[]): number {
  const used = Array.from({ length: INKS }, (_, ink) => chosen.filter((one) => one.ink === ink).length);
  return used.indexOf(Math.min(...used));
}

const rowsOfWorkload = (chosen: readonly ChosenRow[], workload: WorkloadName): ChosenRow[] =>
  chosen.filter((one) => one.workload === workload);

/** All rows except suggested rows of this workload. */
const withoutOffered = (chosen: readonly ChosenRow[], workload: WorkloadName): readonly ChosenRow[] =>
  chosen.filter((one) => one.offered !== true || one.workload !== workload);

/** Appends subjects that are missing. */
function withSubjects(
  before: readonly ChosenRow[],
  workload: WorkloadName,
  subjects: readonly Subject[],
  more: Pick<ChosenRow, 'offered'>,
): readonly ChosenRow[] {
  const chosen = [...before];
  for (const subject of subjects) {
    const key = subjectKey(subject);
    if (chosen.some((one) => one.key === key)) continue;
    chosen.push({ key, workload, subject, ink: nextInk(rowsOfWorkload(chosen, workload)), hidden: false, ...more });
  }
  return chosen;
}

export function createComparisonStore(): ComparisonStore {
  const store = createStore<ComparisonState>(() => ({
    live: [],
    stored: [],
    listed: false,
    progress: {},
    workload: defaultKind,
    chosen: [],
    offered: [],
    references: {},
    tableWanted: false,
  }));
  const change = (key: string, part: Partial<ChosenRow>): void =>
    store.setState(({ chosen }) => ({ chosen: chosen.map((one) => (one.key === key ? { ...one, ...part } : one)) }));
  return {
    ...store,
    add: (workload, subjects) =>
      store.setState((state) => {
        const others = withoutOffered(state.chosen, workload);
        return { chosen: withSubjects(others, workload, subjects, {}), workload };
      }),
    offer: (workload, subjects) =>
      store.setState((state) => ({
        chosen: withSubjects(withoutOffered(state.chosen, workload), workload, subjects, { offered: true }),
        offered: [...new Set([...state.offered, workload])],
      })),
    present: (workload, subjects, reference) =>
      store.setState((state) => {
        const others = withoutOffered(state.chosen, workload);
        return {
          chosen: withSubjects(others, workload, subjects, { offered: true }),
          offered: [...new Set([...state.offered, workload])],
          references: { ...state.references, [workload]: reference },
          workload,
          tableWanted: true,
        };
      }),
    remove: (keys) => store.setState(({ chosen }) => ({ chosen: chosen.filter(({ key }) => !keys.includes(key)) })),
    show: (workload) => store.setState({ workload }),
    setReference: (key) =>
      store.setState(({ chosen, references }) => {
        const found = chosen.find((one) => one.key === key);
        return found === undefined ? {} : { references: { ...references, [found.workload]: key } };
      }),
    hide: (key, hidden) => change(key, { hidden }),
    recolour: (key, ink) => change(key, { ink }),
    move: (key, place) =>
      store.setState(({ chosen }) => {
        const moved = chosen.find((one) => one.key === key);
        if (moved === undefined) return {};
        const own = rowsOfWorkload(chosen, moved.workload);
        const from = own.indexOf(moved);
        const rest = own.filter((one) => one !== moved);
        rest.splice(from < place ? place - 1 : place, 0, moved);
        return { chosen: [...chosen.filter(({ workload }) => workload !== moved.workload), ...rest] };
      }),
  };
}

const cachedShownRows = new WeakMap<readonly ChosenRow[], Map<WorkloadName, readonly ChosenRow[]>>();

/** Rows of the shown workload; returns the same array for the same state. */
export function shownRows({ chosen, workload }: Pick<ComparisonState, 'chosen' | 'workload'>): readonly ChosenRow[] {
  const known = cachedShownRows.get(chosen) ?? new Map<WorkloadName, readonly ChosenRow[]>();
  cachedShownRows.set(chosen, known);
  const rows = known.get(workload) ?? rowsOfWorkload(chosen, workload);
  known.set(workload, rows);
  return rows;
}

/** Index of the reference among the shown rows; 0 if none is set. */
export function referenceIndex(state: ComparisonState): number {
  const reference = state.references[state.workload];
  return Math.max(
    0,
    shownRows(state).findIndex(({ key }) => key === reference),
  );
}

/** Session of the reference in the shown comparison; null if there are no rows, or if the reference is a run. */
export function referenceBench(state: ComparisonState): BenchId | null {
  const subject = shownRows(state)[referenceIndex(state)]?.subject;
  return subject === undefined || subject.kind === 'run' ? null : subject.bench;
}

export function benchOf({ live, stored }: ComparisonState, id: BenchId | null): BenchInfo | null {
  return [...live, ...stored].find((one) => one.id === id) ?? null;
}

/** Running or queued session; the host measures one at a time. */
export function activeBench({ live }: ComparisonState): BenchInfo | null {
  return live.find(({ state }) => state === 'running') ?? live.find(({ state }) => state === 'queued') ?? null;
}
