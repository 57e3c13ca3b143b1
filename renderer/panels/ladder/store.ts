/** Which session the ladder shows, kept per user. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { workloadSchema } from '../../../electron/contract/workload.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({
  /** Id of a session of each workload; one that is gone gives way to the first there is. */
  benches: z.partialRecord(workloadSchema, z.string().max(255)),
});
type LadderState = Readonly<z.infer<typeof schema>>;
type LadderStore = StoreApi<LadderState>;

/** Version 1 knew transport alone. */
const migrations = {
  1: (data: unknown) => ({ benches: { transport: z.object({ bench: z.string() }).parse(data).bench } }),
};

export function createLadderStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): LadderStore {
  const initial: LadderState = { benches: { transport: 'recorded~h200-uniform-grid-70MeV.json' } };
  return createPersisted<LadderState>({ storage, name: 'ladder', version: 2, schema, initial, onReset, migrations });
}
