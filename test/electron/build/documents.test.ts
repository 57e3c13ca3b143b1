/**
 * ncu's counters of a dense step are saved by name, and the handbook's table is generated from them. The saved rates of
 * verdicts cover the current models and limits, and appear in tables. Reports of compute-sanitizer are saved without
 * local paths, and the handbook's table is generated from them.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDenseStep } from '../../../electron/build/bench/dense-step.ts';
import {
  readSanitizerRecord,
  SANITIZED_SCENARIO,
  SANITIZED_VARIANTS,
  sanitizerRun,
  saveSanitizerRecord,
} from '../../../electron/build/bench/sanitized.ts';
import {
  detectionRateTable,
  gateRates,
  measuredErrorRates,
  type RecordedGate,
  recordedRatesSchema,
  simulatedErrorRates,
} from '../../../electron/build/figures/rates.ts';
import { denseStepTable, sanitizedTable } from '../../../electron/build/figures/recorded.ts';
import { root } from '../../../electron/build/figures/sessions.ts';
import type { SanitizerReport } from '../../../electron/contract/user-kernels/checks.ts';
import { loadAddon } from '../../../electron/host/io/addon/addon.ts';
import { lanesOf, onLane, runMissingSessions } from '../../bench/aa/session.ts';
import { missedTargets, noiseModels } from '../../bench/verdicts/simulate.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { onLinux } from '../../unless.ts';

describe('the table of the dense step', () => {
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

  test('gives a step as the mean of its launches, in plain units', () => {
    const recorded = parseDenseStep(csvOf(counted), 'NVIDIA H100', 'abc1234');
    expect(recorded).toMatchObject({
      launches: 2,
      dram_read_bytes: 210e6,
      dram_written_bytes: 150e6,
      busy: 0.85,
      shared: 0.42,
    });
    expect(recorded.time_s).toBeCloseTo(310e-6, 12);
    expect(recorded.stalls).toEqual([
      { reason: 'barrier', share: 0.75 },
      { reason: 'wait', share: 0.25 },
    ]);
  });

  test('names missing recordings', () => {
    expect(() => parseDenseStep(csvOf(counted.slice(1)), 'NVIDIA H100', 'abc1234')).toThrow('gpu__time_duration.sum');
  });

  test('shows the time each hardware unit would need alone', () => {
    const printedTable = denseStepTable(parseDenseStep(csvOf(counted), 'NVIDIA H100', 'abc1234'));
    expect(printedTable).toContain('| Issue slots | 100 instructions per cell | 40 % | 124 µs |');
    // The counters report 360 MB; reading and writing each cell once needs 288 MB.
    expect(printedTable).toContain('| DRAM, each cell once | 288 MB | 24 % | 74.4 µs |');
    expect(printedTable).toContain('barrier 75 %, wait 25 %');
  });

  test('lists rejected designs below the table, each with its time', () => {
    const recorded = parseDenseStep(csvOf(counted), 'NVIDIA H100', 'abc1234');
    expect(denseStepTable(recorded)).not.toContain('Design');
    const printedTable = denseStepTable({ ...recorded, tried: [{ what: 'as shipped', time_s: 292e-6 }] });
    expect(printedTable).toContain('| as shipped | 292 µs |');
  });
});

describe("the gate's rates", () => {
  const gate = (verdict: string): RecordedGate => ({ code: 0, verdict, reason: null, floor: 0.01, ratios: [] });

  test('count the verdicts on unchanged and on slower code', () => {
    expect(gateRates(null)).toMatch(/^Not recorded yet\./);
    const recorded = {
      ...{ measured: '2026-11-28T22:00:00.000Z', machine: 'A processor' },
      ...{ cores: 2, load: 3.5, seconds: 60, n: 1, took_s: 9 },
      series: [
        { slower: 0, gates: [gate('not slower'), gate('undecided')] },
        { slower: 0.05, gates: [gate('slower'), gate('slower'), gate('undecided')] },
      ],
    };
    const text = gateRates(recorded);
    const rows = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
    expect(rows[2]).toEqual(['', 'unchanged', '2', '0', '1', '1', '']);
    expect(rows[3]).toEqual(['', '5.00 % slower', '3', '2', '1', '0', '']);
    expect(text).toContain(
      'A processor, 2 cores, with 3.50 running processes on average. A gate takes at most 60.0 s.',
    );
    expect(gateRates({ ...recorded, lanes: ['1', '4,5'] })).toContain(
      'A processor, pinned to core 1 or cores 4,5, with',
    );
  });
});

describe('error rates of verdicts', () => {
  describe('simulated rates', () => {
    const recorded = recordedRatesSchema.parse(
      JSON.parse(readFileSync(path.join(root, 'assets/rates/simulated.json'), 'utf8')),
    );

    test('cover every noise model, every stopping rule, and ten candidates', () => {
      const [, ten] = noiseModels;
      const rows = ['decided', 'precise'].flatMap((rule) => [
        ...noiseModels.map(({ name, precision }) => [rule, name, precision, 1]),
        [rule, ten?.name, ten?.precision, 10],
      ]);
      const found = recorded.rows.map(({ rule, model, precision, candidates }) => [rule, model, precision, candidates]);
      expect(found).toEqual(rows);
      expect(recorded.trials).toBeGreaterThanOrEqual(2000);
    });

    test('are within their targets', () => {
      expect(recorded.rows.flatMap((row) => missedTargets(row, recorded.trials, 2))).toEqual([]);
    });

    test('each have a row in the table', () => {
      expect(simulatedErrorRates().split('\n')).toHaveLength(recorded.rows.length + 2);
    });
  });

  test('measured rates count every verdict except same and undecided as false; without a recording the table explains how to measure them', () => {
    const session = { verdict: 'same', whole: 'slower', ratio: 1, interval: null, floor: 0.01, otherLoad_cores: 0.2 };
    const recorded = {
      ...{ measured: '2026-01-01T00:00:00Z', machine: 'CPU', cores: 2, variant: 'gather', allowed: 2, took_s: 60 },
      halves: [
        {
          name: 'as it is',
          sessions: ['same', 'undecided', 'faster', 'wrong'].map((verdict) => ({ ...session, verdict, rounds: 15 })),
        },
      ],
    };
    expect(measuredErrorRates(recorded).split('\n').at(-1)).toBe('| CPU, as it is | 4 | 0.2 | 2 | 2 | 1 | 1 | 15.0 |');
    expect(measuredErrorRates(null)).toContain('npm run bench -- aa --keep');
  });

  test('the power table counts each verdict for each amount of extra work, or explains how to measure it', () => {
    const session = { whole: 'slower', ratio: 1.03, interval: null, floor: 0.01, rounds: 20, otherLoad_cores: 0.2 };
    const sessions = ['slower', 'slower', 'undecided'].map((verdict) => ({ ...session, verdict }));
    const recorded = {
      ...{ measured: '2026-11-29T23:20:00Z', machine: 'CPU', cores: 2, lanes: ['1'], seconds: 30, n: 1000 },
      ...{ commits: ['abc'], took_s: 60 },
      series: [
        { slower: 0, busy_cores: 0, sessions: [] },
        { slower: 0.03, busy_cores: 1, sessions },
      ],
    };
    const lines = detectionRateTable(recorded).split('\n');
    expect(lines[2]).toBe('| 3.00 % | 1 | 0.2 | 3 | 2 | 0 | 0 | 1 | 20.0 |');
    expect(lines.at(-1)).toContain(
      'sum of 1000 squares. Machine: CPU, pinned to core 1. At most 30.0 s per session. Measured on 2026-11-29',
    );
    expect(detectionRateTable(null)).toContain('npm run bench -- power --keep');
  });

  test('sessions are recorded once each, in concurrent lanes, and a resumed recording continues after the existing ones', async () => {
    const lanes = [
      { index: 0, cores: '0' },
      { index: 1, cores: '1' },
    ];
    interface SavedSession {
      readonly of: string;
      readonly number?: number;
    }
    // The first series was interrupted while sessions 1 and 3 were running. The second was saved by an earlier version,
    // without session numbers.
    const [first, second]: [SavedSession[], SavedSession[]] = [
      [0, 2, 4].map((number) => ({ of: `a${number}`, number })),
      [{ of: 'b0' }, { of: 'b1' }],
    ];
    const order: string[] = [];
    let saved = 0;
    const running = new Set<number>();
    let most = 0;
    const seriesOf = (name: string, all: SavedSession[]) => ({
      sessions: all,
      take: async (i: number, { index }: { readonly index: number }): Promise<SavedSession> => {
        // A lane runs one session at a time.
        expect(running.has(index)).toBe(false);
        running.add(index);
        most = Math.max(most, running.size);
        order.push(`${name}${i}`);
        await Promise.resolve();
        running.delete(index);
        return { of: `${name}${i}` };
      },
    });
    await runMissingSessions([seriesOf('a', first), seriesOf('b', second)], 6, {
      lanes,
      save: () => {
        saved += 1;
      },
    });
    expect([most, saved]).toEqual([2, 7]);
    // The series alternate, so that they have about equally many sessions after an interruption.
    expect(order).toEqual(['a1', 'b2', 'a3', 'b3', 'b4', 'a5', 'b5']);
    for (const [name, all] of [
      ['a', first],
      ['b', second],
    ] as const)
      expect(all.map(({ of }) => of).toSorted()).toEqual([0, 1, 2, 3, 4, 5].map((i) => `${name}${i}`));
    expect(first.map(({ number }) => number).toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('lanes use disjoint cores of this machine', () => {
    expect(lanesOf([])).toEqual([{ index: 0, cores: null }]);
    expect(() => lanesOf(['0', '0'])).toThrow('core 0 is given twice');
    expect(() => lanesOf(['one'])).toThrow('numbers separated by commas');
    expect(() => lanesOf(['999999'])).toThrow('--cores 999999');
  });

  test('a command of a lane runs only on the cores of that lane', onLinux, () => {
    const [command, words] = onLane({ index: 0, cores: '0' }, process.execPath, [
      '-p',
      'require("node:os").availableParallelism()',
    ]);
    expect(execFileSync(command, words, { encoding: 'utf8' }).trim()).toBe('1');
  });
});

describe('recordings of compute-sanitizer', () => {
  const found = {
    what: 'Invalid __global__ write of size 4 bytes',
    kernel: 'micro_bounds_unchecked',
    file: path.resolve('/build/kernels/micro/memory/bounds.cu'),
    line: 19,
    more: 'by thread (67,0,0) in block (7812,0,0)',
    times: 61,
  };
  const of = (errors: number | null, findings: SanitizerReport['findings']): SanitizerReport => ({
    ...{ tool: 'memcheck', errors, findings, issues: [], seconds: 3, command: 'compute-sanitizer …' },
  });

  test('the sanitized variants are those that can run the scenario', () => {
    const ids = loadAddon()
      .taskVariants()
      .filter(({ bench }) => bench === SANITIZED_SCENARIO)
      .map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([...SANITIZED_VARIANTS]));
  });

  test('runs are saved with the GPU and the date, and can be read again', async () => {
    const root = scratchFolder('sanitized');
    expect(readSanitizerRecord(root)).toBeNull();
    const runs = [sanitizerRun('cuda-checked', of(0, [])), sanitizerRun('cuda-unchecked', of(61, [found]))];
    await saveSanitizerRecord(root, 'NVIDIA H100', runs);
    const recorded = readSanitizerRecord(root);
    expect(recorded).toMatchObject({ gpu: 'NVIDIA H100', scenario: 'bounds', runs: [{ errors: 0 }, { errors: 61 }] });
    expect(recorded?.runs[1]?.findings[0]?.file).toBe('bounds.cu');
    const printedTable = sanitizedTable(recorded);
    expect(printedTable).toContain('| `cuda-checked` | memcheck | 0 | nothing |');
    expect(printedTable).toContain(
      '| `cuda-unchecked` | memcheck | 61 | Invalid __global__ write of size 4 bytes, bounds.cu:19 |',
    );
    expect(printedTable).toContain('NVIDIA H100');
    expect(printedTable).toContain('Details of the first error: by thread (67,0,0) in block (7812,0,0).');
  });

  test('an incomplete run is not counted; without a file the table explains how to record one', () => {
    expect(() => sanitizerRun('cuda-unchecked', of(null, []))).toThrow('did not finish with cuda-unchecked');
    expect(sanitizedTable(null)).toContain('`npm run bench -- sanitized --keep`');
  });
});
