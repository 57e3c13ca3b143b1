/** Colour settings of the dose map, saved per user; marks and comparison last as long as the panel. */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { GammaDose, ImportedDoseInfo, ImportedPlane } from '../../../electron/contract/dose.ts';
import type { RunId } from '../../../electron/contract/run.ts';
import { initialMapConfig, type MapMarking, mapConfigShape, nothingMarked } from '../../maps/config.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import { type RunsState, runOf } from '../../state/runs.ts';

const schema = z.strictObject({
  ...mapConfigShape,
  /** Outlines of regions and reference lines over the field. */
  marks: z.boolean(),
  /** Energy by area of the map, or by mass with the density of each cell; or LET, or the density of the matter, in its place. */
  unit: z.enum(['area', 'mass', 'gray', 'letd', 'lett', 'density']),
  /** mm across the plane from the axis, for dose in Gy. */
  y_mm: z.number(),
  /** Whether the density of the matter is drawn in grey under the colours: for a CT only, always or never. */
  matter: z.enum(['ct', 'always', 'off']),
  /** Density range of the greys, from black to white. */
  greys: z.enum(['whole', 'soft', 'lung']),
});
export type DoseMapState = Readonly<z.infer<typeof schema>>;
export type DoseMapStore = StoreApi<DoseMapState>;

export function createDoseMapStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): DoseMapStore {
  const initial: DoseMapState = {
    ...initialMapConfig,
    scale: 'linear',
    marks: true,
    unit: 'area',
    y_mm: 0,
    matter: 'ct',
    greys: 'whole',
  };
  const withDefaults = (data: unknown) => ({ ...initial, ...(typeof data === 'object' ? data : {}) });
  return createPersisted<DoseMapState>({
    storage,
    name: 'dose-map',
    version: 5,
    schema,
    initial,
    migrations: { 1: withDefaults, 2: withDefaults, 3: withDefaults, 4: withDefaults },
    onReset,
  });
}

/** Reference of the dose comparison. */
export type Against =
  | Readonly<{ kind: 'none' }>
  | Readonly<{ kind: 'difference'; run: RunId }>
  /** `dose` as a share of the reference's largest, distance in mm. */
  | Readonly<{ kind: 'gamma'; of: GammaOf; dose: number; distance_mm: number; local: boolean; by: GammaDose }>;

/** A run, or a plane of an imported dose. */
export type GammaOf = Readonly<{ kind: 'run'; run: RunId }> | Readonly<{ kind: 'file'; plane: ImportedPlane }>;

/** The run that the dose is held against; null for none and for a file. */
export function runAgainst(against: Against): RunId | null {
  if (against.kind === 'difference') return against.run;
  return against.kind === 'gamma' && against.of.kind === 'run' ? against.of.run : null;
}

/** A gamma index that has been computed. */
interface GammaOutcome {
  readonly by: GammaDose;
  readonly passed: number;
  readonly points: number;
  readonly worst: number;
  /** Counts by gamma in steps of 0.1; the last bin contains all values of at least 3. */
  readonly histogram: readonly number[];
}

interface DoseView extends MapMarking {
  readonly against: Against;
  /** Null if not requested, or still being computed. */
  readonly gamma: GammaOutcome | null;
  /** Doses of files that were opened, the newest last. */
  readonly imported: readonly ImportedDoseInfo[];
}

export type DoseViewStore = StoreApi<DoseView>;

export function createDoseViewStore(): DoseViewStore {
  return createStore<DoseView>(() => ({ ...nothingMarked, against: { kind: 'none' }, gamma: null, imported: [] }));
}

/** Name of the comparison's reference; null if there is none or it was removed. */
export function againstName(
  runs: RunsState,
  { against, imported }: Pick<DoseView, 'against' | 'imported'>,
): string | null {
  if (against.kind === 'gamma' && against.of.kind === 'file') {
    const { dose } = against.of.plane;
    return imported.find(({ id }) => id === dose)?.name ?? null;
  }
  const run = runOf(runs, runAgainst(against));
  return run && `${run.name} · ${run.variant}`;
}
