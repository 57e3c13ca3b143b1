/** Settings of the lateral profile, saved per user; retained depths last as long as the panel. */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({
  scale: z.enum(['linear', 'log']),
  /** Dose across the beam, or the beam's width against depth. */
  show: z.enum(['profile', 'width']),
});
type LateralState = Readonly<z.infer<typeof schema>>;
export type LateralStore = StoreApi<LateralState>;

export function createLateralStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): LateralStore {
  const initial: LateralState = { scale: 'linear', show: 'profile' };
  return createPersisted<LateralState>({
    storage,
    name: 'lateral',
    version: 2,
    schema,
    initial,
    migrations: { 1: (data) => ({ ...initial, ...(typeof data === 'object' ? data : {}) }) },
    onReset,
  });
}

/** More curves than this are indistinguishable. */
export const MOST_DEPTHS = 5;

/** Depths (mm) whose profiles stay while the crosshair moves on. */
export type KeptDepths = StoreApi<{ readonly depths_mm: readonly number[] }>;

export function createKeptDepths(): KeptDepths {
  return createStore<{ readonly depths_mm: readonly number[] }>(() => ({ depths_mm: [] }));
}
