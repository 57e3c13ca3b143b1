/** Points of a study in the form of its folder, as input for advice. */
import type { Measure, PlanHead, PointResult } from '../../../../../../electron/contract/study/index.ts';
import type { SolvedPoint } from '../../../../../../electron/host/model/studies/advice/regions.ts';

export const head = (study: object = {}): PlanHead => ({
  ...{ format: 'braggbench-study', version: 1, created: '2026-01-01T00:00:00Z', name: 'test', study: { ...study } },
  ...{ bases: [{ name: 'base', document: {}, folder: null, beside: [] }], points: 0, sha256: '0'.repeat(64) },
  ...{ state_bytes: null, least_s: null },
});

export interface PointTimes {
  readonly at: Readonly<Record<string, unknown>>;
  readonly time_s?: number;
  /** Half-width of the interval of `time_s`; absent if there is no interval. */
  readonly within?: number;
  readonly readouts?: Readonly<Record<string, number | string>>;
  readonly machine?: string;
  readonly at_once?: number;
}

let next = 0;

export function solvedPoint({
  at,
  time_s,
  within,
  readouts = {},
  machine = 'desk',
  at_once = 1,
}: PointTimes): SolvedPoint {
  next += 1;
  const id = next.toString(16).padStart(16, '0');
  const settings = Object.entries(at).map(([name, value]) => ({ path: name.split('.'), value }));
  const interval = within === undefined || time_s === undefined ? {} : { low: time_s - within, high: time_s + within };
  const measures: Measure[] = [
    ...Object.entries(readouts).map(
      ([name, value]): Measure => ({
        ...{ group: 'readouts', name, unit: name.endsWith('_mm') ? 'mm' : '', value },
      }),
    ),
    ...(time_s === undefined
      ? []
      : [{ group: 'times' as const, name: 'time_s', unit: 's', value: time_s, ...interval }]),
  ];
  const result: PointResult = {
    ...{ format: 'braggbench-point', version: 1, id, status: 'done', error: null, workload: 'micro' },
    ...{
      variant: String(at['solver.variant'] ?? 'auto'),
      precision: 'fp32',
      threads: 1,
      repeats: 5,
      measures,
      curves: [],
    },
    where: {
      ...{ version: '0', build: '0', commit: null, machine, cpu: 'a CPU', cores: 2, os: 'Linux' },
      ...{ gpu: null, gpu_uuid: null, driver: null, at_once, job: null },
    },
    ...{ started: '2026-01-01T00:00:00Z', finished: '2026-01-01T00:00:01Z' },
  };
  return { line: { id, base: 0, settings }, result };
}
