/** Time against pixels: fixed cost and slope of each variant over the reports of a sweep. */
import type { ImageBenchEntry, ImageBenchReport, ImageFit } from '../../../contract/bench/image-bench.ts';
import { fitLine } from '../../model/bench/index.ts';

type Point = ImageFit['points'][number];

function pointOf(value: number, report: ImageBenchReport, entry: ImageBenchEntry): Point[] {
  const { median_s, image_s, wall_s, setup_s } = entry;
  if (median_s === null || image_s === null || wall_s === null || setup_s === null) return [];
  const pixels = report.width * report.height;
  return [{ value, pixels, kernel_s: median_s, image_s, wall_s, setup_share: setup_s / wall_s }];
}

function line(points: readonly Point[], time: (point: Point) => number): ImageFit['kernel'] {
  const fit = points.length < 2 ? null : fitLine(points.map((one) => ({ cells: one.pixels, time_s: time(one) })));
  return fit === null ? null : { fixed_s: fit.fixed_s, slope_s_per_pixel: fit.slope_s_per_cell };
}

/** `reports[i]` is of `values[i]`. */
export function imageFits(values: readonly number[], reports: readonly ImageBenchReport[]): ImageFit[] {
  const first = reports[0]?.entries ?? [];
  return first.map(({ variant, mode }) => {
    const points = reports.flatMap((report, i) => {
      const entry = report.entries.find((one) => one.variant === variant && one.mode === mode);
      return entry === undefined ? [] : pointOf(values[i] ?? Number.NaN, report, entry);
    });
    return { variant, mode, points, kernel: line(points, (p) => p.kernel_s), wall: line(points, (p) => p.wall_s) };
  });
}
