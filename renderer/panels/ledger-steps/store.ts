/** Settings of the ledger curves, saved per user. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({ balance: z.enum(['number', 'energy']), scale: z.enum(['linear', 'log']) });
type LedgerStepsState = Readonly<z.infer<typeof schema>>;
export type LedgerStepsStore = StoreApi<LedgerStepsState>;

export function createLedgerStepsStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): LedgerStepsStore {
  // Logarithmic: what escapes is often a millionth of what stops.
  const initial: LedgerStepsState = { balance: 'number', scale: 'log' };
  return createPersisted<LedgerStepsState>({ storage, name: 'ledger-steps', version: 1, schema, initial, onReset });
}
