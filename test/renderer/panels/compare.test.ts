import { describe, expect, test } from 'vitest';
import type { ComparedRow } from '../../../electron/contract/bench/comparison.ts';
import type { Variant } from '../../../electron/contract/capabilities.ts';
import { condenseRows, sourceDiff } from '../../../electron/domain/code-diff.ts';
import { publishedLimitsOf } from '../../../electron/domain/launch/occupancy.ts';
import { nextSort, sessionColumns, sortRows as sortedBy, verdictText } from '../../../electron/domain/session-table.ts';
import { tokenizeLines, tokensOf } from '../../../renderer/base/code-tokens.ts';
import {
  benchmarkLabels,
  benchmarkTitle,
  parseClockLock,
  parseSweep,
  requestedPrograms,
} from '../../../renderer/panels/compare/benchmark-request.ts';
import { occupancyText } from '../../../renderer/panels/compare/kernels-view.tsx';
import { selectedVariants, withFactorial } from '../../../renderer/panels/compare/store.ts';
import {
  createComparisonStore,
  referenceBench,
  referenceIndex,
  shownRows,
} from '../../../renderer/state/comparison.ts';

test('a kernel has an occupancy if its number of threads is allowed, and otherwise a reason', () => {
  const none = { constant_bytes: 0, stack_bytes: 0, spill_store_bytes: 0, spill_load_bytes: 0, barriers: 1 };
  const kernel = { name: 'k', architecture: 'sm_90', registers: 128, shared_bytes: 4176, max_threads: 256, ...none };
  const h200 = publishedLimitsOf('sm_90');
  // With 128 registers per thread, two blocks of 8 warps fit: 16 of at most 64 warps.
  expect(occupancyText(kernel, h200, 256)).toEqual({ share: '25.0 %', limitedBy: 'registers' });
  expect(occupancyText(kernel, h200, 512)).toEqual({ share: '–', limitedBy: 'launched with at most 256 threads' });
  expect(occupancyText(kernel, null, 128)).toEqual({ share: '–', limitedBy: '–' });
});

