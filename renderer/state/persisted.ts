/**
 * Persistent settings: versioned, validated when read, and reset with a notice if invalid or from a newer program. A
 * stale setting never prevents the page from starting. Used instead of zustand's `persist`, which checks neither the
 * schema nor newer versions, and throws if storage is full.
 */

import type { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { messageOf } from '../../electron/contract/errors.ts';

/** `localStorage`, or a map in tests. */
export interface SettingsStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

interface PersistedOptions<T> {
  readonly storage: SettingsStorage;
  /** Key after the prefix `braggbench.`; unique per store. */
  readonly name: string;
  readonly version: number;
  readonly schema: z.ZodType<T>;
  readonly initial: T;
  /** `migrations[v]` converts data of version v to v + 1. */
  readonly migrations?: Readonly<Record<number, (data: unknown) => unknown>>;
  /** Called if the stored data could not be used. */
  readonly onReset?: (name: string, reason: string) => void;
}

const PREFIX = 'braggbench.';

function migrateSettings<T>(options: PersistedOptions<T>, version: number, data: unknown): unknown {
  let value = data;
  for (let v = version; v < options.version; v += 1) {
    const migrate = options.migrations?.[v];
    if (migrate === undefined) throw new Error(`settings of version ${v} cannot be migrated`);
    value = migrate(value);
  }
  return value;
}

function readSettings<T>(options: PersistedOptions<T>): T {
  const text = options.storage.getItem(PREFIX + options.name);
  if (text === null) return options.initial;
  const stored: unknown = JSON.parse(text);
  const version: unknown = typeof stored === 'object' && stored !== null ? Reflect.get(stored, 'version') : undefined;
  if (typeof version !== 'number' || !Number.isInteger(version)) throw new Error('they have no version');
  if (version > options.version) throw new Error(`they are of version ${version}, from a newer program`);
  return options.schema.parse(migrateSettings(options, version, Reflect.get(stored as object, 'data')));
}

/** A store whose complete state is saved. The state is plain data; update functions are defined separately. */
export function createPersisted<T>(options: PersistedOptions<T>): StoreApi<T> {
  let start = options.initial;
  try {
    start = readSettings(options);
  } catch (error) {
    options.onReset?.(options.name, messageOf(error));
  }
  const store = createStore<T>(() => start);
  store.subscribe((data) => {
    try {
      options.storage.setItem(PREFIX + options.name, JSON.stringify({ version: options.version, data }));
    } catch {
      // If storage is full or forbidden, only settings are lost.
    }
  });
  return store;
}

/** In-memory storage for shells and tests without storage: settings last as long as the page. */
export function memoryStorage(): SettingsStorage {
  const items = new Map<string, string>();
  return { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value) };
}
