/** Ids of this page: one of its own each time it is loaded, and those that it had before it was loaded anew. */

const KEY = 'braggbench.pages';
const MOST = 8;

export interface PageIds {
  readonly page: string;
  /** Newest first. */
  readonly previous: readonly string[];
}

function kept(storage: Pick<Storage, 'getItem'> | null): readonly string[] {
  try {
    const read: unknown = JSON.parse(storage?.getItem(KEY) ?? '[]');
    return Array.isArray(read) ? read.filter((id) => typeof id === 'string' && /^[\w-]{8,64}$/.test(id)) : [];
  } catch {
    return [];
  }
}

/** `reloaded`: a duplicated tab has its original's storage, but was not loaded anew. */
export function pageIds(storage: Pick<Storage, 'getItem' | 'setItem'> | null, reloaded: boolean): PageIds {
  const previous = reloaded ? kept(storage).slice(0, MOST) : [];
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  const page = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  try {
    storage?.setItem(KEY, JSON.stringify([page, ...previous]));
  } catch {
    // Storage that is full or forbidden: a page that is loaded anew has no past.
  }
  return { page, previous };
}
