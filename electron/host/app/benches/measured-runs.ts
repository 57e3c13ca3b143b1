/** Runs of this program that are measurements themselves. */

import { hostWorkloads } from '../../workloads/index.ts';
import type { Runs } from '../runs/runs.ts';
import type { MeasuredRun } from './stored.ts';

/** Newest first; one that gave nothing is left out. */
export async function measuredRuns(runs: Runs): Promise<readonly MeasuredRun[]> {
  const all = runs.list().map(({ id, workload, name, file, wall_s }) => {
    const { compared } = hostWorkloads[workload];
    if (compared.kind !== 'sessions' || wall_s === null) return null;
    return runs.data(id).then((data): MeasuredRun => ({ run: id, name, file, kept: compared.session(data) }));
  });
  return (await Promise.all(all)).filter((one) => one !== null);
}
