/**
 * Settings of the comparison, for benchmarking and display, saved per user. Requests the rows from the host whenever
 * the compared subjects change. Variants are grouped by workload and benchmark. Initially those that fit into the time
 * are selected; afterwards the user's selection applies.
 */

import { useEffect, useMemo, useState } from 'react';
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { modeSchema } from '../../../electron/contract/bench/bench-session.ts';
import {
  type ExpectedTime,
  type FactorialChoice,
  suggestedVariants,
} from '../../../electron/contract/bench/benches.ts';
import type { ComparedGroup, ComparedRow } from '../../../electron/contract/bench/comparison.ts';
import { benchOptionShape, defaultBenchOptions } from '../../../electron/contract/bench/options.ts';
import type { SessionTerms } from '../../../electron/contract/bench/session.ts';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import { precisionSchema } from '../../../electron/contract/run.ts';
import { kindOfDocument } from '../../../electron/contract/scenario/index.ts';
import type { WorkloadName } from '../../../electron/contract/workload.ts';
import { nameOf as rowName } from '../../../electron/domain/session-table.ts';
import { type ChosenRow, referenceIndex, shownRows, subjectKey } from '../../state/comparison.ts';
import { errorText } from '../../state/notices.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

const views = ['choose', 'table', 'samples', 'maps', 'curves', 'source', 'kernels', 'code'] as const;

/**
 * Benchmark options that the form stores unchanged. The clock is stored as typed text instead, and the seed of the
 * shuffles is fixed.
 */
const { lock_MHz: _lock, seed: _seed, ...formShape } = benchOptionShape;
const { lock_MHz: _usualLock, seed: _usualSeed, ...formOptions } = defaultBenchOptions;

const schema = z.strictObject({
  view: z.enum(views),
  /** Ids of the variants to benchmark, the reference first. */
  variants: z.array(z.string().max(64)).max(128),
  /** Benchmarks for which the user selected variants. For all others, the selection is suggested. */
  touched: z.array(z.string().max(128)).max(256).default([]),
  /** External programs to benchmark together with the variants. */
  external: z.array(z.string().max(64)).max(32).default([]),
  /** Paths of the user's programs by program id. */
  files: z.record(z.string().max(64), z.string().max(4000)).default({}),
  /** Empty for the scenario's precision. */
  precisions: z.array(precisionSchema),
  /** GPU indices in the driver's order; empty for the first usable GPU. */
  gpus: z.array(z.number().int().min(0)).max(64),
  modes: z.array(modeSchema),
  ...formShape,
  /** GPU clock in MHz as typed; empty to leave the clock unchanged. */
  lock: z.string().max(20).default(''),
  /** Empty for a single size; else in the format of `parseSweep`. */
  sweep: z.string().max(500).default(''),
  /** Hidden columns of the table. */
  hidden: z.array(z.string().max(64)).max(256),
  /** Null if the rows are in their original order. */
  sort: z.strictObject({ column: z.string().max(64), descending: z.boolean() }).nullable(),
  /** True to divide each row's samples by its own median. */
  own: z.boolean(),
  difference: z.boolean(),
  /** True to use one colour range for all maps. */
  matched: z.boolean(),
  /** Null if the workload's usual scale applies. */
  scale: z.enum(['linear', 'log', 'symlog']).nullable(),
  colorMap: z.string().max(32),
  /** True to show only the source around differences. */
  onlyDifferences: z.boolean(),
});
export type CompareState = Readonly<z.infer<typeof schema>>;
export type CompareStore = StoreApi<CompareState>;

export interface ChooseProps {
  readonly store: CompareStore;
}

export function createCompareStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): CompareStore {
  const initial: CompareState = {
    view: 'choose',
    variants: [],
    touched: [],
    external: [],
    files: {},
    precisions: [],
    gpus: [],
    modes: [],
    ...formOptions,
    lock: '',
    sweep: '',
    hidden: ['first_setup', 'rate', 'steps', 'first', 'spread', 'traffic', 'arithmetic'],
    sort: null,
    own: false,
    difference: false,
    matched: true,
    scale: null,
    colorMap: 'viridis',
    onlyDifferences: false,
  };
  return createPersisted<CompareState>({ storage, name: 'compare', version: 2, schema, initial, onReset });
}

/** A row with its display settings. */
export interface ShownRow extends ChosenRow {
  readonly row: ComparedRow;
  /** True for the chosen reference, which curves and maps are compared with. */
  readonly reference: boolean;
  /** True for the reference of the row's group, which times are compared with. */
  readonly isGroupReference: boolean;
}

export interface Rows {
  /** Rows in their original order, including hidden ones. */
  readonly rows: readonly ShownRow[];
  /** Terms of the rows' workload; null if there are no rows. */
  readonly words: SessionTerms | null;
  readonly groups: readonly ComparedGroup[];
  readonly failure: string | null;
}

interface RowsResponse extends Omit<Rows, 'rows'> {
  readonly rows: readonly ComparedRow[];
}

const noAnswer = { rows: [], words: null, groups: [], failure: null } as const satisfies RowsResponse & Rows;

