/** What every run file has: what the set-up went into. */

import type { RunFileFields } from '../../io/hdf5/fields.ts';
import type { RunData } from '../transport/run-data.ts';

export function readSetup(f: RunFileFields): RunData['setup_parts'] {
  const names = f.texts('setup', 'names').filter((name) => name !== '');
  const seconds = f.float64('setup/seconds', [f.count('setup', 'count')]);
  return names.map((name, i) => ({ name, seconds: seconds[i] ?? 0 }));
}
