/** `bench --factorial`: the variants with each combination of optimisations, and the table of their combined effect. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseArguments } from '../../../electron/cli/arguments.ts';
import { BenchProgressView, parseLimits, variantsThatFit } from '../../../electron/cli/benching.ts';
import { Terminal } from '../../../electron/cli/terminal.ts';
import { exitCodes } from '../../../electron/cli/verb.ts';
import { bench } from '../../../electron/cli/verbs/bench.ts';
import type { BenchProgress } from '../../../electron/host/model/bench/stopping.ts';
import { braggbenchInProcess, comparedRows, environmentWith } from './command.ts';

describe('options of braggbench bench', () => {
  const requested = (...words: readonly string[]) => parseLimits(parseArguments(['scenario', ...words], bench.flags));

  test('set when a session ends and within which margin times count as the same', () => {
    expect(requested()).toEqual({
      mostRounds: 100_000,
      mostSeconds: 60,
      mostInstances: Number.POSITIVE_INFINITY,
      precision: null,
      margin: 0.01,
      warmUp: 0,
    });
    expect(requested('--precision', '0.5%', '--margin', '2 %', '--instances', '12', '--rounds', '9')).toMatchObject({
      mostRounds: 9,
      mostInstances: 12,
      precision: 0.005,
      margin: 0.02,
    });
  });

  test.each(['0.5', '0%', '51%', 'a%', '-1%'])('a precision of %s is rejected with the allowed values', (text) => {
    expect(() => requested(`--precision=${text}`)).toThrow(
      /--precision: ".*" is not a percentage from 0.01% to 50%, such as 0.5%/,
    );
  });

  test.each([
    ['90', 90],
    ['90s', 90],
    ['5m', 300],
    ['1.5 min', 90],
    ['1h', 3600],
  ])('a time of %s is parsed as %s seconds', (text, seconds) => {
    expect(requested(`--time=${text}`).mostSeconds).toBe(seconds);
  });

  test.each(['5x', '-1', '', '2d', '25h', '1e3'])('a time of %j is rejected with the allowed values', (text) => {
    expect(() => requested(`--time=${text}`)).toThrow(
      /--time: ".*" is not allowed; allowed: 0 to 86400 seconds, such as 90, 90s, 5m or 1h/,
    );
  });

  const expected = (variant: string, run_s: number | null, able = true) => ({
    variant,
    run_s,
    like: null,
    right: true,
    able,
  });

  test('variants that need too long are left out, and variants without a known time are measured', () => {
    const times = [expected('a', 1), expected('b', 900), expected('c', null), expected('d', null, false)];
    expect(variantsThatFit(times, 60)).toEqual({
      variants: ['a', 'c', 'd'],
      said: [
        'Omitted, because they do not fit into the session time of 60.0 s: b (about 15 min 00 s a run). Include them with --time or --variants.',
      ],
    });
    expect(variantsThatFit([expected('b', 900)], 60)).toEqual({
      variants: ['b'],
      said: ['Only b fits into the time, so there is nothing to compare it with: use --time 600 or a coarser grid.'],
    });
    expect(variantsThatFit([expected('c', null)], 60)).toBeNull();
  });

  // On a terminal, the table of a benchmark is redrawn in place. In a pipe, plain lines are printed instead.

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const progress: BenchProgress = {
    ...{ phase: 'rounds', variant: 'depth', round: 3, mostRounds: 100_000, elapsed_s: 12, left_s: 48 },
    latest: [
      { label: 'window', time_s: 1.25, ratio: null },
      { label: 'depth', time_s: 0.25, ratio: { value: 0.2, interval: { low: 0.16, high: 0.25 } } },
    ],
  };

  function createProgressView(isTTY: boolean) {
    const written: string[] = [];
    const nowhere = { write: () => undefined };
    const terminal = new Terminal(nowhere, { isTTY, columns: 80, write: (text: string) => written.push(text) }, {});
    return { written, view: new BenchProgressView(terminal, 60) };
  }

  test('a terminal shows one row per variant, which is redrawn and cleared at the end', () => {
    const { written, view } = createProgressView(true);
    view.update(progress);
    expect(written).toEqual([
      [
        'Variant  Time so far     Relative speed',
        'window        1.25 s                  1',
        'depth         250 ms  5.00× (4.00–6.25)',
        'round 4: depth, 12.0 s of at most 60.0 s',
      ].join('\n'),
    ]);
    vi.advanceTimersByTime(300);
    expect(written[1]).toBe('\r\u001B[3A\u001B[J');
    view.close();
    expect(written.at(-1)).toBe('\r\u001B[3A\u001B[J');
  });

  test('a pipe receives a line every five seconds, also during one long run', () => {
    const { written, view } = createProgressView(false);
    view.update(progress);
    vi.advanceTimersByTime(4900);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(6000);
    expect(written).toEqual([
      'round 4: depth, 17.0 s of at most 60.0 s; window 1.25 s; depth 250 ms (5.00× (4.00–6.25))\n',
      'round 4: depth, 22.0 s of at most 60.0 s; window 1.25 s; depth 250 ms (5.00× (4.00–6.25))\n',
    ]);
    view.close();
    vi.advanceTimersByTime(60_000);
    expect(written).toHaveLength(2);
  });
});

describe('a benchmark', () => {
  let folder: string;
  let environment: NodeJS.ProcessEnv;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'bb-cli-factorial-'));
    environment = environmentWith(path.join(folder, 'home'));
    const scenario = {
      ...{ kind: 'transport', version: 2, name: 'Small', beam: { energy_MeV: 30 } },
      geometry: { width_mm: 10, depth_mm: 10 },
      grid: { dx_mm: 1, dz_mm: 1, dtheta_mrad: 80, energy: { kind: 'uniform', step_MeV: 1 } },
      solver: { threads: 1, stepping: 'path' },
      physics: { nuclear: 'off' },
    };
    await writeFile(path.join(folder, 'small.json'), JSON.stringify(scenario));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const call = (...words: string[]) => braggbenchInProcess(words, { cwd: folder, environment });

  test('measures each combination of a factorial study that runs on this machine, and prints single and joint effects', async () => {
    const all = await call('bench', 'small.json', '--factorial', '--rounds', '1', '--processes', '0');
    expect(all.stderr).not.toMatch(/error/i);
    expect(all.code).toBe(0);
    expect(all.stdout).toMatch(/^none of them +gather@fp64 +[\d.]+ [µm]?s +1$/m);
    expect(all.stdout).toMatch(/^single precision \+ one pass \+ moving window +window@fp32 /m);
    expect(all.stdout).toContain(
      'Not measured: moving window; single precision + moving window: the window is written for the one pass.',
    );
    expect(all.stdout).toMatch(/^single precision, alone +[\d.]+× +undecided$/m);
    expect(all.stdout).toMatch(/^single precision × one pass +[\d.]+× +undecided$/m);
  });

  test('compares the suitable variants of the example in the README, all with correct answers', async () => {
    // The README does not list these two variants, which newcomer.long.test.ts measures.
    const { code, stdout } = await call('bench', 'water-70MeV', '--rounds', '1', '--processes', '0');
    expect(code).toBe(0);
    const rows = comparedRows(stdout);
    // On a busy machine fewer variants fit into the session.
    expect(rows.map(({ variant }) => variant)).toContain('moments');
    expect(rows.length).toBeGreaterThanOrEqual(2);
    expect(rows.filter(({ verdict }) => !/^(?:reference|faster|slower|same|undecided)/.test(verdict))).toEqual([]);
    expect(stdout.replace(/\s+/g, ' ')).toContain('too few rounds');
  });

  test('rejects a factorial study together with --variants, and for workloads without such variants', async () => {
    const both = await call('bench', 'small.json', '--factorial', '--variants', 'gather');
    expect(both.code).toBe(exitCodes.badInput);
    expect(both.stderr).toContain('--factorial selects the variants itself; leave out --variants');
    const none = await call('bench', 'transpose', '--factorial');
    expect(none.code).toBe(exitCodes.badInput);
    expect(none.stderr).toMatch(/no variants of micro\/transpose differ by single optimisations; allowed: transport, /);
  });
});