describe('the benchmark request', () => {
  const variant = (id: string, device: 'cpu' | 'cuda', precisions: ('fp32' | 'fp64')[], available = true): Variant =>
    ({ id, device, precisions, available }) as unknown as Variant;
  const known = [
    variant('gather', 'cpu', ['fp32', 'fp64']),
    variant('cuda-tiled', 'cuda', ['fp32']),
    variant('cuda-fused', 'cuda', ['fp32', 'fp64']),
    variant('cuda-missing', 'cuda', ['fp32'], false),
  ];

  test('contains every selected variant in every selected precision on every selected GPU', () => {
    const ticked = { variants: ['cuda-fused', 'gather', 'cuda-tiled'], precisions: [], gpus: [] };
    expect(benchmarkLabels(ticked, known)).toEqual(['cuda-fused', 'gather', 'cuda-tiled']);
    expect(benchmarkLabels({ ...ticked, precisions: ['fp64'] }, known)).toEqual(['cuda-fused@fp64', 'gather@fp64']);
    expect(
      benchmarkLabels({ variants: ['cuda-tiled', 'gather'], precisions: ['fp32', 'fp64'], gpus: [0, 1] }, known),
    ).toEqual(['cuda-tiled@fp32:0', 'cuda-tiled@fp32:1', 'gather@fp32', 'gather@fp64']);
  });

  test('reports that the selection is loading, and requests a selection only if none arrives', () => {
    expect(benchmarkTitle([], false)).toBe('Estimating run times; then the variants that fit are ticked');
    expect(benchmarkTitle([], true)).toBe('Tick the variants to benchmark');
    expect(benchmarkTitle(['gather', 'window'], false)).toBe('Benchmark gather, window on the scenario in the form');
  });

  test('may sweep a value of the scenario', () => {
    expect(parseSweep('')).toBeNull();
    expect(parseSweep(' grid.dx_mm = 1, 0.5,0.25')).toEqual({ path: 'grid.dx_mm', values: [1, 0.5, 0.25] });
    expect(parseSweep('geometry.regions[0].density=1')).toMatchObject({ values: [1] });
    expect(parseSweep('1,2')).toMatch(/names no parameter; allowed: .*grid\.dx_mm=1,0\.5,0\.25/);
    expect(parseSweep('grid.dx_mm=1,,2')).toMatch(/has no list of numbers/);
    expect(parseSweep('a=b=1')).toMatch(/names no parameter/);
  });

  test('may lock a clock', () => {
    expect([' ', '1500', ' 1980 MHz'].map(parseClockLock)).toEqual([null, 1500, 1980]);
    for (const text of ['0', '10001', '1.5 GHz', '-5'])
      expect(parseClockLock(text)).toMatch(/is not a clock rate; allowed: 1 to 10000/);
  });

  test('names a user program by its file, and omits an entry without a file', () => {
    const what = 'the program';
    const programs = [
      { id: 'numpy-array', file: null },
      { id: 'mine', file: { what, named: null } },
      { id: 'named', file: { what, named: '/opt/named' } },
    ];
    const external = ['named', 'mine', 'numpy-array', 'gone'];
    expect(requestedPrograms({ external, files: {} }, programs)).toEqual(['named', 'numpy-array']);
    expect(requestedPrograms({ external, files: { mine: ' /home/me/mine ', named: '' } }, programs)).toEqual([
      ...['named', 'mine=/home/me/mine', 'numpy-array'],
    ]);
  });

  test('may be a factorial study: its variants, each in its required precisions', () => {
    const place = { workload: 'transport', bench: '' } as const;
    const labels = ['gather@fp64', 'gather@fp32', 'cuda-fused@fp64', 'cuda-fused@fp32'];
    const before = { variants: ['cuda-tiled', 'other'], touched: [], time_s: 60 };
    const after = withFactorial(before, place, known, { id: 'f', title: 'F', labels });
    expect(after.precisions).toEqual(['fp32', 'fp64']);
    // Variants of other benchmarks stay ticked.
    expect(after.variants).toEqual(['other', 'gather', 'cuda-fused']);
    const ticked = selectedVariants({ ...before, ...after }, place, known, new Map());
    const requested = benchmarkLabels({ variants: ticked, precisions: after.precisions, gpus: [] }, known);
    expect([...requested].sort()).toEqual([...labels].sort());
    // A design whose labels name no precision uses that of the scenario.
    expect(withFactorial(before, place, known, { id: 'f', title: 'F', labels: ['gather'] }).precisions).toEqual([]);
  });

  test('excludes removed variants', () => {
    expect(benchmarkLabels({ variants: ['gone', 'cuda-missing'], precisions: [], gpus: [] }, known)).toEqual([]);
  });
});

/** Empty values of the fields that columns read. */
const bare = {
  subject: { kind: 'entry', bench: 'b', report: 0, label: '' },
  ...{ device: '', precision: '', verdict: 'faster', ratio: { value: 1, interval: null }, time_interval: null },
  ...{ wall_s: null, whole: null, process: null, setup_s: 0, first_setup_s: null, modes: [], size: null },
  ...{ accuracy: [], quantities: [], rung: null, cumulative: null, determinism: null, flagged: null, spread: null },
  ...{ roofline: null, samples: [], paired: true, group: 0 },
} as const;

describe('rows of Compare', () => {
  const row = (title: string, time_s: number, rel_l2: number | null = null): ComparedRow =>
    ({
      ...bare,
      ...{ title, time_s },
      accuracy:
        rel_l2 === null ? [] : [{ id: 'parity', title: 'Dose error', tip: '', unit: '', value: rel_l2, bound: null }],
    }) as unknown as ComparedRow;
  const rows = [row('b', 2, 1e-7), row('a', 1), row('c', 3, 1e-9)];
  const sorted = (list: typeof rows, sort: Parameters<typeof sortedBy>[1]) =>
    sortedBy(list, sort, sessionColumns(list, null));
  const titles = (list: readonly ComparedRow[]): string => list.map(({ title }) => title).join('');

  test('are sorted in both directions, and return to their original order', () => {
    const rising = nextSort('time', null);
    const falling = nextSort('time', rising);
    expect(titles(sorted(rows, rising))).toBe('abc');
    expect(titles(sorted(rows, falling))).toBe('cba');
    expect(nextSort('time', falling)).toBeNull();
    expect(titles(sorted(rows, null))).toBe('bac');
    expect(nextSort('parity', rising)).toEqual({ column: 'parity', descending: false });
  });

  test('come last in both directions if they have no value', () => {
    expect(titles(sorted(rows, { column: 'parity', descending: false }))).toBe('cba');
    expect(titles(sorted(rows, { column: 'parity', descending: true }))).toBe('bca');
  });

  test('are reported as wrong if they are fast and wrong', () => {
    const wrong = (value: number): ComparedRow => ({ verdict: 'wrong', ratio: { value } }) as unknown as ComparedRow;
    expect(verdictText(wrong(0.5))).toBe('wrong, though faster');
    expect(verdictText(wrong(2))).toBe('wrong');
  });
});

