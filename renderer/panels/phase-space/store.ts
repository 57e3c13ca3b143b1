/** How the maps of phase space are coloured, kept per user. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({
  colorMap: z.string().max(32),
  scale: z.enum(['linear', 'log', 'symlog']),
  /** One pair of limits for all four maps instead of each map's own. */
  matched: z.boolean(),
});
export type PhaseSpaceState = Readonly<z.infer<typeof schema>>;
export type PhaseSpaceStore = StoreApi<PhaseSpaceState>;

export function createPhaseSpaceStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): PhaseSpaceStore {
  // Logarithmic: the tails of a beam lie decades below its core, and are what scattering is about.
  const initial: PhaseSpaceState = { colorMap: 'viridis', scale: 'log', matched: false };
  return createPersisted<PhaseSpaceState>({ storage, name: 'phase-space', version: 1, schema, initial, onReset });
}
