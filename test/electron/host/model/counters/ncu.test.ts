/** Nsight Compute's CSV, both pages, and its counters in a session. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseSession, withoutRecordings } from '../../../../../electron/host/app/sessions/index.ts';
import { counterQuantities, readNcuCsv } from '../../../../../electron/host/model/counters/ncu.ts';
import { addCounters, ncuFailureReason } from '../../../../../electron/host/model/counters/run-ncu.ts';

const stall = (reason: string): string => `smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio`;

const wideTable = [
  '==PROF== Connected to process 1',
  `"ID","Process ID","Kernel Name","dram__bytes_read.sum","dram__bytes_write.sum","lts__t_bytes.sum","smsp__inst_executed.sum","gpu__time_duration.sum","${stall('long_scoreboard')}","${stall('wait')}","${stall('selected')}"`,
  '"","","","Mbyte","Kbyte","byte","inst","us","inst","inst","inst"',
  '"0","1","fused(float*, int)","1.5","500","4,000,000","3,000","20.5","3","1","1"',
  '"1","1","fused(float*, int)","2","0","1,000,000","1,000","10","1","3","1"',
].join('\r\n');

test('launches are summed in bytes and seconds, whatever their unit prefixes', () => {
  const found = readNcuCsv(wideTable, 'a.csv');
  expect(found).toMatchObject({ launches: 2, dram_bytes: 4e6, l2_bytes: 5e6, instructions: 4000 });
  expect(found.time_s).toBeCloseTo(30.5e-6, 12);
  // Shares are weighted by instructions: 3 × 3000 + 1 × 1000 of 16,000. The selected warp did not stall.
  expect(found.stalls.map(({ reason }) => reason)).toEqual(['long scoreboard', 'wait']);
  expect(found.stalls[0]?.share).toBeCloseTo(10 / 16, 12);
});

test('occupancy is weighted by time, and hit rates by the lookups of all launches', () => {
  const metrics = [
    ...['sm__warps_active.avg.pct_of_peak_sustained_active', 'gpu__time_duration.sum'],
    ...['l1tex', 'lts'].flatMap((cache) => ['hit', 'miss'].map((way) => `${cache}__t_sectors_lookup_${way}.sum`)),
  ];
  const csv = (...launches: readonly (readonly string[])[]) =>
    [
      `"ID","Kernel Name",${metrics.map((name) => `"${name}"`).join(',')}`,
      `"","","%","us",${'"sector",'.repeat(4).slice(0, -1)}`,
      ...launches.map((values, i) => `"${i}","k",${values.map((value) => `"${value}"`).join(',')}`),
    ].join('\n');
  const two = [
    ['50', '30', '90', '10', '1', '3'],
    ['90', '10', '0', '300', '5', '7'],
  ];
  const found = readNcuCsv(csv(...two), 'a.csv');
  // Occupancy is weighted by time, (50 × 30 + 90 × 10) / 40 %; L1 hits are 90 of 400 sectors, L2 hits 6 of 16.
  expect(found.occupancy).toBeCloseTo(0.6, 12);
  expect(found.l1_hits).toBeCloseTo(0.225, 12);
  expect(found.l2_hits).toBeCloseTo(0.375, 12);
  const told = counterQuantities(found).map(({ id, value, unit }) => [id, Number(value?.toFixed(9)), unit]);
  expect(told).toEqual([
    ['ncu_launches', 2, ''],
    ['ncu_occupancy', 60, '%'],
    ['ncu_l1_hits', 22.5, '%'],
    ['ncu_l2_hits', 37.5, '%'],
  ]);
  // A launch without its time has no weight.
  const [first = [], second = []] = two;
  expect(readNcuCsv(csv(first, second.with(1, 'n/a')), 'a.csv').occupancy).toBeNull();
  expect(readNcuCsv(csv(first.with(1, 'n/a')), 'a.csv').occupancy).toBeCloseTo(0.5, 12);
});

test('a table with one row per metric gives the same result', () => {
  const head = '"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"';
  const rows = [
    '"0","k","","dram__bytes_read.sum","byte","1,024"',
    '"0","k","","dram__bytes_write.sum","Kbyte","2"',
    '"1","k","","dram__bytes_read.sum","byte","n/a"',
    '"1","k","","gpu__time_duration.sum","nsecond","5"',
    '"0","k","","lts__t_bytes.sum","byte","7"',
    '"1","k","","lts__t_bytes.sum","byte","9"',
  ];
  expect(readNcuCsv([head, ...rows].join('\n'), 'b.csv')).toMatchObject({
    // The second launch lacks the bytes read, and no launch has the bytes written.
    ...{ launches: 2, dram_bytes: null, l2_bytes: 16, instructions: null, stalls: [] },
  });
  const numbers = [...rows.slice(0, 2), '"1","k","","dram__bytes_read.sum","byte","500"', rows[3] ?? ''];
  const whole = [
    ...numbers,
    '"1","k","","dram__bytes_write.sum","byte","0"',
    '"0","k","","gpu__time_duration.sum","us","1"',
  ];
  const found = readNcuCsv([head, ...whole, whole[0] ?? ''].join('\n'), 'b.csv');
  // A metric that two sections repeat is counted once.
  expect(found.dram_bytes).toBe(3524);
  expect(found.time_s).toBeCloseTo(1.005e-6, 15);
});

/** Files modelled on public bug reports. Their sources are in cases/README.md. */
const ofCase = (name: string) => readNcuCsv(readFileSync(path.join(import.meta.dirname, 'cases', name), 'utf8'), name);

