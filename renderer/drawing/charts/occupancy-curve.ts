/** Occupancy over the block size, with the limit of each resource by itself. */
import { type Launch, occupancyCurve } from '../../../electron/domain/launch/launch.ts';
import {
  type LaunchedKernel,
  type LaunchLimits,
  type Limiter,
  limiters,
} from '../../../electron/domain/launch/occupancy.ts';
import { axisArray, curveArray, identifier } from '../export/figure.ts';
import { type Ink, seriesInk } from '../figures/figure.ts';
import type { Chart, LineSeries } from './chart.ts';

/** Height of the plot, in label heights. */
const CHART_HEIGHT = 15;

export function occupancyChart(kernel: LaunchedKernel, limits: LaunchLimits, launch: Launch): Chart {
  const curve = occupancyCurve(kernel, limits, launch.request.dynamic_bytes);
  const most = limits.threads / limits.warpThreads;
  const threads = curve.map((point) => point.threads);
  const shares = curve.map(({ occupancy }) => occupancy.share);
  const alone = (limiter: Limiter): readonly number[] =>
    curve.map((point) => {
      const warps = Math.ceil(point.threads / limits.warpThreads);
      return (point.occupancy.allows[limiter] * warps) / most;
    });
  // Omit resources that allow more than full occupancy at every block size.
  const shown = limiters.filter((limiter) => alone(limiter).some((share) => share <= 1));
  // A block size is rounded up to full warps, so each step starts just after the previous size. Values above full
  // occupancy are not drawn.
  const steps = threads.flatMap((count) => [count - limits.warpThreads, count]);
  const line = (name: string, of: readonly number[], ink: Ink, width: number, dash: readonly number[]): LineSeries => {
    const y = of.flatMap((share) => (share > 1 ? [Number.NaN, Number.NaN] : [100 * share, 100 * share]));
    return { kind: 'line', name, ink, width, dash, x: steps, y };
  };
  const here = Math.min(limits.threadsPerBlock, launch.threadsPerBlock);
  const held = launch.occupancy.share * 100;
  const index = axisArray('threads', '', 'threads per block', threads);
  return {
    title: 'Occupancy by block size',
    panes: [
      {
        x: { title: 'Threads per block', unit: '', kind: 'linear', from: 0, to: limits.threadsPerBlock },
        y: { title: 'Occupancy', unit: '%', kind: 'linear', from: 0, to: 105 },
        series: [
          ...shown.map((limiter, i) => line(`by ${limiter}`, alone(limiter), seriesInk(i + 1), 1, [4, 3])),
          line('held', shares, 'accent', 2.5, []),
          {
            ...{ kind: 'dots', name: 'this launch', silent: true, ink: 'accent', form: 'round', radius: 0.45 },
            ...{ x: [here], y: [held], tips: [`${launch.threadsPerBlock} threads: ${Math.round(held)} %`] },
          },
        ],
        marks: [{ kind: 'line', axis: 'x', at: here, ink: 'text-muted' }],
        tall: CHART_HEIGHT,
      },
    ],
    hover: 'values',
    arrays: [
      index,
      curveArray('occupancy', '', 'active warps as a share of the maximum', index.name, shares),
      ...limiters.map((limiter) => {
        const blocks = curve.map(({ occupancy }) => occupancy.allows[limiter]);
        const words = `blocks that ${limiter} allow, per multiprocessor`;
        return curveArray(`${identifier(limiter)}_blocks`, '', words, index.name, blocks);
      }),
    ],
    notes: { device: limits.name, architecture: limits.architecture },
  };
}
