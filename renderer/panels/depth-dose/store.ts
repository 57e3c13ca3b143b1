/** How the depth dose is drawn, kept per user. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({
  /** In its own unit, or in per cent of its peak. */
  unit: z.enum(['absolute', 'percent']),
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
