/** How the lateral profile is shown, kept per user. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({ scale: z.enum(['linear', 'log']) });
export type LateralState = Readonly<z.infer<typeof schema>>;
export type LateralStore = StoreApi<LateralState>;

export function createLateralStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): LateralStore {
  return createPersisted<LateralState>({
    storage,
    name: 'lateral',
    version: 1,
    schema,
    initial: { scale: 'linear' },
    onReset,
  });
}