test.each(['u00-good.csv', 'u01-german.csv'])('%s has the same counters in any locale', (name) => {
  const { dram_bytes, l2_bytes, instructions } = ofCase(name);
  expect([dram_bytes, l2_bytes]).toEqual([expect.closeTo(16.77e6, 0), expect.closeTo(33.55e6, 0)]);
  expect(instructions).toBe(1_234_567);
});

test('a launch with a missing number makes the sum unknown', () => {
  expect(() => ofCase('u04-one-missing.csv')).toThrow(
    'u04-one-missing.csv: dram__bytes_write.sum has a number in 1 of 2 launches; allowed: in all',
  );
});

test.each([
  ["1'234'567.5", '1.5', 1_234_567.5],
  ['1\u202f234\u202f567,5', '1,5', 1_234_567.5],
  ['1.234.567,5', '2', 1_234_567.5],
  ['1.234.567', '0,5', 1_234_567],
  ['1,234,567', '2', 1_234_567],
])('%s next to %s is parsed as %d', (text, other, value) => {
  const row = (metric: string, number: string) => `"0","k","${metric}","byte","${number}"`;
  const lines = ['"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"', row('lts__t_bytes.sum', text)];
  expect(readNcuCsv([...lines, row('dram__bytes.sum', other)].join('\n'), 'a.csv').l2_bytes).toBe(value);
});

test('numbers of two locales in one file are rejected', () => {
  const lines = [
    '"ID","Metric Name","Metric Unit","Metric Value"',
    '"0","lts__t_bytes.sum","byte","1.5"',
    '"0","dram__bytes.sum","byte","1,5"',
  ];
  expect(() => readNcuCsv(lines.join('\n'), 'a.csv')).toThrow(
    'a.csv: its numbers have both decimal points and commas (1.5 and 1,5)',
  );
});

test('launches with the same number in two processes count as two', () => {
  const head = '"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"';
  const rows = ['7', '8'].map((process) => `"0","${process}","k","lts__t_bytes.sum","byte","10"`);
  expect(readNcuCsv([head, ...rows].join('\n'), 'a.csv')).toMatchObject({ launches: 2, l2_bytes: 20 });
});

const countersOfRows = (rows: readonly (readonly [string, string, string])[]) =>
  readNcuCsv(
    [
      '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"',
      ...rows.map((row) => `"0","k",${row.map((cell) => `"${cell}"`).join(',')}`),
    ].join('\n'),
    'd.csv',
  );

