/** How the dose map is coloured, kept per user; what is marked and compared, as long as the panel. */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { GammaDose } from '../../../electron/contract/dose.ts';
import type { RunId } from '../../../electron/contract/run.ts';
import type { DragTool } from '../../drawing/map-gestures.ts';
import type { MapMark } from '../../drawing/map-view.ts';
import type { Limits } from '../../drawing/normalisation.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({
  colorMap: z.string().max(32),
  /** For differences. */
  divergingMap: z.string().max(32),
  scale: z.enum(['linear', 'log', 'symlog']),
  contours: z.boolean(),
  /** Outlines of regions and reference lines over the field. */
  marks: z.boolean(),
  /** Energy by area of the map, or by mass with the density of each cell. */
  unit: z.enum(['area', 'mass']),
});
export type DoseMapState = Readonly<z.infer<typeof schema>>;
export type DoseMapStore = StoreApi<DoseMapState>;

export function createDoseMapStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): DoseMapStore {
  const initial: DoseMapState = {
    colorMap: 'viridis',
    divergingMap: 'coolwarm',
    scale: 'linear',
    contours: false,
    marks: true,
    unit: 'area',
  };
  const withDefaults = (data: unknown) => ({ ...initial, ...(typeof data === 'object' ? data : {}) });
  return createPersisted<DoseMapState>({
    storage,
    name: 'dose-map',
    version: 3,
    schema,
    initial,
    migrations: { 1: withDefaults, 2: withDefaults },
    onReset,
  });
}

/** What the dose is held against. */
export type Against =
  | Readonly<{ kind: 'none' }>
  | Readonly<{ kind: 'difference'; run: RunId }>
  /** `dose` as a share of the reference's largest, distance in mm. */
  | Readonly<{ kind: 'gamma'; run: RunId; dose: number; distance_mm: number; by: GammaDose }>;

/** A gamma index that has been computed. */
export interface GammaOutcome {
  readonly by: GammaDose;
  readonly passed: number;
  readonly points: number;
  readonly worst: number;
}

export interface DoseView {
  readonly limits: Limits | null;
  readonly tool: DragTool;
  readonly mark: MapMark | null;
  readonly against: Against;
  /** Null: none asked for, or under way. */
  readonly gamma: GammaOutcome | null;
}

export type DoseViewStore = StoreApi<DoseView>;

export function createDoseViewStore(): DoseViewStore {
  return createStore<DoseView>(() => ({
    limits: null,
    tool: 'pan',
    mark: null,
    against: { kind: 'none' },
    gamma: null,
  }));
}