describe('the compared values of a row', () => {
  const row = (title: string, setup_s: number, time_s: number, more: object = {}): ComparedRow =>
    ({
      ...bare,
      ...{ title, setup_s, time_s, wall_s: setup_s + time_s },
      samples: [{ wall_s: setup_s + time_s }],
      ...more,
    }) as unknown as ComparedRow;
  const texts = (rows: readonly ComparedRow[], id: string): readonly string[] => {
    const column = sessionColumns(rows, null).find((one) => one.id === id);
    return rows.map((one) => column?.text(one) ?? 'no column');
  };

  test('include the interval of a reported metric, if the metric is not exact', () => {
    const told = { id: 'per_term', title: 'Per term', unit: 'ns' };
    const exact = { id: 'launches', title: 'Launches', unit: '' };
    const rows = [
      row('a', 1, 1, {
        quantities: [
          { ...told, value: 0.0137, interval: { low: 0.0135, high: 0.0138 } },
          { ...exact, value: 3, interval: { low: 3, high: 3 } },
        ],
      }),
      row('b', 1, 1, {
        quantities: [
          { ...told, value: 0.5, interval: null },
          { ...exact, value: 4 },
        ],
      }),
      row('c', 1, 1),
    ];
    expect(texts(rows, 'per_term')).toEqual(['0.01370 ns (0.01350–0.01380)', '0.5000 ns', '–']);
    expect(texts(rows, 'launches')).toEqual(['3', '4', '–']);
  });

  test('begin with its end-to-end run, the share of its steps, and the number of runs that pays off its set-up', () => {
    const rows = [
      row('window', 0.02, 0.00384, { verdict: 'reference', paired: false }),
      row('depth', 0.0784, 0.0016),
      row('gather', 0.03, 0.07),
      row('wrong', 0.001, 0.001, { verdict: 'wrong' }),
      row('elsewhere', 0.001, 0.001, { paired: false }),
    ];
    const ids = sessionColumns(rows, null).map(({ id }) => id);
    expect(ids.indexOf('whole')).toBeLessThan(ids.indexOf('time'));
    expect(texts(rows, 'share').slice(0, 2)).toEqual(['16.1 %', '2.00 %']);
    expect(texts(rows, 'pays')).toEqual(['one run', '27 runs', 'never', '–', '–']);
  });

  test('have no share if a session does not separate end-to-end runs from repetitions', () => {
    const rows = [row('a', 0.1, 1, { samples: [{}] })];
    expect(sessionColumns(rows, null).some(({ id }) => id === 'share' || id === 'pays')).toBe(false);
  });

  test('include its cold process with a verdict, or state that there is none', () => {
    const ratio = { value: 0.5, interval: { low: 0.4, high: 0.625 } };
    const cold = (time_s: number | null, verdict: string) => ({
      process: { reason: null, time_s, ratio: time_s === null ? null : ratio, verdict },
    });
    const rows = [row('a', 1, 1, cold(0.4, 'reference')), row('b', 1, 1, cold(0.2, 'faster')), row('c', 1, 1)];
    expect(texts(rows, 'process')).toEqual(['400 ms', '200 ms, 2.00× (1.60–2.50) faster', '–']);
    expect(texts([row('d', 1, 1, cold(null, 'undecided'))], 'process')).toEqual(['not possible']);
  });
});