test('overlapping metrics count once, partial memory traffic is not taken for the total, and binary prefixes are binary', () => {
  const full = countersOfRows([
    ['sm__inst_executed.sum', 'inst', '3,000'],
    ['smsp__inst_executed.sum', 'inst', '3,000'],
    ['dram__bytes_read.sum', 'Mbyte', '2'],
    ['lts__t_bytes.sum', 'Kibyte', '2'],
  ]);
  expect(full).toMatchObject({ instructions: 3000, dram_bytes: null, l2_bytes: 2048 });
  const whole = countersOfRows([
    ['dram__bytes_read.sum', 'Mbyte', '2'],
    ['dram__bytes.sum', 'Mbyte', '5'],
  ]);
  expect(whole.dram_bytes).toBe(5e6);
});

test('byte and instruction counts are integers, so that their separators are thousands separators', () => {
  expect(countersOfRows([['smsp__inst_executed.sum', 'inst', '1.234']]).instructions).toBe(1234);
  expect(countersOfRows([['smsp__inst_executed.sum', 'inst', '1,234']]).instructions).toBe(1234);
  // With a unit prefix, digits after the point are decimals.
  expect(countersOfRows([['lts__t_bytes.sum', 'Kbyte', '1.234']]).l2_bytes).toBe(1234);
});

test('a unit that a metric cannot have is rejected, and microseconds may use either letter mu', () => {
  for (const unit of ['us', 'µs', 'μs', 'usecond']) {
    const time = countersOfRows([
      ['smsp__inst_executed.sum', 'inst', '5'],
      ['gpu__time_duration.sum', unit, '12.50'],
    ]).time_s;
    expect(time, unit).toBeCloseTo(12.5e-6, 12);
  }
  expect(() => countersOfRows([['gpu__time_duration.sum', 'minute', '1']])).toThrow(
    'd.csv: gpu__time_duration.sum is in "minute"; allowed: ns, us, ms, s',
  );
  expect(() => countersOfRows([['lts__t_bytes.sum', 'sector', '12']])).toThrow(
    /is in "sector"; allowed: byte, with a prefix/,
  );
});

test('a foreign file gives one error with its name and what is allowed', () => {
  expect(() => readNcuCsv('a,b\n1,2\n', 'c.csv')).toThrow(/^c\.csv: .*allowed: .*ncu --csv --metrics dram__bytes_read/);
});

test('a missing permission and a missing program are each reported in one sentence with a remedy', () => {
  expect(ncuFailureReason('ENOENT', '')).toContain('not on PATH');
  expect(ncuFailureReason(1, '==ERROR== ERR_NVGPUCTRPERM - The user does not')).toContain(
    'NVreg_RestrictProfilingToAdminUsers=0',
  );
  expect(ncuFailureReason(9, '==ERROR== No kernels were profiled.')).toBe('No kernels were profiled.');
});

test('counters are added to the row of their variant once, and an unknown label is rejected', () => {
  const file = path.resolve(import.meta.dirname, '../../../../../assets/runs/h200-water-70MeV.json');
  const session = withoutRecordings(parseSession(readFileSync(file, 'utf8'), file));
  const counters = readNcuCsv(wideTable, 'a.csv');
  const once = addCounters(session, 'cuda-window', counters, 'a.csv');
  const twice = addCounters(once, 'cuda-window', counters, 'b.csv');
  const report = twice.reports[0];
  const own = report?.entries.find(({ label }) => label === 'cuda-window');
  if (own?.status !== 'measured') throw new Error('cuda-window was measured');
  expect(own.quantities.filter(({ id }) => id.startsWith('ncu_'))).toEqual(counterQuantities(counters));
  expect(report?.facts.filter(([name]) => name === 'Counters')).toEqual([
    ['Counters', 'cuda-window: b.csv, all kernels of one run'],
  ]);
  expect(() => addCounters(session, 'gather', counters, 'a.csv')).toThrow(/allowed: cuda-window, cuda-depth/);
});
