/** Times of a run's set-up steps, as a small table in its file. */
import type { File } from 'h5wasm';
import type { RunFileFields } from '../../io/hdf5/fields.ts';
import { put, putNote } from '../../io/hdf5/put.ts';

type Parts = readonly { readonly name: string; readonly seconds: number }[];

export function putSetup(file: File, { setup_parts }: { readonly setup_parts: Parts }): void {
  const group = file.create_group('setup');
  group.create_attribute('names', setup_parts.length === 0 ? [''] : setup_parts.map(({ name }) => name));
  putNote(group, 'count', setup_parts.length);
  const seconds = Float64Array.from(setup_parts, (part) => part.seconds);
  put(group, 'seconds', seconds, [seconds.length], { units: 's' });
}

export function readSetup(f: RunFileFields): Parts {
  const names = f.texts('setup', 'names').filter((name) => name !== '');
  const seconds = f.float64('setup/seconds', [f.count('setup', 'count')]);
  return names.map((name, i) => ({ name, seconds: seconds[i] ?? 0 }));
}
