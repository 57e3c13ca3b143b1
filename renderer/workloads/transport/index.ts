/** Proton transport in the page. */
import { compact, count, errorSize, fixed, percent } from '../../base/numbers.ts';
import { timeLeft } from '../../base/time.ts';
import { RunFeed } from '../../data/run-feed.ts';
import type { PageWorkload } from '../../workbench/workload.ts';
import { dosePlane, playKeyframes } from './play-keyframes.ts';
import { TransportResults } from './results.tsx';

export const transport: PageWorkload<'transport'> = {
  panels: ['dose-map', 'phase-space', 'depth-dose', 'lateral', 'ledger-steps', 'ledger'],
  mainPanel: 'phase-space',
  feed: (feeds) => feeds.of(RunFeed),
  attach: ({ stores, data, feeds }) => playKeyframes(stores.playback, data, feeds.of(RunFeed)),
  words: ({ step, depth_mm }) => [`step ${count(step)}`, `${fixed(depth_mm, 1)} mm`],
  progress: ({ step, steps_max, depth_mm, weight_left, steps_per_s, ledger_error }) => [
    { name: 'Step', value: count(step), title: `At most ${count(steps_max)} steps` },
    { name: 'Mean depth', value: fixed(depth_mm, 1), unit: 'mm' },
    {
      name: 'Weight left',
      value: percent(weight_left),
      title: 'Share of the protons that is still in flight',
    },
    { name: 'Steps per s', value: compact(steps_per_s) },
    {
      name: 'Ledger error',
      value: errorSize(ledger_error),
      title: 'Larger of the relative errors of the number and the energy balance',
    },
  ],
  facts: ({ table, waterRange_mm, grid, cells, expected, variant }) => [
    { name: 'Range in water', value: `${fixed(waterRange_mm, 2)} mm`, title: `CSDA range in water, ${table}` },
    {
      name: 'Grid x · z · θ · E',
      value: [grid.nx, grid.nz, grid.ntheta, grid.ne].map(count).join(' · '),
      title: 'Cells in x, z, angle and energy',
    },
    { name: 'Cells', value: compact(cells) },
    ...(expected === undefined
      ? []
      : [
          {
            name: 'Time',
            value: expected.seconds < 1 ? 'under 1 s' : `about ${timeLeft(expected.seconds)}`,
            title:
              expected.elsewhere === null
                ? `Steps of ${variant}, by runs of it that ended here; within a factor of three or so`
                : `Steps of ${variant} on ${expected.elsewhere}, until one has ended here; within a factor of five or so`,
          },
        ]),
  ],
  Results: TransportResults,
  plane: dosePlane,
  Extra: null,
};
