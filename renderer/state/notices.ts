/** Messages to the user that do not interrupt work. */
import { createStore, type StoreApi } from 'zustand/vanilla';
import { BraggError, type Issue, messageOf } from '../../electron/contract/errors.ts';

export interface Notice {
  readonly id: number;
  readonly tone: 'info' | 'success' | 'warning' | 'error';
  readonly title: string;
  readonly text: string;
  /** Issues of a file, each with its location. */
  readonly issues: readonly Issue[];
  /** Suggested action; null if there is none. */
  readonly action: { readonly label: string; readonly run: () => void } | null;
}

interface NoticesState {
  readonly notices: readonly Notice[];
}

export interface NoticesStore extends StoreApi<NoticesState> {
  show(notice: Partial<Notice> & Pick<Notice, 'tone' | 'title'>): void;
  /** Reports a failed action: what was attempted, and the error. */
  fail(title: string, error: unknown): void;
  dismiss(id: number): void;
}

/** Duration of display in ms; null for warnings and errors, which stay until dismissed. */
const SHOWN_MS = { success: 4_000, info: 8_000, warning: null, error: null } as const;
/** Maximum number of notices, because more would cover the page. */
const MAX_NOTICES = 4;

export function isTemporary({ tone }: Notice): boolean {
  return SHOWN_MS[tone] !== null;
}

export function errorText(error: unknown): string {
  return messageOf(error);
}

export function createNoticesStore(): NoticesStore {
  const store = createStore<NoticesState>(() => ({ notices: [] }));
  let next = 1;
  const dismiss = (id: number): void => {
    store.setState((state) => ({ notices: state.notices.filter((notice) => notice.id !== id) }));
  };
  const show: NoticesStore['show'] = (notice) => {
    const id = next++;
    const full: Notice = { text: '', issues: [], action: null, ...notice, id };
    store.setState((state) => ({
      notices: [...state.notices.filter((n) => n.title !== full.title || n.text !== full.text), full].slice(
        -MAX_NOTICES,
      ),
    }));
    const stays = SHOWN_MS[full.tone];
    if (stays !== null) setTimeout(() => dismiss(id), stays);
  };
  return {
    ...store,
    show,
    dismiss,
    fail: (title, error) => {
      show({
        tone: 'error',
        title,
        text: errorText(error),
        issues: error instanceof BraggError ? error.issues : [],
      });
    },
  };
}
