/** Settings of the comparison, for benchmarking and display, saved per user. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { modeSchema } from '../../../electron/contract/bench/bench-session.ts';
import { precisionSchema } from '../../../electron/contract/run.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const views = ['choose', 'table', 'samples', 'maps', 'curves', 'source', 'kernels'] as const;

const schema = z.strictObject({
  view: z.enum(views),
  /** Ids of the variants to benchmark, the reference first. */
  variants: z.array(z.string().max(64)).max(128),
  /** Benchmarks whose ticks are the user's; the others are suggested. */
  touched: z.array(z.string().max(128)).max(256).default([]),
  /** External programs to benchmark together with the variants. */
  external: z.array(z.string().max(64)).max(32).default([]),
  /** Paths of the user's own programs, by their id. */
  files: z.record(z.string().max(64), z.string().max(4000)).default({}),
  /** Empty: the scenario's. */
  precisions: z.array(precisionSchema),
  /** GPUs as the driver counts them; empty: the first that can be used. */
  gpus: z.array(z.number().int().min(0)).max(64),
  modes: z.array(modeSchema),
  /** Null if unlimited. */
  rounds: z.number().int().min(1).max(100_000).nullable(),
  time_s: z.number().min(1).max(86_400),
  /** As a ratio less 1: half width of every interval that ends the measurement; null: when every verdict is settled. */
  precision: z.number().min(1e-4).max(0.5).nullable().default(null),
  /** As a ratio less 1: what counts as the same. */
  margin: z.number().min(1e-4).max(0.5).default(0.01),
  /** Runs of each variant in processes of their own; null: as many as the workload usually has. */
  processes: z.number().int().min(0).max(100).nullable().default(null),
  /** Most separately prepared states; null: no limit. */
  instances: z.number().int().min(3).max(100_000).nullable().default(null),
  /** The GPU's clock in MHz, as it is typed: empty leaves it alone. */
  lock: z.string().max(20).default(''),
  /** Rounds wait until the GPU is as cool, °C; null: they do not. */
  cool_C: z.number().min(20).max(120).nullable().default(null),
  energy: z.boolean().default(false),
  /** Empty: one size. Else as `sweepOf` reads it. */
  sweep: z.string().max(500).default(''),
  /** Columns of the table that are not shown. */
  hidden: z.array(z.string().max(64)).max(256),
  /** Null if the rows keep their own order. */
  sort: z.strictObject({ column: z.string().max(64), descending: z.boolean() }).nullable(),
  /** Each row's samples over its own median. */
  own: z.boolean(),
  difference: z.boolean(),
  /** One range of colours for all maps. */
  matched: z.boolean(),
  /** Null if the workload's usual scale applies. */
  scale: z.enum(['linear', 'log', 'symlog']).nullable(),
  colorMap: z.string().max(32),
  /** Lines of source around a difference, else all. */
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
    rounds: null,
    time_s: 60,
    precision: null,
    margin: 0.01,
    processes: null,
    instances: null,
    lock: '',
    cool_C: null,
    energy: false,
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
