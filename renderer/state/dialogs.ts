/** The single modal dialog. Opening it returns a promise of the answer. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Issue } from '../../electron/contract/errors.ts';
import type { FileRef } from '../../electron/contract/files.ts';
import type { RecoverableItem } from '../../electron/contract/recovery.ts';
import type { ScenarioDraft } from '../../electron/contract/scenario/workload.ts';
import type { AnswerLanguage, KernelTemplate } from '../../electron/contract/user-kernels.ts';

interface Choice {
  readonly id: string;
  readonly label: string;
  readonly tone?: 'primary' | 'danger';
}

/** A file to open: a file that the host can read, or one that the page has read. */
export type PickedFile = Readonly<{ kind: 'file'; file: FileRef }> | Readonly<{ kind: 'local'; file: File }>;

/** Request and answer types of each kind of dialog. */
export interface DialogKinds {
  readonly confirm: {
    readonly request: {
      readonly title: string;
      readonly text: string;
      readonly issues?: readonly Issue[];
      /** Choices, with the primary one last. */
      readonly choices: readonly Choice[];
    };
    readonly answer: string;
  };
  readonly pick: { readonly request: { readonly what: 'scenario' | 'run' }; readonly answer: PickedFile };
  readonly name: {
    readonly request: { readonly title: string; readonly suggested: string; readonly extension: string };
    readonly answer: string;
  };
  /** Creation of a user kernel. */
  readonly begin: {
    readonly request: {
      readonly beginnings: readonly KernelTemplate[];
      readonly taken: readonly string[];
      /** Device that the kernel would run on. */
      readonly device: 'cpu' | 'cuda';
      /** Preselected template; null for the first one. */
      readonly first: string | null;
    };
    readonly answer: { readonly beginning: string; readonly id: string; readonly answer: AnswerLanguage };
  };
  /** Command palette, answered with the id of a command. */
  readonly palette: { readonly request: object; readonly answer: string };
  /** Differences between two scenarios by field. */
  readonly diff: {
    readonly request: {
      readonly before: { readonly name: string; readonly document: ScenarioDraft };
      readonly after: { readonly name: string; readonly document: ScenarioDraft };
    };
    readonly answer: never;
  };
  readonly labels: {
    readonly request: {
      readonly name: string;
      readonly tags: readonly string[];
      readonly remark: string;
      /** Suggested tags: those in use elsewhere. */
      readonly known: readonly string[];
    };
    readonly answer: { readonly tags: readonly string[]; readonly remark: string };
  };
  readonly recover: { readonly request: { readonly items: readonly RecoverableItem[] }; readonly answer: never };
  readonly log: {
    readonly request: { readonly file: string | null; readonly text: string };
    readonly answer: never;
  };
  /** `remote`: the connection to show; null to enter a host. */
  readonly connect: { readonly request: { readonly remote: number | null }; readonly answer: never };
  readonly shortcuts: { readonly request: object; readonly answer: never };
  readonly about: { readonly request: object; readonly answer: never };
}

type DialogKind = keyof DialogKinds;

type OpenDialog = {
  readonly [K in DialogKind]: {
    readonly kind: K;
    readonly id: number;
    readonly request: DialogKinds[K]['request'];
    readonly answer: (answer: DialogKinds[K]['answer'] | null) => void;
  };
}[DialogKind];

interface DialogsState {
  readonly open: OpenDialog | null;
}

export interface DialogsStore extends StoreApi<DialogsState> {
  /** Returns null if dismissed or replaced by another dialog. */
  ask<K extends DialogKind>(kind: K, request: DialogKinds[K]['request']): Promise<DialogKinds[K]['answer'] | null>;
}

export function createDialogsStore(): DialogsStore {
  const store = createStore<DialogsState>(() => ({ open: null }));
  let next = 1;
  return {
    ...store,
    ask: (kind, request) =>
      new Promise((resolve) => {
        store.getState().open?.answer(null);
        const id = next++;
        const answer = (value: Parameters<typeof resolve>[0] | null): void => {
          if (store.getState().open?.id === id) store.setState({ open: null });
          resolve(value);
        };
        // TypeScript cannot correlate the members of this union, but their kind is the same in this call.
        store.setState({ open: { kind, id, request, answer } as unknown as OpenDialog });
      }),
  };
}
