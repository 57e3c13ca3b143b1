/** What the scenario comes to: what tells its size, by its kind, and memory. */

import type { ReactElement } from 'react';
import type {
  DiffractionResolved,
  Resolved,
  TaskResolved,
  TransportResolved,
} from '../../../electron/contract/scenarios.ts';
import { eachTask } from '../../../electron/contract/task.ts';
import { formatBytes } from '../../../electron/contract/units.ts';
import { classes } from '../../base/classes.ts';
import { compact, count, fixed } from '../../base/numbers.ts';

interface Fact {
  readonly name: string;
  readonly value: string;
  readonly title?: string;
}

const transport = ({ table, waterRange_mm, grid, cells }: TransportResolved): readonly Fact[] => [
  { name: 'Range in water', value: `${fixed(waterRange_mm, 2)} mm`, title: `CSDA range in water, ${table}` },
  {
    name: 'Grid x · z · θ · E',
    value: [grid.nx, grid.nz, grid.ntheta, grid.ne].map(count).join(' · '),
    title: 'Cells in x, z, angle and energy',
  },
  { name: 'Cells', value: compact(cells) },
];

const diffraction = (resolved: DiffractionResolved): readonly Fact[] => {
  const { width, height, oversample, sources, orientations, layers, terms, reflections } = resolved;
  return [
    { name: 'Image', value: `${count(width)} × ${count(height)} pixels` },
    {
      name: 'Of each pixel',
      value: [`${oversample} × ${oversample}`, sources, orientations, layers].join(' · '),
      title: 'Sub-pixels · sources · orientations · sensor layers',
    },
    { name: 'Lattice terms', value: compact(terms), title: 'Lattice factors in the image' },
    ...(reflections === 0 ? [] : [{ name: 'Reflections', value: count(reflections) }]),
  ];
};

const task = ({ title, available, variants }: TaskResolved): readonly Fact[] => [
  { name: 'Measures', value: title },
  { name: 'Variants', value: `${available} of ${variants.length}`, title: 'That this machine can run' },
];

type Facts = { readonly [K in Resolved['kind']]: (resolved: Extract<Resolved, { kind: K }>) => readonly Fact[] };
/** A further workload is one entry here. */
const factsOf: Facts = { transport, diffraction, ...eachTask(() => task) };

function facts<K extends Resolved['kind']>(resolved: Extract<Resolved, { kind: K }>): readonly Fact[] {
  return factsOf[resolved.kind as K](resolved);
}

export function ResolvedCard({
  resolved,
  stale,
}: {
  readonly resolved: Resolved | null;
  readonly stale: boolean;
}): ReactElement {
  if (resolved === null)
    return <p className="resolved resolved--none">What it comes to appears once the scenario is complete.</p>;
  const { estimate } = resolved;
  const share = estimate.total_bytes / estimate.limit_bytes;
  return (
    <dl className={classes('resolved', stale && 'resolved--stale')}>
      {facts(resolved).map(({ name, value, title }) => (
        <div key={name} title={title}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
      <div title={`Estimate for ${resolved.variant}; the limit is ${formatBytes(estimate.limit_bytes)}`}>
        <dt>Memory</dt>
        <dd>
          <meter
            className="resolved__meter"
            min={0}
            max={1}
            high={0.8}
            value={Math.min(1, share)}
            aria-label="Share of the memory limit"
          />
          {formatBytes(estimate.total_bytes)}
        </dd>
      </div>
    </dl>
  );
}
