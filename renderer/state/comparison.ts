/** Benchmarks that the host knows, and what is being compared. Numbers alone: doses are in data/. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { BenchId, BenchInfo, BenchProgress, Subject } from '../../electron/contract/benches.ts';

/** One row of the comparison. */
export interface Chosen {
  readonly key: string;
  readonly subject: Subject;
  /** Of the series colours. */
  readonly ink: number;
  readonly hidden: boolean;
}

export interface ComparisonState {
  /** Of this program's run, newest first. */
  readonly live: readonly BenchInfo[];
  /** Opened, in the library, and those that came with the program. */
  readonly stored: readonly BenchInfo[];
  readonly progress: Readonly<Record<BenchId, BenchProgress>>;
  /** In the order of the rows. */
  readonly chosen: readonly Chosen[];
  /** Key of the row that the others are compared with; null: the first. */
  readonly reference: string | null;
}

export interface ComparisonStore extends StoreApi<ComparisonState> {
  /** Adds what is not there yet, last. */
  add(subjects: readonly Subject[]): void;
  remove(keys: readonly string[]): void;
  clear(): void;
  setReference(key: string): void;
  hide(key: string, hidden: boolean): void;
  recolour(key: string, ink: number): void;
  /** Before the row at `place`. */
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

export function createComparisonStore(): ComparisonStore {
  const store = createStore<ComparisonState>(() => ({
    live: [],
    stored: [],
    progress: {},
    chosen: [],
    reference: null,
  }));
  const change = (key: string, part: Partial<Chosen>): void =>
    store.setState(({ chosen }) => ({ chosen: chosen.map((one) => (one.key === key ? { ...one, ...part } : one)) }));
  return {
    ...store,
    add: (subjects) =>
      store.setState((state) => {
        const chosen = [...state.chosen];
        for (const subject of subjects) {
          const key = subjectKey(subject);
          if (!chosen.some((one) => one.key === key))
            chosen.push({ key, subject, ink: nextInk(chosen), hidden: false });
        }
        return { chosen };
      }),
    remove: (keys) =>
      store.setState(({ chosen, reference }) => ({
        chosen: chosen.filter(({ key }) => !keys.includes(key)),
        reference: reference !== null && keys.includes(reference) ? null : reference,
      })),
    clear: () => store.setState({ chosen: [], reference: null }),
    setReference: (key) => store.setState({ reference: key }),
    hide: (key, hidden) => change(key, { hidden }),
    recolour: (key, ink) => change(key, { ink }),
    move: (key, place) =>
      store.setState(({ chosen }) => {
        const moved = chosen.find((one) => one.key === key);
        if (moved === undefined) return {};
        const from = chosen.indexOf(moved);
        const rest = chosen.filter((one) => one !== moved);
        rest.splice(from < place ? place - 1 : place, 0, moved);
        return { chosen: rest };
      }),
  };
}

/** Place of the reference among the rows: the first where none was named. */
export function referenceIndex({ chosen, reference }: ComparisonState): number {
  return Math.max(
    0,
    chosen.findIndex(({ key }) => key === reference),
  );
}

export function benchOf({ live, stored }: ComparisonState, id: BenchId | null): BenchInfo | null {
  return [...live, ...stored].find((one) => one.id === id) ?? null;
}

/** The session that runs or waits; the host measures one at a time. */
export function activeBench({ live }: ComparisonState): BenchInfo | null {
  return live.find(({ state }) => state === 'running') ?? live.find(({ state }) => state === 'queued') ?? null;
}
