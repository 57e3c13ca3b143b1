/** How the depth dose is drawn, kept per user. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({
  /** Energy by depth, energy by mass, or per cent of the peak. */
  unit: z.enum(['absolute', 'mass', 'percent']),
});
export type DepthDoseState = Readonly<z.infer<typeof schema>>;
export type DepthDoseStore = StoreApi<DepthDoseState>;

export function createDepthDoseStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): DepthDoseStore {
  const initial: DepthDoseState = { unit: 'absolute' };
  return createPersisted<DepthDoseState>({ storage, name: 'depth-dose', version: 1, schema, initial, onReset });
}
