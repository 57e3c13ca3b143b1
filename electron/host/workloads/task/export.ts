/** Export formats of a run of a small measured workload. */
import { csvText } from '../../../contract/csv.ts';
import type { Packer } from '../run-files/run-file.ts';
import { stem } from '../stem.ts';
import type { ExportedFile } from '../workload.ts';
import type { TaskRunData } from './task-data.ts';

const columns = [
  'at',
  'variant',
  'device',
  'precision',
  'status',
  'time_s',
  'ratio',
  'ratio_low',
  'ratio_high',
  'verdict',
  'bytes_per_s',
  'flops_per_s',
  'bitwise',
  'reason',
];

function table({ session }: TaskRunData): string {
  const rows = session.reports.flatMap(({ entries }, i) =>
    entries.map((entry) => {
      const at = session.sweep?.values[i] ?? '';
      const head = [at, entry.label, entry.device, entry.precision, entry.status];
      if (entry.status === 'refused') return [...head, '', '', '', '', '', '', '', '', entry.reason];
      const { time_s, ratio, verdict, roofline, determinism } = entry;
      const { bytes_per_s = null, flops_per_s = null } = roofline ?? {};
      const { value, interval } = ratio;
      return [
        ...head,
        ...[time_s, value, interval?.low, interval?.high, verdict, bytes_per_s, flops_per_s, determinism?.bitwise, ''],
      ];
    }),
  );
  return csvText(columns, rows);
}

export async function exportTask(run: TaskRunData, what: string, packer: Packer): Promise<ExportedFile> {
  const name = stem(run.name);
  if (what === 'run') return { name: `${name}.task.json`, mime: 'application/json', bytes: await packer.write(run) };
  return { name: `${name}-variants.csv`, mime: 'text/csv', bytes: new TextEncoder().encode(table(run)) };
}
