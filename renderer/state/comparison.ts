/** Benchmarks that the host knows, and what is being compared. Numbers alone: what was computed is in data/. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { BenchId, BenchInfo, BenchProgress, Subject } from '../../electron/contract/bench/benches.ts';
import { defaultKind } from '../../electron/contract/scenario/index.ts';
import type { WorkloadName } from '../../electron/contract/workload.ts';

/** One row of a comparison. */
export interface Chosen {
  readonly key: string;
  readonly workload: WorkloadName;
  readonly subject: Subject;
  /** Index into the series colours. */
  readonly ink: number;
  readonly hidden: boolean;
  /** Suggested automatically; removed when the user chooses rows. */
  readonly offered?: boolean;
}

interface ComparisonState {
  /** Sessions of this program's run, newest first. */
  readonly live: readonly BenchInfo[];
  /** Runs that are measurements, opened files, the library, and those that came with the program. */
  readonly stored: readonly BenchInfo[];
  /** The stored ones were read once. */
  readonly listed: boolean;
  readonly progress: Readonly<Record<BenchId, BenchProgress>>;
  /** Whose comparison is shown: a comparison is of one workload, and each keeps its own. */
  readonly workload: WorkloadName;
  /** Chosen rows of all workloads, in their order. */
  readonly chosen: readonly Chosen[];
  /** Workloads that rows were offered for: once, also when they were taken away. */
  readonly offered: readonly WorkloadName[];
  /** Key of the row that the others are compared with; missing: the first. */
  readonly references: Readonly<Partial<Record<WorkloadName, string>>>;
  /** The table is to be shown next, whichever view was. */
  readonly tableWanted: boolean;
}

export interface ComparisonStore extends StoreApi<ComparisonState> {
  /** Adds what is not there yet, last, and shows that workload. */
  add(workload: WorkloadName, subjects: readonly Subject[]): void;
  /** Shows automatically suggested rows, replacing earlier suggestions. */
  offer(workload: WorkloadName, subjects: readonly Subject[]): void;
  /** The same, and shows that workload with the table. */
  present(workload: WorkloadName, subjects: readonly Subject[], reference: string): void;
  remove(keys: readonly string[]): void;
  show(workload: WorkloadName): void;
  setReference(key: string): void;
  hide(key: string, hidden: boolean): void;
  recolour(key: string, ink: number): void;
  /** Before the row at `place` of its workload. */
  move(key: string, place: number): void;
}

export function subjectKey(subject: Subject): string {
  return subject.kind === 'run'
    ? `run ${subject.run}`
    : `${subject.kind} ${subject.bench} ${subject.report} ${subject.label}`;
}

/** As many series colours as the theme has. */
const INKS = 8;

/** The colour that is used least, the first of them. */
function nextInk(chosen: readonly Chosen[]): number {
  const used = Array.from({ length: INKS }, (_, ink) => chosen.filter((one) => one.ink === ink).length);
  return used.indexOf(Math.min(...used));
}

const of = (chosen: readonly Chosen[], workload: WorkloadName): Chosen[] =>
  chosen.filter((one) => one.workload === workload);

/** Rows of the other workloads, and those of this one that somebody chose. */
const withoutOffered = (chosen: readonly Chosen[], workload: WorkloadName): readonly Chosen[] =>
  chosen.filter((one) => one.offered !== true || one.workload !== workload);

/** With those that are not there yet, last. */
function withSubjects(
  before: readonly Chosen[],
  workload: WorkloadName,
  subjects: readonly Subject[],
  more: Pick<Chosen, 'offered'>,
): readonly Chosen[] {
  const chosen = [...before];
  for (const subject of subjects) {
    const key = subjectKey(subject);
    if (chosen.some((one) => one.key === key)) continue;
    chosen.push({ key, workload, subject, ink: nextInk(of(chosen, workload)), hidden: false, ...more });
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
  const change = (key: string, part: Partial<Chosen>): void =>
    store.setState(({ chosen }) => ({ chosen: chosen.map((one) => (one.key === key ? { ...one, ...part } : one)) }));
  return {
    ...store,
    add: (workload, subjects) =>
      store.setState((state) => {
        const kept = withoutOffered(state.chosen, workload);
        return { chosen: withSubjects(kept, workload, subjects, {}), workload };
      }),
    offer: (workload, subjects) =>
      store.setState((state) => ({
        chosen: withSubjects(withoutOffered(state.chosen, workload), workload, subjects, { offered: true }),
        offered: [...new Set([...state.offered, workload])],
      })),
    present: (workload, subjects, reference) =>
      store.setState((state) => {
        const kept = withoutOffered(state.chosen, workload);
        return {
          chosen: withSubjects(kept, workload, subjects, { offered: true }),
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
        const own = of(chosen, moved.workload);
        const from = own.indexOf(moved);
        const rest = own.filter((one) => one !== moved);
        rest.splice(from < place ? place - 1 : place, 0, moved);
        return { chosen: [...chosen.filter(({ workload }) => workload !== moved.workload), ...rest] };
      }),
  };
}

const shown = new WeakMap<readonly Chosen[], Map<WorkloadName, readonly Chosen[]>>();

/** Rows of the workload that is shown; the same list for the same state. */
export function shownRows({ chosen, workload }: Pick<ComparisonState, 'chosen' | 'workload'>): readonly Chosen[] {
  const known = shown.get(chosen) ?? new Map<WorkloadName, readonly Chosen[]>();
  shown.set(chosen, known);
  const rows = known.get(workload) ?? of(chosen, workload);
  known.set(workload, rows);
  return rows;
}

/** Place of the reference among the rows that are shown: the first where none was named. */
export function referenceIndex(state: ComparisonState): number {
  const reference = state.references[state.workload];
  return Math.max(
    0,
    shownRows(state).findIndex(({ key }) => key === reference),
  );
}

export function benchOf({ live, stored }: ComparisonState, id: BenchId | null): BenchInfo | null {
  return [...live, ...stored].find((one) => one.id === id) ?? null;
}

/** The session that runs or waits; the host measures one at a time. */
export function activeBench({ live }: ComparisonState): BenchInfo | null {
  return live.find(({ state }) => state === 'running') ?? live.find(({ state }) => state === 'queued') ?? null;
}
