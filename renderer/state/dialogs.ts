/** The one modal dialog. Opening it returns a promise of the answer. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Issue } from '../../electron/contract/errors.ts';
import type { FileRef } from '../../electron/contract/files.ts';
import type { Recoverable } from '../../electron/contract/recovery.ts';
import type { ScenarioDraft } from '../../electron/contract/scenario/draft.ts';
import type { AnswerLanguage, Beginning } from '../../electron/contract/user-kernels.ts';

interface Choice {
  readonly id: string;
  readonly label: string;
  readonly tone?: 'primary' | 'danger';
}

/** Something to open: a file that the host can reach, or one that the page read itself. */
export type Picked = Readonly<{ kind: 'file'; file: FileRef }> | Readonly<{ kind: 'local'; file: File }>;

/** Each kind of dialog, and what answers it. */
export interface DialogKinds {
  readonly confirm: {
    readonly request: {
      readonly title: string;
      readonly text: string;
      readonly issues?: readonly Issue[];
      /** The main choice last. */
      readonly choices: readonly Choice[];
    };
    readonly answer: string;
  };
  readonly pick: { readonly request: { readonly what: 'scenario' | 'run' }; readonly answer: Picked };
  readonly name: {
    readonly request: { readonly title: string; readonly suggested: string; readonly extension: string };
    readonly answer: string;
  };
  /** A new user kernel. */
  readonly begin: {
    readonly request: {
      readonly beginnings: readonly Beginning[];
      readonly taken: readonly string[];
      /** Device that it would run on here. */
      readonly device: 'cpu' | 'cuda';
      /** If null, the first of all. */
      readonly first: string | null;
    };
    readonly answer: { readonly beginning: string; readonly id: string; readonly answer: AnswerLanguage };
  };
  /** Answered with the id of a command. */
  readonly palette: { readonly request: object; readonly answer: string };
  /** Two scenarios, field by field. */
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
      /** Tags in use elsewhere, offered. */
      readonly known: readonly string[];
    };
    readonly answer: { readonly tags: readonly string[]; readonly remark: string };
  };
  readonly recover: { readonly request: { readonly items: readonly Recoverable[] }; readonly answer: never };
  readonly log: {
    readonly request: { readonly file: string | null; readonly text: string };
    readonly answer: never;
  };
  /** `remote`: the connection to show; null to name a host. */
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
  /** Null if dismissed, also by another dialog that replaces it. */
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
        // The union is over kinds; within this call the kind is one.
        store.setState({ open: { kind, id, request, answer } as unknown as OpenDialog });
      }),
  };
}
