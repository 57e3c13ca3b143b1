/** The transport variants, for `braggbench variants`. */
import type { TransportVariant as Variant } from '../../../host/io/addon/addon.ts';
import { short } from '../../numbers.ts';
import type { VariantList } from '../workload.ts';

function row(variant: Variant): readonly string[] {
  const { id, device, precisions, steppings, buildsOn, bytesPerCellStep, flopsPerCellStep, changes } = variant;
  return [
    id,
    device,
    precisions.join(' '),
    steppings.join(' '),
    short(bytesPerCellStep, 3),
    short(flopsPerCellStep, 3),
    buildsOn ?? '–',
    changes,
  ];
}

export function transportVariants(all: readonly Variant[]): VariantList {
  return {
    columns: [
      { title: 'Variant' },
      { title: 'Device' },
      { title: 'Precision' },
      { title: 'Stepping' },
      { title: 'B', align: 'right' },
      { title: 'FLOP', align: 'right' },
      { title: 'Builds on' },
      { title: 'What it changes' },
    ],
    rows: all.map(row),
    all,
  };
}
