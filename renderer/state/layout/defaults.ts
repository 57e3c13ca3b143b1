/** The arrangements that the program comes with, for wide, narrow and small windows. */
import { group, type LayoutNode, px, share, split } from './tree.ts';

/**
 * Below this width of the window (CSS pixels) two side columns leave the plots
 * too little, and everything beside the plots shares one column.
 */
export const WIDE_FROM_PX = 1180;

/** Below either of these two plots above each other are too flat to read: they share a place. */
export const TALL_FROM_PX = 560;
export const NARROW_FROM_PX = 780;

export type SizeClass = 'wide' | 'narrow' | 'small';

const plots = (): LayoutNode =>
  split(
    'plots',
    'column',
    [share(1.15), group('map', 'dose-map', 'phase-space')],
    [share(1), group('curve', 'depth-dose', 'lateral', 'ledger-steps')],
  );

export const defaultLayouts: Readonly<Record<SizeClass, LayoutNode>> = {
  wide: split(
    'root',
    'row',
    [px(316), group('input', 'scenario', 'runs')],
    [share(1), plots()],
    [px(324), split('results', 'column', [share(1.15), group('run', 'run')], [share(1), group('ledger', 'ledger')])],
  ),
  small: split(
    'root',
    'row',
    [px(296), group('input', 'scenario', 'run', 'ledger', 'runs')],
    [share(1), group('plots', 'dose-map', 'phase-space', 'depth-dose', 'lateral', 'ledger-steps')],
  ),
  narrow: split('root', 'row', [px(316), group('input', 'scenario', 'run', 'ledger', 'runs')], [share(1), plots()]),
};
