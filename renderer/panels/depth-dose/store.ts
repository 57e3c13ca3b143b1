/** Settings of the depth-dose plot, saved per user. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({
  /** Energy by depth, energy by mass, or per cent of the peak. */
  unit: z.enum(['absolute', 'mass', 'gray', 'percent']),
  /** Quantity shown in addition to the dose, or in its place, for runs that scored LET. */
  beside: z.enum(['none', 'let', 'rbe', 'spectra']),
});
export type DepthDoseState = Readonly<z.infer<typeof schema>>;
export type DepthDoseStore = StoreApi<DepthDoseState>;

export function createDepthDoseStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): DepthDoseStore {
  const initial: DepthDoseState = { unit: 'absolute', beside: 'none' };
  const withDefaults = (data: unknown) => ({ ...initial, ...(typeof data === 'object' ? data : {}) });
  return createPersisted<DepthDoseState>({
    storage,
    name: 'depth-dose',
    version: 2,
    schema,
    initial,
    migrations: { 1: withDefaults },
    onReset,
  });
}
