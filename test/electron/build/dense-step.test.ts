/** ncu's counters of a dense step are saved by name, and the handbook's table is generated from them. */
import { expect, test } from 'vitest';
import { denseStepOf } from '../../../electron/build/bench/dense-step.ts';
import { denseStepTable } from '../../../electron/build/figures/dense-step.ts';

const counted: readonly (readonly [metric: string, unit: string, first: string, second: string])[] = [
  ['gpu__time_duration.sum', 'us', '300', '320'],
  ['dram__bytes_read.sum', 'Mbyte', '200', '220'],
  ['dram__bytes_write.sum', 'byte', '150,000,000', '150,000,000'],
  ['smsp__inst_executed.sum', 'inst', '112,500,000', '112,500,000'],
  ['gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed', '%', '30', '30'],
  ['sm__issue_active.avg.pct_of_peak_sustained_elapsed', '%', '40', '40'],
  ['l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed', '%', '41', '43'],
  ['sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_elapsed', '%', '20', '20'],
  ['sm__cycles_active.avg', 'cycle', '80', '90'],
  ['sm__cycles_elapsed.max', 'cycle', '100', '100'],
  ['smsp__warps_active.avg.per_cycle_active', 'warp', '5', '5'],
  ['smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio', 'inst', '3', '3'],
  ['smsp__average_warps_issue_stalled_wait_per_issue_active.ratio', 'inst', '1', '1'],
];

const csvOf = (metrics: typeof counted): string =>
  [
    ['ID', ...metrics.map(([name]) => name)],
    ['', ...metrics.map(([, unit]) => unit)],
    ['0', ...metrics.map(([, , first]) => first)],
    ['1', ...metrics.map(([, , , second]) => second)],
  ]
    .map((row) => row.map((field) => `"${field}"`).join(','))
    .join('\n');

test('a step is the mean of its launches, in plain units', () => {
  const kept = denseStepOf(csvOf(counted), 'NVIDIA H100', 'abc1234');
  expect(kept).toMatchObject({
    launches: 2,
    dram_read_bytes: 210e6,
    dram_written_bytes: 150e6,
    busy: 0.85,
    shared: 0.42,
  });
  expect(kept.time_s).toBeCloseTo(310e-6, 12);
  expect(kept.stalls).toEqual([
    { reason: 'barrier', share: 0.75 },
    { reason: 'wait', share: 0.25 },
  ]);
});

test('what is missing is named', () => {
  expect(() => denseStepOf(csvOf(counted.slice(1)), 'NVIDIA H100', 'abc1234')).toThrow('gpu__time_duration.sum');
});

test('the table says how long each unit would take alone', () => {
  const told = denseStepTable(denseStepOf(csvOf(counted), 'NVIDIA H100', 'abc1234'));
  expect(told).toContain('| Issue slots | 100 instructions a cell | 40 % | 124 µs |');
  // 288 MB of the 360 that were moved.
  expect(told).toContain('| DRAM, each cell once | 288 MB | 24 % | 74.4 µs |');
  expect(told).toContain('barrier 75 %, wait 25 %');
});

test('designs that were tried stand below it, each with its time', () => {
  const kept = denseStepOf(csvOf(counted), 'NVIDIA H100', 'abc1234');
  expect(denseStepTable(kept)).not.toContain('Design');
  const told = denseStepTable({ ...kept, tried: [{ what: 'as shipped', time_s: 292e-6 }] });
  expect(told).toContain('| as shipped | 292 µs |');
});
