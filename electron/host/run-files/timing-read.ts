/** What every run file has: what the set-up went into. */
import type { RunData } from '../workloads/transport/run-data.ts';
import type { RunFileFields } from './fields.ts';

export function readSetup(f: RunFileFields): RunData['setup_parts'] {
  const names = f.texts('setup', 'names').filter((name) => name !== '');
  const seconds = f.float64('setup/seconds', [f.count('setup', 'count')]);
  return names.map((name, i) => ({ name, seconds: seconds[i] ?? 0 }));
}
