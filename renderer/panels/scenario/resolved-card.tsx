/** What the scenario comes to: range, size of the grid, memory. */
import type { ReactElement } from 'react';
import type { Resolved } from '../../../electron/contract/scenarios.ts';
import { formatBytes } from '../../../electron/contract/units.ts';
import { classes } from '../../base/classes.ts';
import { compact, count, fixed } from '../../base/numbers.ts';

export function ResolvedCard({
  resolved,
  stale,
}: {
  readonly resolved: Resolved | null;
  readonly stale: boolean;
}): ReactElement {
  if (resolved === null)
    return <p className="resolved resolved--none">Range and grid size appear once the scenario is complete.</p>;
  const { grid, estimate } = resolved;
  const share = estimate.total_bytes / estimate.limit_bytes;
  return (
    <dl className={classes('resolved', stale && 'resolved--stale')}>
      <div title={`CSDA range in water, ${resolved.table}`}>
        <dt>Range in water</dt>
        <dd>{fixed(resolved.waterRange_mm, 2)} mm</dd>
      </div>
      <div title="Cells in x, z, angle and energy">
        <dt>Grid x · z · θ · E</dt>
        <dd>{[grid.nx, grid.nz, grid.ntheta, grid.ne].map(count).join(' · ')}</dd>
      </div>
      <div>
        <dt>Cells</dt>
        <dd>{compact(resolved.cells)}</dd>
      </div>
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
