/** What the kernel editor shows, kept per user. Text that was not saved is not kept. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({
  /** Id of a variant, shipped or own; one that is gone gives way to the first. */
  variant: z.string().max(64),
  /** Path of one of a shipped variant's files; empty: its first that can be replaced. */
  file: z.string().max(200),
});
export type EditorState = Readonly<z.infer<typeof schema>>;
export type EditorStore = StoreApi<EditorState>;

export function createEditorStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): EditorStore {
  const initial: EditorState = { variant: 'gather', file: '' };
  return createPersisted<EditorState>({ storage, name: 'kernel-editor', version: 1, schema, initial, onReset });
}
