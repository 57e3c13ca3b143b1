/** What the scenario comes to: what tells its size, by its kind, and memory. */

import type { ReactElement } from 'react';
import type { Resolved } from '../../../electron/contract/scenarios.ts';
import { formatBytes } from '../../../electron/contract/units.ts';
import { classes } from '../../base/classes.ts';
import { useWorkbench } from '../../workbench/context.ts';
import { factsOf } from '../../workbench/workload.ts';

export function ResolvedCard({
  resolved,
  of,
}: {
  readonly resolved: Resolved | null;
  /** The scenario of the form, the one before the last edit, or the last that had no faults. */
  readonly of: 'this' | 'before' | 'sound';
}): ReactElement {
  const { workloads } = useWorkbench();
  if (resolved === null)
    return <p className="resolved resolved--none">What it comes to appears once the scenario is complete.</p>;
  const { estimate } = resolved;
  const share = estimate.total_bytes / estimate.limit_bytes;
  return (
    <dl className={classes('resolved', of !== 'this' && 'resolved--stale')}>
      {of === 'sound' ? (
        <div>
          <dt>Last valid values</dt>
          <dd />
        </div>
      ) : null}
      {factsOf(workloads, resolved).map(({ name, value, title }) => (
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
