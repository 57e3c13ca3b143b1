/** How the dose map is coloured, kept per user. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({
  colorMap: z.string().max(32),
  scale: z.enum(['linear', 'log', 'symlog']),
  /** Outlines of regions and reference lines over the field. */
  marks: z.boolean(),
});
export type DoseMapState = Readonly<z.infer<typeof schema>>;
export type DoseMapStore = StoreApi<DoseMapState>;

export function createDoseMapStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): DoseMapStore {
  const initial: DoseMapState = { colorMap: 'viridis', scale: 'linear', marks: true };
  return createPersisted<DoseMapState>({ storage, name: 'dose-map', version: 1, schema, initial, onReset });
}
