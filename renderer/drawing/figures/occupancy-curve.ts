/** Occupancy over the size of a block, with what each resource by itself would allow. */
import { type Launch, occupancyCurve } from '../../../electron/contract/launch/launch.ts';
import type { LaunchLimits } from '../../../electron/contract/launch/limits.ts';
import { type LaunchedKernel, type Limiter, limiters } from '../../../electron/contract/launch/occupancy.ts';
import { axisArray, curveArray, identifier } from '../export/figure.ts';
import { horizontalRoom, plotAxes, verticalRoom } from './axes.ts';
import { type Figure, type FigureSize, type Ink, type Point, type Shape, seriesInk, textWidth } from './figure.ts';

const TALL = 15;

export function occupancyFigure(
  kernel: LaunchedKernel,
  limits: LaunchLimits,
  launch: Launch,
  { width, label }: FigureSize,
): Figure {
  const curve = occupancyCurve(kernel, limits, launch.request.dynamic_bytes);
  const most = limits.threads / limits.warpThreads;
  const threads = curve.map((point) => point.threads);
  const shares = curve.map(({ occupancy }) => occupancy.share);
  const alone = (limiter: Limiter): readonly number[] =>
    curve.map((point) => {
      const warps = Math.ceil(point.threads / limits.warpThreads);
      return (point.occupancy.allows[limiter] * warps) / most;
    });
  // What never comes near the whole is left out.
  const shown = limiters.filter((limiter) => alone(limiter).some((share) => share <= 1));
  const legend = label * 1.8;
  const left = verticalRoom(label);
  const box = { left, top: legend, width: width - left - label, height: TALL * label };
  const across = { title: 'Threads per block', unit: '', kind: 'linear', from: 0, to: limits.threadsPerBlock } as const;
  const up = { title: 'Occupancy', unit: '%', kind: 'linear', from: 0, to: 105 } as const;
  const plot = plotAxes(across, up, box, label);
  const shapes: Shape[] = [...plot.shapes];
  // A size holds from behind the one before it: the last warp is filled up. More than the whole is not drawn.
  const draw = (shares: readonly number[], ink: Ink, thick: number, dash: readonly number[]): void => {
    let points: Point[] = [];
    const end = (): void => {
      if (points.length > 0) shapes.push({ kind: 'path', points, ink, width: thick, dash });
      points = [];
    };
    shares.forEach((share, i) => {
      if (share > 1) {
        end();
        return;
      }
      const height = plot.y.toPixel(share * 100);
      points.push([plot.x.toPixel((threads[i] ?? 0) - limits.warpThreads), height]);
      points.push([plot.x.toPixel(threads[i] ?? 0), height]);
    });
    end();
  };
  let at = left;
  const name = (words: string, ink: Ink, thick: number, dash: readonly number[]): void => {
    shapes.push({ kind: 'line', from: [at, label], to: [at + 2 * label, label], ink, width: thick, dash });
    shapes.push({ kind: 'text', at: [at + 2.5 * label, 1.35 * label], text: words, ink: 'text', size: label });
    at += textWidth(words, label) + 4.2 * label;
  };
  name('held', 'accent', 2.5, []);
  for (const [i, limiter] of shown.entries()) {
    const ink = seriesInk(i + 1);
    draw(alone(limiter), ink, 1, [4, 3]);
    name(`by ${limiter}`, ink, 1, [4, 3]);
  }
  draw(shares, 'accent', 2.5, []);
  const here = Math.min(limits.threadsPerBlock, launch.threadsPerBlock);
  const spot = [plot.x.toPixel(here), plot.y.toPixel(launch.occupancy.share * 100)] as const;
  shapes.push({ kind: 'line', from: [spot[0], box.top], to: [spot[0], box.top + box.height], ink: 'text-muted' });
  const percent = `${Math.round(launch.occupancy.share * 100)} %`;
  shapes.push({
    kind: 'dot',
    at: spot,
    radius: 5,
    ink: 'accent',
    tip: `${launch.threadsPerBlock} threads: ${percent}`,
  });
  const index = axisArray('threads', '', 'threads per block', threads);
  return {
    width,
    height: Math.ceil(box.top + box.height + horizontalRoom(label) + label / 2),
    title: 'Occupancy by block size',
    shapes,
    arrays: [
      index,
      curveArray('occupancy', '', 'warps held over the most that can be', index.name, shares),
      ...limiters.map((limiter) => {
        const blocks = curve.map(({ occupancy }) => occupancy.allows[limiter]);
        const words = `blocks that ${limiter} allow, per multiprocessor`;
        return curveArray(`${identifier(limiter)}_blocks`, '', words, index.name, blocks);
      }),
    ],
    notes: { device: limits.name, architecture: limits.architecture },
  };
}
