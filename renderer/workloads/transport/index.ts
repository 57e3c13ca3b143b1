/**
 * Proton transport in the page. Loads the stored moments of the shown run, shows the maps at the selected moment, and
 * plays them.
 */

import { compactCount, count, fixedDigits, formatError, percent, timeLeft } from '../../../electron/domain/numbers.ts';
import { type RunData, SHOWN_KEY } from '../../data/run-data.ts';
import { RunFeed } from '../../data/run-feed.ts';
import { initialFrame, type PlaybackStore } from '../../state/playback.ts';
import type { Stores } from '../../workbench/actions/context.ts';
import { linkedMap } from '../../workbench/actions/linked-map.ts';
import type { PageWorkload, Plane } from '../../workbench/workload.ts';
import { TransportResults } from './results.tsx';

/** Axes of the plane that doses are shown in, which contains the beam. */
const DOSE = { horizontal: 'z', vertical: 'x' } as const;

function dosePlane({ selection, window }: Stores): Plane {
  return {
    horizontal: { title: 'Depth z', unit: 'mm' },
    vertical: { title: 'Across x', unit: 'mm' },
    quantity: 'Dose',
    pixels: false,
    scale: 'linear',
    least: 0,
    ...linkedMap({ selection, window }, () => DOSE),
    subscribe: (listener) => {
      const stops = [selection.subscribe(listener), window.subscribe(listener)];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** Time of a frame in ms: 64 frames need 5 s, slow enough to see the beam widen. */
const FRAME_MS = 80;

/** A moment by its index and the number of moments. */
interface PlaybackPosition {
  readonly index: number;
  readonly count: number;
}

const isSame = (a: PlaybackPosition, b: PlaybackPosition | null): boolean =>
  a.index === b?.index && a.count === b.count;

/** Index among `count` stored moments at the same relative position in the run. */
function sameMoment({ index, count: before }: PlaybackPosition, count: number): number {
  return before < 2 ? 0 : Math.round((index / (before - 1)) * (count - 1));
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export function playKeyframes(
  playback: PlaybackStore,
  data: Pick<RunData, 'keyframes'>,
  feed: Pick<RunFeed, 'showKeyframe'>,
): void {
  let moving = false;
  /**
   * Position before Live mode reduced the number of stored moments. Restored afterwards unless the user has chosen
   * another moment.
   */
  let rested: PlaybackPosition | null = null;
  let placed: PlaybackPosition | null = null;

  const play = async (): Promise<void> => {
    if (moving) return;
    moving = true;
    while (playback.getState().playing) {
      // A slow host shows fewer frames per second, but none is skipped.
      await Promise.all([pause(FRAME_MS), feed.showKeyframe(playback.getState().index)]);
      if (playback.getState().playing) playback.advance();
    }
    moving = false;
  };

  data.keyframes.subscribe(SHOWN_KEY, () => {
    const keyframes = data.keyframes.get(SHOWN_KEY);
    const frames = keyframes?.frames ?? [];
    const { frames: before, index } = playback.getState();
    if (keyframes?.live === undefined || before.length === 0) {
      rested = null;
      playback.load(frames, initialFrame(frames, keyframes?.stopped ?? false));
      return;
    }
    const now: PlaybackPosition = { index, count: before.length };
    if (!isSame(now, placed)) rested = now;
    const from = rested !== null && rested.count === frames.length ? rested : now;
    placed = { index: sameMoment(from, frames.length), count: frames.length };
    playback.load(frames, placed.index);
  });
  playback.subscribe((state, before) => {
    if (state.frames.length > 0 && (state.frames !== before.frames || state.index !== before.index)) {
      void feed.showKeyframe(state.index);
    }
    if (state.playing && !before.playing) void play();
  });
}

export const transport: PageWorkload<'transport'> = {
  panels: ['dose-map', 'phase-space', 'volume', 'depth-dose', 'lateral', 'ledger-steps', 'ledger'],
  mainPanel: 'phase-space',
  feed: (feeds) => feeds.of(RunFeed),
  attach: ({ stores, data, feeds }) => playKeyframes(stores.playback, data, feeds.of(RunFeed)),
  words: ({ step, depth_mm }) => [`step ${count(step)}`, `${fixedDigits(depth_mm, 1)} mm`],
  progress: ({ step, steps_max, depth_mm, weight_left, steps_per_s, ledger_error }) => [
    { name: 'Step', value: count(step), title: `At most ${count(steps_max)} steps` },
    { name: 'Mean depth', value: fixedDigits(depth_mm, 1), unit: 'mm' },
    {
      name: 'Weight left',
      value: percent(weight_left),
      title: 'Share of the protons still in flight',
    },
    { name: 'Steps per s', value: compactCount(steps_per_s) },
    {
      name: 'Ledger error',
      value: formatError(ledger_error),
      title: 'Larger of the relative errors of the number and the energy balance',
    },
  ],
  facts: ({ table, waterRange_mm, grid, cells, expected, variant }) => [
    { name: 'Range in water', value: `${fixedDigits(waterRange_mm, 2)} mm`, title: `CSDA range in water, ${table}` },
    {
      name: 'Grid x · z · θ · E',
      value: [grid.nx, grid.nz, grid.ntheta, grid.ne].map(count).join(' · '),
      title: 'Cells in x, z, angle and energy',
    },
    { name: 'Cells', value: compactCount(cells) },
    ...(expected === undefined
      ? []
      : [
          {
            name: 'Time',
            value: expected.seconds < 1 ? 'under 1 s' : `about ${timeLeft(expected.seconds)}`,
            title:
              expected.elsewhere === null
                ? `Time of the steps of ${variant}, estimated from its earlier runs in this program; accurate to a factor of about three`
                : `Time of the steps of ${variant} on ${expected.elsewhere}, until a run of it has ended here; accurate to a factor of about five`,
          },
        ]),
  ],
  Results: TransportResults,
  plane: dosePlane,
  Extra: null,
};
