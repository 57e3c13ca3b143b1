/** Selection in the kernel editor, saved per user. Unsaved text is lost. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { defaultKind } from '../../../electron/contract/scenario/index.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';

const schema = z.strictObject({
  workload: z.string().max(64),
  /** Benchmark of a workload that has several; empty otherwise. */
  bench: z.string().max(64),
  /** Id of a variant, shipped or own; one that is gone gives way to the first. */
  variant: z.string().max(64),
  /** Path of one of a shipped variant's files; empty: its first that can be replaced. */
  file: z.string().max(200),
});
export type EditorState = Readonly<z.infer<typeof schema>>;
export type EditorStore = StoreApi<EditorState>;

const initial: EditorState = { workload: defaultKind, bench: '', variant: 'gather', file: '' };

export function createEditorStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): EditorStore {
  return createPersisted<EditorState>({
    storage,
    name: 'kernel-editor',
    version: 2,
    schema,
    initial,
    // There were variants of one workload only.
    migrations: { 1: (data) => ({ workload: defaultKind, bench: '', ...(data as object) }) },
    onReset,
  });
}
