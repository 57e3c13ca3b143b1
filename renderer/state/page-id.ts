/** Ids of this page: a new one for each load, and those from before its reloads. */

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

/** `reloaded`: a duplicated tab has its original's storage, but is not a reload. */
export function pageIds(storage: Pick<Storage, 'getItem' | 'setItem'> | null, reloaded: boolean): PageIds {
  const previous = reloaded ? kept(storage).slice(0, MOST) : [];
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  const page = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  try {
    storage?.setItem(KEY, JSON.stringify([page, ...previous]));
  } catch {
    // Storage is full or forbidden: a reloaded page then has no previous ids.
  }
  return { page, previous };
}