export function useRows(): Rows {
  const { client, stores } = useWorkbench();
  const chosen = useSelected(stores.comparison, shownRows);
  const at = useSelected(stores.comparison, referenceIndex);
  const [answer, setAnswer] = useState<RowsResponse>(noAnswer);
  // The request changes with subjects and reference, but not with colours.
  const requested = JSON.stringify([chosen.map(({ subject }) => subject), at]);
  useEffect(() => {
    const [subjects, reference] = JSON.parse(requested) as [ChosenRow['subject'][], number];
    if (subjects.length === 0) return setAnswer(noAnswer);
    let current = true;
    client.call('compare.rows', { subjects, reference }).then(
      ({ rows, words, groups, gone }) => {
        if (!current) return;
        setAnswer({ rows, words, groups, failure: null });
        if (gone.length > 0) stores.comparison.remove(gone.map(({ subject }) => subjectKey(subject)));
      },
      (error: unknown) => current && setAnswer({ ...noAnswer, failure: errorText(error) }),
    );
    return () => {
      current = false;
    };
  }, [client, stores, requested]);
  if (chosen.length === 0) return noAnswer;
  const indexOf = new Map(answer.rows.map((row, i) => [subjectKey(row.subject), i]));
  const rows = chosen.flatMap((one): ShownRow[] => {
    const index = indexOf.get(one.key);
    const row = index === undefined ? undefined : answer.rows[index];
    if (row === undefined) return [];
    const isGroupReference = answer.groups[row.group]?.reference === index;
    return [{ ...one, row, isGroupReference, reference: isGroupReference && row.group === 0 }];
  });
  return { rows, words: answer.words, groups: answer.groups, failure: answer.failure };
}

/** Name of a row, as in every table of a session. */
export const shownRowName = ({ row }: ShownRow, all: readonly ShownRow[]): string =>
  rowName(
    row,
    all.map((one) => one.row),
  );

export interface ScenarioBench {
  readonly workload: WorkloadName;
  /** Benchmark of a workload that has several; otherwise empty. */
  readonly bench: string;
}

/** Variants and benchmark of the scenario being edited. */
export function useScenarioBench(): ScenarioBench {
  const { stores } = useWorkbench();
  const workload = useSelected(stores.scenario, (state) => kindOfDocument(state.draft));
  const bench = useSelected(stores.scenario, ({ lastResolved: resolved }) =>
    resolved !== null && 'bench' in resolved ? resolved.bench : '',
  );
  return { workload, bench };
}

export function useVariants({ workload, bench }: ScenarioBench): readonly Variant[] {
  const { stores } = useWorkbench();
  const all = useSelected(stores.connection, (state) => state.capabilities.variants);
  return useMemo(() => all.filter((one) => one.workload === workload && one.bench === bench), [all, workload, bench]);
}

/** Variants and benchmark of the compared rows; without rows, those of the scenario being edited. */
export function useRowsBench(rows: readonly ShownRow[]): ScenarioBench {
  const scenario = useScenarioBench();
  const { row } = rows.find(({ reference }) => reference) ?? rows[0] ?? {};
  return row === undefined ? scenario : { workload: row.workload, bench: row.bench };
}

export const benchKey = ({ workload, bench }: ScenarioBench): string => `${workload} ${bench}`;

type SavedChoice = Pick<CompareState, 'variants' | 'touched' | 'time_s'>;

/** Selected variants of a benchmark, in order of selection. */
export function selectedVariants(
  config: SavedChoice,
  place: ScenarioBench,
  known: readonly Pick<Variant, 'id' | 'available'>[],
  times: ReadonlyMap<string, ExpectedTime>,
): readonly string[] {
  if (!config.touched.includes(benchKey(place))) return suggestedVariants(known, times, config.time_s);
  return config.variants.filter((id) => known.some((one) => one.id === id));
}

/** Replaces the suggestion for this benchmark by the user's choice; choices for other benchmarks stay. */
export function withSelection(
  config: SavedChoice,
  place: ScenarioBench,
  known: readonly Pick<Variant, 'id'>[],
  ticked: readonly string[],
): Pick<CompareState, 'variants' | 'touched'> {
  const key = benchKey(place);
  const others = config.variants.filter((id) => !known.some((one) => one.id === id));
  return {
    variants: [...others, ...ticked],
    touched: [...config.touched.filter((one) => one !== key), key],
  };
}

/** Restores the suggested selection. */
export function withoutSelection(config: SavedChoice, place: ScenarioBench): Pick<CompareState, 'touched'> {
  return { touched: config.touched.filter((one) => one !== benchKey(place)) };
}

/** Selects the variants of a factorial set, in each precision that it requires. */
export function withFactorial(
  config: SavedChoice,
  place: ScenarioBench,
  known: readonly Pick<Variant, 'id'>[],
  { labels }: FactorialChoice,
): Pick<CompareState, 'variants' | 'touched' | 'precisions'> {
  const requested = labels.map((label) => label.split('@'));
  const ids = [...new Set(requested.map(([id = '']) => id))];
  const precisions = [...new Set(requested.flatMap(([, precision]) => precision ?? []))];
  return {
    ...withSelection(config, place, known, ids),
    precisions: precisionSchema.options.filter((one) => precisions.includes(one)),
  };
}
