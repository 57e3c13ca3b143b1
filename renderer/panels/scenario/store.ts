/** Which sections of the form are open, kept per user. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({ closed: z.array(z.string().max(32)).max(32) });
type ScenarioPanelState = Readonly<z.infer<typeof schema>>;
type ScenarioPanelStore = StoreApi<ScenarioPanelState>;

export function createScenarioPanelStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): ScenarioPanelStore {
  // The first look is at the beam and its surroundings; the rest has good defaults.
  const initial: ScenarioPanelState = { closed: ['solver'] };
  return createPersisted<ScenarioPanelState>({ storage, name: 'scenario-panel', version: 1, schema, initial, onReset });
}
