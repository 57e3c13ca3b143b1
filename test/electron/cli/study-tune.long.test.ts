/**
 * Tuning end to end: CPU kernels compiled with other constants, checked against the reference, and the best measured
 * again.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { braggbenchInProcess, type CommandResult, environmentWith } from './command.ts';

const root = path.join(import.meta.dirname, '../../..');
/** Limit in ms for tests that compile every configuration. Each needs seconds, and longer on a busy machine. */
const LONG_MS = 600_000;
let folder = '';

const study = (variants: readonly string[], rest: object = {}) => ({
  kind: 'study',
  version: 1,
  base: [
    {
      scenario: {
        ...{ kind: 'micro', version: 1, name: 'product' },
        problem: { kind: 'gemm', m: 96, n: 96, k: 96 },
        solver: { threads: 1 },
      },
    },
  ],
  axes: [{ kind: 'tunables', variants }],
  search: { strategy: 'exhaustive', rounds: 3, seconds: 0.2, best: 1, best_seconds: 1 },
  ...rest,
});

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'braggbench-tune-'));
  const original = await readFile(path.join(root, 'kernels/micro/arithmetic/gemm.cpp'), 'utf8');
  // kFactor: correct for 1, wrong for 2, and a compile error for 3.
  const mine = original
    .replace(
      'constexpr std::size_t kDepth = 64, kWide = 512;',
      'constexpr std::size_t kDepth = 64, kWide = 512;\n  constexpr int kFactor = 1;\n  static_assert(kFactor < 3);',
    )
    .replace('to[i] += factor * from[i];', 'to[i] += kFactor * factor * from[i];');
  expect(mine).not.toBe(original);
  await writeFile(path.join(folder, 'mine.cpp'), mine);
  const description = {
    ...{ kind: 'variant', version: 1, workload: 'micro', bench: 'gemm', base: 'cpu-blocks', title: 'Mine' },
    replaces: 'kernels/micro/arithmetic/gemm.cpp',
    tunables: [{ name: 'kFactor', values: [1, 2, 3] }],
  };
  await writeFile(path.join(folder, 'mine.json'), JSON.stringify(description));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const environment = () =>
  environmentWith(path.join(folder, 'home'), { BRAGGBENCH_CACHE: path.join(folder, 'cache'), CXXFLAGS: '-O1' });
const run = (...words: readonly string[]): Promise<CommandResult> =>
  braggbenchInProcess(words, { cwd: folder, environment: environment() });

async function rows(name: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { stdout } = await run('study', 'collect', name, '--json');
  const { columns, rows: all } = JSON.parse(stdout) as { columns: { name: string }[]; rows: unknown[][] };
  return all.map((row) => Object.fromEntries(columns.map((column, i) => [column.name, row[i]])));
}

test(
  'a user kernel is tuned once it is trusted, with correct, wrong and failing configurations distinguished',
  async () => {
    await writeFile(path.join(folder, 'mine-study.json'), JSON.stringify(study(['./mine.cpp'])));
    const refused = await run('study', 'run', 'mine-study.json');
    expect(refused.stderr).toContain('It does not run until you confirm that you trust it: use --trust');
    const tuned = await run('study', 'run', 'mine-study.json', '--trust');
    expect(tuned.stderr).toBe('');
    expect(tuned.stdout).toContain('2 points solved');
    const found = await rows('mine-study.json');
    expect(found.map(({ kFactor, status, right }) => [kFactor, status, right])).toEqual([
      [1, 'done', 'yes'],
      [2, 'done', 'no'],
      [3, 'failed', null],
    ]);
    expect(found[2]?.['error']).toMatch(/static assertion failed/);
    // The wrong configuration is not among the best, however fast.
    expect(tuned.stdout).toContain('mine.cpp[kFactor=1]');
    expect(tuned.stdout).not.toContain('mine.cpp[kFactor=2]');
  },
  LONG_MS,
);

test(
  'a budget ends tuning; the next run reuses its measurements, and measures the best again',
  async () => {
    const some = { axes: [{ kind: 'tunables', variants: ['cpu-blocks'], only: ['kWide'] }] };
    const search = { ...study([]).search, also: ['cpu-blocks[kDepth=8;kWide=64]'] };
    const budget = { points: 1 };
    await writeFile(path.join(folder, 'some.json'), JSON.stringify(study([], { ...some, search, budget })));
    const first = await run('study', 'run', 'some.json');
    expect(first.stdout).toContain('1 points solved');
    expect(first.stdout).toContain('5 are left; the budget is used up');
    const again = await run('study', 'run', 'some.json', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ points: 6, before: 1, done: 1, left: 4, end: 'budget' });
    const best = JSON.parse(await readFile(path.join(folder, 'some.study/best.json'), 'utf8'));
    const [report] = best.reports;
    expect(report.reference).toBe('cpu-blocks[kDepth=64;kWide=512]');
    expect(report.entries.map(({ label }: { label: string }) => label)).toContain('cpu-blocks[kDepth=8;kWide=64]');
    const found = await rows('some.json');
    expect(found).toHaveLength(2);
    for (const row of found) expect(row).toMatchObject({ status: 'done', right: 'yes', kDepth: 64 });
  },
  LONG_MS,
);

test(
  'another program controls the tuning by lines written to a pipe',
  async () => {
    const all = study(['cpu-blocks'], { name: 'asked', budget: { points: 2 } });
    await writeFile(path.join(folder, 'asked.json'), JSON.stringify(all));
    const child = spawn(process.execPath, [path.join(root, 'dist/host/cli.js'), 'study', 'ask', 'asked.json'], {
      cwd: folder,
      env: environment(),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (data: Buffer) => {
      text += data.toString();
    });
    const asks = [
      { id: 7, configuration: { kDepth: 64, kWide: 256 } },
      { id: 8, configuration: { kDepth: 64, kWide: 100 } },
      'nonsense',
      { id: 9, variant: 'cpu-blocks', configuration: { kWide: 256, kDepth: 64 } },
      { stop: true },
    ];
    child.stdin.end(asks.map((one) => (typeof one === 'string' ? `${one}\n` : `${JSON.stringify(one)}\n`)).join(''));
    expect(await new Promise((resolve) => child.on('exit', resolve))).toBe(0);
    const [space, right, unknown, foreign, same, end] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(space.space.variants['cpu-blocks'].kDepth).toEqual([8, 16, 32, 64, 128, 256]);
    expect(right).toMatchObject({ id: 7, status: 'right', unit: 's' });
    expect(right.value).toBeGreaterThan(0);
    expect(unknown).toEqual({ id: 8, status: 'no such point' });
    expect(foreign.status).toBe('not understood');
    // A configuration is measured only once: the second result is identical.
    expect(same).toMatchObject({ id: 9, status: 'right', value: right.value, point: right.point });
    expect(end.best.map(({ variant }: { variant: string }) => variant)).toContain('cpu-blocks[kDepth=64;kWide=256]');
  },
  LONG_MS,
);
