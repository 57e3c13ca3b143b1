/** The arrangement in use, kept per user; a stored one that no longer fits is reset, not suffered. */
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
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

export interface LayoutStore extends StoreApi<LayoutState> {
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
  return {
    ...store,
    show: (size, panel) => change(size, (root) => (groupWith(root, panel) === null ? root : activated(root, panel))),
    resize: (size, splitId, sizes) => change(size, (root) => resized(root, splitId, sizes)),
    move: (size, panel, groupId, zone, index) => change(size, (root) => movedPanel(root, panel, groupId, zone, index)),
    reset: () => store.setState(defaultLayouts),
  };
}
