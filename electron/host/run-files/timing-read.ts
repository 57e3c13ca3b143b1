/** What every run file has: the operators' spans, and what the set-up went into. */
import type { Spans } from '../addon.ts';
import type { RunData } from '../workloads/transport/run-data.ts';
import type { RunFileFields } from './fields.ts';

export function readSpans(f: RunFileFields): Spans {
  const count = f.count('spans', 'count');
  return {
    names: f.texts('spans', 'names').filter((name) => name !== ''),
    threads: f.count('spans', 'threads'),
    dropped: f.count('spans', 'dropped'),
    name: f.uint16('spans/name', [count]),
    thread: f.uint16('spans/thread', [count]),
    step: f.uint32('spans/step', [count]),
    start_ns: f.float64('spans/start_ns', [count]),
    end_ns: f.float64('spans/end_ns', [count]),
  };
}

export function readSetup(f: RunFileFields): RunData['setup_parts'] {
  const names = f.texts('setup', 'names').filter((name) => name !== '');
  const seconds = f.float64('setup/seconds', [f.count('setup', 'count')]);
  return names.map((name, i) => ({ name, seconds: seconds[i] ?? 0 }));
}
