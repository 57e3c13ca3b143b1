/**
 * Stores recordings in run files of any workload: the spans of the run and, if it was traced, the work of the GPU.
 * Times of set-up steps are stored as a small table.
 */
import type { File } from 'h5wasm';
import { spanColumns, traceColumns } from '../../../contract/recording.ts';
import type { DeviceTrace, Spans } from '../../io/addon/addon.ts';
import type { RunFileFields } from '../../io/hdf5/fields.ts';
import { writeAttribute, writeDataset } from '../../io/hdf5/put.ts';
import type { Recording } from '../../model/recording/recording.ts';

export function writeRecording(file: File, { spans, trace }: Recording): void {
  const { names, threads, dropped } = spans;
  const group = file.create_group('spans');
  group.create_attribute('names', names.length === 0 ? [''] : [...names]);
  const count = spans.name.length;
  for (const [key, value] of Object.entries({ count, threads, dropped })) writeAttribute(group, key, value);
  for (const { name } of spanColumns) {
    writeDataset(
      group,
      name,
      spans[name],
      [count],
      name.endsWith('_ns') ? { units: 'ns', from: 'the start of the run' } : {},
    );
  }
  if (trace !== null) writeTrace(file, trace);
}

function writeTrace(file: File, trace: DeviceTrace): void {
  const group = file.create_group('trace');
  group.create_attribute('source', trace.source);
  group.create_attribute('names', trace.names.length === 0 ? [''] : [...trace.names]);
  const count = trace.kind.length;
  for (const [key, value] of Object.entries({ count, dropped: trace.dropped })) writeAttribute(group, key, value);
  for (const { name, per } of traceColumns) writeDataset(group, name, trace[name], per === 1 ? [count] : [count, per]);
}

function readSpans(f: RunFileFields): Spans {
  const count = f.count('spans', 'count');
  const columns = Object.fromEntries(
    spanColumns.map(({ name, stored }) => [name, f[stored](`spans/${name}`, [count])]),
  );
  return {
    names: f.texts('spans', 'names').filter((name) => name !== ''),
    threads: f.count('spans', 'threads'),
    dropped: f.count('spans', 'dropped'),
    ...(columns as Pick<Spans, (typeof spanColumns)[number]['name']>),
  };
}

/** Reads the trace of the GPU. Null if the run was not traced, or if the file is older than this feature. */
function readTrace(f: RunFileFields): DeviceTrace | null {
  if (!f.has('trace')) return null;
  const count = f.count('trace', 'count');
  const columns = Object.fromEntries(
    traceColumns.map(({ name, per, stored }) => [name, f[stored](`trace/${name}`, per === 1 ? [count] : [count, per])]),
  ) as Pick<DeviceTrace, (typeof traceColumns)[number]['name']>;
  const names = f.texts('trace', 'names').filter((name) => name !== '');
  return { source: f.text('trace', 'source'), names, dropped: f.count('trace', 'dropped'), ...columns };
}

export function readRecording(f: RunFileFields): Recording {
  return { spans: readSpans(f), trace: readTrace(f) };
}

type Parts = readonly { readonly name: string; readonly seconds: number }[];

export function writeSetup(file: File, { setup_parts }: { readonly setup_parts: Parts }): void {
  const group = file.create_group('setup');
  group.create_attribute('names', setup_parts.length === 0 ? [''] : setup_parts.map(({ name }) => name));
  writeAttribute(group, 'count', setup_parts.length);
  const seconds = Float64Array.from(setup_parts, (part) => part.seconds);
  writeDataset(group, 'seconds', seconds, [seconds.length], { units: 's' });
}

export function readSetup(f: RunFileFields): Parts {
  const names = f.texts('setup', 'names').filter((name) => name !== '');
  const seconds = f.float64('setup/seconds', [f.count('setup', 'count')]);
  return names.map((name, i) => ({ name, seconds: seconds[i] ?? 0 }));
}
