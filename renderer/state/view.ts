/** Appearance of the page, and the zoomed interval of each axis, which all plots share. */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { AxisName, Interval } from '../../electron/contract/fields.ts';
import { createPersisted, type SettingsStorage } from './persisted.ts';

const appearanceSchema = z.strictObject({ theme: z.enum(['system', 'light', 'dark']) });
type Appearance = Readonly<z.infer<typeof appearanceSchema>>;
export type Theme = Appearance['theme'];

export type AppearanceStore = StoreApi<Appearance>;

export function createAppearanceStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): AppearanceStore {
  return createPersisted<Appearance>({
    storage,
    name: 'appearance',
    version: 1,
    schema: appearanceSchema,
    initial: { theme: 'system' },
    onReset,
  });
}

/** Interval that the user zoomed to, by axis. An axis without an interval is shown in full. */
interface ZoomState {
  readonly windows: Readonly<Partial<Record<AxisName, Interval>>>;
}

export interface ZoomStore extends StoreApi<ZoomState> {
  zoom(windows: Readonly<Partial<Record<AxisName, Interval | null>>>): void;
  reset(): void;
}

export function createZoomStore(): ZoomStore {
  const store = createStore<ZoomState>(() => ({ windows: {} }));
  return {
    ...store,
    zoom: (changes) =>
      store.setState(({ windows }) => {
        const next: Partial<Record<AxisName, Interval>> = { ...windows };
        for (const [axis, window] of Object.entries(changes) as [AxisName, Interval | null][]) {
          if (window === null) delete next[axis];
          else next[axis] = window;
        }
        return { windows: next };
      }),
    reset: () => store.setState({ windows: {} }),
  };
}
