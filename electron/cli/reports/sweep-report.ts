/** A sweep for a person: time against size, and what is fixed in it. */
import { fixedText } from '../../../renderer/base/measured.ts';
import type { BenchSession } from '../../contract/bench/bench.ts';
import { duration, metric, significant } from '../numbers.ts';
import { table } from '../table.ts';

type Style = (style: 'bold' | 'dim', text: string) => string;

export function sweepReport({ path, fits }: NonNullable<BenchSession['sweep']>, style: Style): readonly string[] {
  const columns = [
    { title: 'Variant' },
    { title: path, align: 'right' },
    { title: 'Cells', align: 'right' },
    { title: 'Steps take', align: 'right' },
    { title: 'Set-up', align: 'right' },
    { title: 'Its share', align: 'right' },
    { title: 'Cell-steps', align: 'right' },
  ] as const;
  const rows = fits.flatMap(({ label, points }) =>
    points.map(({ value, cells, time_s, setup_s, setup_share, cell_steps_per_s }, i) => [
      i === 0 ? label : '',
      significant(value, 4),
      metric(cells),
      duration(time_s),
      duration(setup_s),
      `${(100 * setup_share).toFixed(0)} %`,
      `${metric(cell_steps_per_s)}/s`,
    ]),
  );
  const lines = fits.flatMap(({ label, fixed_s, slope_s_per_cell }) =>
    fixed_s === null || slope_s_per_cell === null
      ? []
      : [`${label}: ${fixedText(fixed_s)}, and ${duration(slope_s_per_cell * 1e6)} per million cells`],
  );
  return [
    '',
    style('bold', `Sweep of ${path}`),
    ...table(columns, rows, { styleTitle: (text) => style('bold', text) }),
    '',
    ...lines,
    style('dim', 'Fixed cost and slope by least squares on the time of the steps, in proportion to it.'),
  ];
}
