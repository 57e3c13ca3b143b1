/** The launch in numbers, and what is wrong with it. */
import type { ReactElement } from 'react';
import { limiters } from '../../../electron/contract/launch/occupancy.ts';
import { compact, count, NO_VALUE, percent, significant } from '../../base/numbers.ts';
import { type ReadoutItem, Readouts } from '../../widgets/plots/readout.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import type { Explained } from './model.ts';

const extent = (values: readonly number[]): string => values.map(count).join(' × ');

export function Notes({ explained }: { readonly explained: Explained }): ReactElement | null {
  const { notes } = explained.launch;
  return (
    <ul className="launch-notes" aria-label="What to know about this launch" aria-live="polite">
      {notes.map(({ severity, about, text }) => (
        <li key={`${about} ${text}`} data-severity={severity}>
          <Icon name={severity === 'refused' ? 'error' : 'warning'} size={14} />
          <span>
            {severity === 'refused' ? <b>Will not launch. </b> : null}
            {text}
          </span>
        </li>
      ))}
      {notes.length === 0 ? (
        <li data-severity="none">
          <Icon name="check" size={14} />
          <span>This launch is valid.</span>
        </li>
      ) : null}
    </ul>
  );
}

function items({ launch, kernel, gpu }: Explained, driverBlocks: number | null): readonly ReadoutItem[] {
  const { occupancy } = launch;
  const allows = limiters
    .filter((limiter) => Number.isFinite(occupancy.allows[limiter]))
    .map((limiter) => `${limiter} ${occupancy.allows[limiter]}`)
    .join(', ');
  return [
    { name: 'Grid', value: extent(launch.grid), unit: 'blocks' },
    { name: 'Blocks', value: count(launch.blocks) },
    { name: 'Threads', value: launch.threads < 1e9 ? count(launch.threads) : compact(launch.threads) },
    { name: 'With an element', value: percent(launch.threadsUsed), title: 'Threads that do at least one element' },
    { name: 'Last block used', value: percent(launch.lastBlockUsed), title: 'Its threads that have an element' },
    { name: 'Elements per thread', value: count(launch.elementsPerThread), title: 'Of the busiest thread' },
    {
      name: 'Occupancy',
      value: percent(occupancy.share),
      strong: true,
      title: `${occupancy.warps} of ${gpu.limits.threads / gpu.limits.warpThreads} warps`,
    },
    {
      name: 'Resident blocks',
      value: count(occupancy.blocks),
      unit: 'per SM',
      strong: true,
      title: `Blocks that each would allow: ${allows}`,
    },
    { name: 'Limited by', value: occupancy.limitedBy.join(', '), title: `Blocks that each would allow: ${allows}` },
    ...(driverBlocks === null
      ? []
      : [
          {
            name: 'The driver says',
            value: count(driverBlocks),
            unit: 'blocks',
            title: 'cuOccupancyMaxActiveBlocksPerMultiprocessor',
          },
        ]),
    { name: 'Waves', value: launch.waves === null ? NO_VALUE : significant(launch.waves, 4), strong: true },
    { name: 'Last wave used', value: percent(launch.lastWaveUsed) },
    { name: 'Tail', value: percent(launch.tail), title: 'Of the time, were all blocks to take the same' },
    { name: 'Registers', value: count(kernel.registers), unit: 'per thread' },
    { name: 'Shared memory', value: count(kernel.shared_bytes + launch.request.dynamic_bytes), unit: 'B per block' },
    { name: 'Multiprocessors', value: count(gpu.limits.multiprocessors) },
  ];
}

export function Numbers(props: { readonly explained: Explained; readonly driverBlocks: number | null }): ReactElement {
  return (
    <section aria-label="Numbers of the launch" data-testid="launch-numbers">
      <Readouts items={items(props.explained, props.driverBlocks)} />
    </section>
  );
}
