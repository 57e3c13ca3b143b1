/** State of the phase-space maps. Colours and axes are saved per user; the rest lasts as long as the panel. */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { axisNameSchema } from '../../../electron/contract/fields.ts';
import type { RunId } from '../../../electron/contract/run.ts';
import type { DragTool } from '../../drawing/map-gestures.ts';
import type { MapMark } from '../../drawing/map-view.ts';
import type { Limits } from '../../drawing/normalisation.ts';
import { initialMapConfig, mapConfigShape } from '../../maps/config.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import { defaultAxes, type HiddenCuts, type SlotKey } from './maps.ts';

const axesSchema = z
  .strictObject({ horizontal: axisNameSchema, vertical: axisNameSchema })
  .refine(({ horizontal, vertical }) => horizontal !== vertical, 'a map has two axes');

const schema = z.strictObject({
  ...mapConfigShape,
  /** One pair of limits for all four maps instead of each map's own. */
  matched: z.boolean(),
  maps: z.strictObject({ a: axesSchema, b: axesSchema, c: axesSchema, d: axesSchema }),
});
type PhaseSpaceState = Readonly<z.infer<typeof schema>>;
export type PhaseSpaceStore = StoreApi<PhaseSpaceState>;

export function createPhaseSpaceStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): PhaseSpaceStore {
  const initial: PhaseSpaceState = {
    ...initialMapConfig,
    // Logarithmic: the tails of a beam lie decades below its core, and are what scattering is about.
    scale: 'log',
    matched: false,
    maps: { ...defaultAxes },
  };
  return createPersisted<PhaseSpaceState>({
    storage,
    name: 'phase-space',
    version: 2,
    schema,
    initial,
    migrations: { 1: (data) => ({ ...initial, ...(typeof data === 'object' ? data : {}) }) },
    onReset,
  });
}

/** Reference subtracted from the maps. */
export type Reference =
  | Readonly<{ kind: 'none' }>
  /** A stored moment of the run that is shown. */
  | Readonly<{ kind: 'step'; run: RunId; keyframe: number; step: number }>
  /** Another run, at the depth that is shown. */
  | Readonly<{ kind: 'run'; run: RunId }>;

interface PhaseView {
  readonly cuts: Readonly<Partial<Record<SlotKey, HiddenCuts>>>;
  readonly limits: Readonly<Partial<Record<SlotKey, Limits>>>;
  readonly tool: DragTool;
  readonly marked: { readonly slot: SlotKey; readonly mark: MapMark } | null;
  readonly reference: Reference;
}

export type PhaseViewStore = StoreApi<PhaseView>;

export function createPhaseViewStore(): PhaseViewStore {
  return createStore<PhaseView>(() => ({
    cuts: {},
    limits: {},
    tool: 'pan',
    marked: null,
    reference: { kind: 'none' },
  }));
}
