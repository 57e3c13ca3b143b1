/** The arrangement in use, kept per user; a stored one that no longer fits is reset, not suffered. */
import { z } from 'zod';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { createPersisted, type SettingsStorage } from '../persisted.ts';
import { defaultLayouts, type SizeClass } from './defaults.ts';
import {
  activated,
  groupWith,
  type LayoutNode,
  layoutSchema,
  movedPanel,
  panelsOf,
  resized,
  type Size,
  type Zone,
} from './tree.ts';

export interface LayoutState {
  readonly wide: LayoutNode;
  readonly narrow: LayoutNode;
  readonly small: LayoutNode;
}

/** A panel whose group has the window for itself, until the user looks at the others again. Not kept. */
export interface Enlarged {
  readonly panel: string | null;
}

export interface LayoutStore extends StoreApi<LayoutState> {
  readonly enlarged: StoreApi<Enlarged>;
  enlarge(panel: string | null): void;
  /** Shows a panel wherever it stands, in every size of window. */
  reveal(panel: string): void;
  show(size: SizeClass, panel: string): void;
  resize(size: SizeClass, splitId: string, sizes: readonly Size[]): void;
  move(size: SizeClass, panel: string, groupId: string, zone: Zone, index?: number): void;
  reset(): void;
}

const VERSION = 1;

/** Every known panel is there, once: a panel that is missing could never be reached. */
function complete(root: LayoutNode, known: readonly string[]): boolean {
  return [...panelsOf(root)].sort().join(' ') === [...known].sort().join(' ');
}

export function createLayoutStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): LayoutStore {
  const known = panelsOf(defaultLayouts.wide);
  const schema = z
    .strictObject({ wide: layoutSchema, narrow: layoutSchema, small: layoutSchema })
    .refine(
      (state) => [state.wide, state.narrow, state.small].every((root) => complete(root, known)),
      'panels are missing or unknown',
    );
  const store = createPersisted<LayoutState>({
    storage,
    name: 'layout',
    version: VERSION,
    schema,
    initial: defaultLayouts,
    onReset,
  });
  const change = (size: SizeClass, next: (root: LayoutNode) => LayoutNode): void => {
    store.setState((state) => ({ [size]: next(state[size]) }));
  };
  const enlarged = createStore<Enlarged>(() => ({ panel: null }));
  return {
    ...store,
    enlarged,
    enlarge: (panel) => enlarged.setState({ panel }),
    reveal: (panel) => {
      store.setState(({ wide, narrow, small }) => ({
        wide: activated(wide, panel),
        narrow: activated(narrow, panel),
        small: activated(small, panel),
      }));
      if (enlarged.getState().panel !== null) enlarged.setState({ panel });
    },
    show: (size, panel) => change(size, (root) => (groupWith(root, panel) === null ? root : activated(root, panel))),
    resize: (size, splitId, sizes) => change(size, (root) => resized(root, splitId, sizes)),
    move: (size, panel, groupId, zone, index) => change(size, (root) => movedPanel(root, panel, groupId, zone, index)),
    reset: () => {
      enlarged.setState({ panel: null });
      store.setState(defaultLayouts);
    },
  };
}
