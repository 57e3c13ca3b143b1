/** Every warm sample of a benchmark as a table that notebooks and spreadsheets read. */
import { gpuOf } from '../../contract/bench/bench-session.ts';
import type { Session, SessionReport } from '../../contract/bench/session.ts';
import { type CsvCell, csvText } from '../../contract/csv.ts';

const columns = [
  'at',
  'variant',
  'kind',
  'device',
  'precision',
  'round',
  'time_s',
  'sm_MHz',
  'flag',
  'verdict',
  'commit',
] as const;

/** `at`: the swept value; null of a plain session. */
function rowsOf(
  { entries, external, program, machine }: SessionReport,
  at: number | null,
): readonly (readonly CsvCell[])[] {
  const own = entries.flatMap((entry) => {
    if (entry.status === 'refused') return [];
    const { label, device, gpu, precision, samples, verdict } = entry;
    const on = device === 'cuda' ? (gpuOf(machine, gpu)?.name ?? 'GPU') : machine.cpu;
    return samples.map(({ round, time_s, sm_MHz, flag }) => [
      ...[at, label, 'variant', on, precision, round, time_s, sm_MHz, flag, verdict, program.commit],
    ]);
  });
  const others = external.flatMap(({ id, result }) =>
    (result?.times ?? []).map((time_s, round) => [
      ...[at, id, 'other program', result?.device ?? '', result?.precision ?? '', round, time_s, null, null],
      ...[result?.wrong === true ? 'wrong' : '', program.commit],
    ]),
  );
  return [...own, ...others];
}

export function samplesCsv({ reports, sweep }: Session): { readonly text: string; readonly rows: number } {
  const rows = reports.flatMap((report, i) => rowsOf(report, sweep?.values[i] ?? null));
  return { text: csvText(columns, rows), rows: rows.length };
}
