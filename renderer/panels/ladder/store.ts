/** Which session the ladder shows, kept per user. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({
  /** Id of a session; one that is gone gives way to the first there is. */
  bench: z.string().max(255),
});
export type LadderState = Readonly<z.infer<typeof schema>>;
export type LadderStore = StoreApi<LadderState>;

export function createLadderStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): LadderStore {
  const initial: LadderState = { bench: 'recorded~h200-uniform-grid-70MeV.json' };
  return createPersisted<LadderState>({ storage, name: 'ladder', version: 1, schema, initial, onReset });
}