describe('a comparison', () => {
  const entry = (label: string) => ({ kind: 'entry', bench: 'b', report: 0, label }) as const;

  test('names the session of its reference, shown by the ladder below', () => {
    const store = createComparisonStore();
    expect(referenceBench(store.getState())).toBeNull();
    store.add('transport', [{ kind: 'run', run: 'r' }, entry('a'), { ...entry('a'), bench: 'other' }]);
    expect(referenceBench(store.getState())).toBeNull();
    store.setReference('entry other 0 a');
    expect(referenceBench(store.getState())).toBe('other');
    store.present('micro', [entry('c')], 'entry b 0 c');
    expect(referenceBench(store.getState())).toBe('b');
  });

  test('adds a row once with its own colour, and moves and removes it', () => {
    const store = createComparisonStore();
    store.add('transport', [entry('a'), entry('b'), entry('a'), { kind: 'run', run: 'r' }]);
    const keys = (): string[] => store.getState().chosen.map(({ key }) => key);
    expect(keys()).toEqual(['entry b 0 a', 'entry b 0 b', 'run r']);
    expect(store.getState().chosen.map(({ ink }) => ink)).toEqual([0, 1, 2]);
    store.setReference('run r');
    expect(referenceIndex(store.getState())).toBe(2);
    store.move('run r', 0);
    expect(keys()[0]).toBe('run r');
    store.move('run r', 2);
    expect(keys()).toEqual(['entry b 0 a', 'run r', 'entry b 0 b']);
    store.recolour('run r', 6);
    store.hide('run r', true);
    expect(store.getState().chosen[1]).toMatchObject({ ink: 6, hidden: true });
    store.remove(['run r']);
    expect(referenceIndex(store.getState())).toBe(0);
    store.add(
      'transport',
      Array.from({ length: 9 }, (_, i) => entry(`v${i}`)),
    );
    expect(Math.max(...store.getState().chosen.map(({ ink }) => ink))).toBe(7);
    // Each workload has its own rows and reference.
    store.add('micro', [entry('m'), entry('n')]);
    store.setReference('entry b 0 n');
    expect(shownRows(store.getState()).map(({ ink }) => ink)).toEqual([0, 1]);
    expect(referenceIndex(store.getState())).toBe(1);
    store.show('transport');
    expect(shownRows(store.getState())).toHaveLength(11);
    expect(referenceIndex(store.getState())).toBe(0);
  });
});

describe('the source code view', () => {
  const kinds = (line: string): string =>
    tokensOf(line, false)
      .tokens.map(({ kind, text }) => `${kind}:${text}`)
      .join('|');

  test('colours keywords, types, CUDA, numbers, strings, comments, directives and calls', () => {
    expect(kinds('#include "a.cuh" // why')).toBe('directive:#include|plain: |string:"a.cuh"|plain: |comment:// why');
    expect(kinds('  __shared__ float s[32];')).toBe(
      'plain:  |cuda:__shared__|plain: |type:float|plain: s[|number:32|plain:];',
    );
    expect(kinds('return f<T>(x, 1e-3f);')).toContain('keyword:return|plain: |call:f');
    expect(kinds('threadIdx.x')).toBe('cuda:threadIdx|plain:.x');
    expect(kinds("'\\''")).toBe("string:'\\''");
  });

  test('keeps every character, and comments over several lines', () => {
    const lines = ['int a; /* begins', ' int b;', 'ends */ int c;', '', "auto x = 1'000;"];
    const tokens = tokenizeLines(lines);
    expect(tokens.map((line) => line.map(({ text }) => text).join(''))).toEqual(lines);
    expect(tokens[1]?.map(({ kind }) => kind)).toEqual(['comment']);
    expect(tokens[2]?.[0]).toEqual({ kind: 'comment', text: 'ends */' });
  });

  test('shows the text line by line, with the differences within a line', () => {
    const rows = sourceDiff(['a', 'float x = 1;', 'same', 'gone'], ['a', 'float x = 2;', 'same', 'new', 'more']);
    expect(rows.map(({ kind }) => kind)).toEqual(['same', 'changed', 'same', 'changed', 'right']);
    expect(rows[1]?.left?.changed).toEqual([[10, 11]]);
    expect(rows[1]?.right).toEqual({ line: 2, text: 'float x = 2;', changed: [[10, 11]] });
    expect(rows[4]?.right).toMatchObject({ line: 5, text: 'more' });
    expect(rows.flatMap(({ left }) => left?.text ?? [])).toEqual(['a', 'float x = 1;', 'same', 'gone']);
  });

  test('can be reduced to the differences', () => {
    const many = Array.from({ length: 30 }, (_, i) => `line ${i}`);
    const rows = sourceDiff(many, many.with(15, 'other'));
    const short = condenseRows(rows, 2);
    expect(short.filter((row) => row === null)).toHaveLength(2);
    expect(short.filter((row) => row !== null).map((row) => row?.left?.line)).toEqual([14, 15, 16, 17, 18]);
  });
});
