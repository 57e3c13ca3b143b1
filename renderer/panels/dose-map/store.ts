/** Colour settings of the dose map, saved per user. Marks and comparison are reset when the panel closes. */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { GammaQuantity, ImportedDoseInfo, ImportedPlane } from '../../../electron/contract/dose.ts';
import type { RunId } from '../../../electron/contract/run.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import { type RunsState, runOf } from '../../state/runs.ts';
import { initialMapConfig, type MapMarking, mapConfigShape, noMarking } from '../../workbench/maps/drive-map.ts';

const schema = z.strictObject({
  ...mapConfigShape,
  /** Whether to show outlines of regions and reference lines over the field. */
  marks: z.boolean(),
  /**
   * Quantity of the map: energy per area, energy per mass using the density of each cell, dose in Gy, LET, or density.
   */
  unit: z.enum(['area', 'mass', 'gray', 'letd', 'lett', 'density']),
  /** Offset of the plane from the axis in mm, for dose in Gy. */
  y_mm: z.number(),
  /** Whether to draw the density in grey below the colours: only for a CT, always or never. */
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
export type ComparedDose =
  | Readonly<{ kind: 'none' }>
  | Readonly<{ kind: 'difference'; run: RunId }>
  /** `dose`: criterion as a share of the reference's maximum. Distance criterion in mm. */
  | Readonly<{
      kind: 'gamma';
      of: GammaReference;
      dose: number;
      distance_mm: number;
      local: boolean;
      by: GammaQuantity;
    }>;

/** Reference of a gamma index: a run, or a plane of an imported dose. */
export type GammaReference = Readonly<{ kind: 'run'; run: RunId }> | Readonly<{ kind: 'file'; plane: ImportedPlane }>;

/** Run that the dose is compared with; null for none and for a file. */
export function comparedRun(against: ComparedDose): RunId | null {
  if (against.kind === 'difference') return against.run;
  return against.kind === 'gamma' && against.of.kind === 'run' ? against.of.run : null;
}

/** Result of a gamma index without its map. */
interface GammaOutcome {
  readonly by: GammaQuantity;
  readonly passed: number;
  readonly points: number;
  readonly worst: number;
  /** Counts by gamma in steps of 0.1; the last bin contains all values of at least 3. */
  readonly histogram: readonly number[];
}

interface DoseView extends MapMarking {
  readonly against: ComparedDose;
  /** Null if not requested, or still being computed. */
  readonly gamma: GammaOutcome | null;
  /** Imported doses, newest last. */
  readonly imported: readonly ImportedDoseInfo[];
}

export type DoseViewStore = StoreApi<DoseView>;

export function createDoseViewStore(): DoseViewStore {
  return createStore<DoseView>(() => ({ ...noMarking, against: { kind: 'none' }, gamma: null, imported: [] }));
}

/** Name of the comparison's reference; null if there is none or it was removed. */
export function comparedName(
  runs: RunsState,
  { against, imported }: Pick<DoseView, 'against' | 'imported'>,
): string | null {
  if (against.kind === 'gamma' && against.of.kind === 'file') {
    const { dose } = against.of.plane;
    return imported.find(({ id }) => id === dose)?.name ?? null;
  }
  const run = runOf(runs, comparedRun(against));
  return run && `${run.name} · ${run.variant}`;
}
