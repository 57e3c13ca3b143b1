/** `compare --fail-if-slower`: a later session against an earlier one, as a script relies on it. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { slowdownLimit } from '../../../electron/cli/regression.ts';
import { type BenchSession, benchSessionSchema } from '../../../electron/contract/bench/recorded/transport.ts';
import { assetsFolder } from '../host/small-run.ts';
import { braggbench, braggbenchHere, environmentWith } from './command.ts';

const recorded = (name: string): string => path.join(assetsFolder, 'runs', name);
const before = recorded('h200-uniform-grid-70MeV.json');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'bb-regression-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const options = () => ({ cwd: folder, environment: environmentWith(folder) });
const call = (...words: string[]) => braggbenchHere(['compare', ...words], options());

/** The recorded session with its times scaled by variant, without those that are scaled by 0. */
async function later(factors: Readonly<Record<string, number>>, wrong = ''): Promise<string> {
  const session: BenchSession = benchSessionSchema.parse(JSON.parse(await readFile(before, 'utf8')));
  const reports = session.reports.map((report) => ({
    ...report,
    entries: report.entries.flatMap((entry) => {
      const factor = factors[entry.label] ?? 1;
      if (entry.status === 'refused' || factor === 0) return [];
      const samples = entry.samples.map((one) => ({ ...one, device_s: (one.device_s ?? 0) * factor }));
      const time_s = entry.time_s * factor;
      return [{ ...entry, samples, time_s, ...(entry.label === wrong ? { rel_l2: 1 } : {}) }];
    }),
  }));
  const file = path.join(folder, 'after.json');
  await writeFile(file, JSON.stringify({ ...session, created: '2026-12-01T00:00:00.000Z', reports }));
  return file;
}

interface Told {
  readonly failed: boolean;
  readonly facts: readonly string[];
  readonly variants: readonly { readonly variant: string; readonly verdict: string; readonly ratio: unknown }[];
}

async function verdicts(
  file: string,
  limit: string,
): Promise<readonly [code: number | null, Told, Map<string, string>]> {
  const { code, stdout, stderr } = await call(before, file, '--fail-if-slower', limit, '--json');
  expect(stderr).toBe('');
  const told = JSON.parse(stdout) as Told;
  return [code, told, new Map(told.variants.map(({ variant, verdict }) => [variant, verdict]))];
}

test('the same times pass; slower, wrong and missing variants fail, what cannot be told does not', async () => {
  const [passed, same] = await verdicts(await later({ 'cuda-graph': 0.9 }), '2%');
  expect([passed, same.failed, new Set(same.variants.map(({ verdict }) => verdict))]).toEqual([
    0,
    false,
    new Set(['not slower']),
  ]);
  const changed = await later({ 'cuda-fused': 1.2, 'cuda-graph': 1.05, 'cuda-tiled': 0 }, 'cuda-gather');
  const [code, told, all] = await verdicts(changed, '5%');
  expect(code).toBe(1);
  expect(told.failed).toBe(true);
  expect(['cuda-fused', 'cuda-graph', 'cuda-tiled', 'cuda-gather', 'cuda-window'].map((id) => all.get(id))).toEqual([
    'slower',
    'undecided',
    'not measured',
    'wrong',
    'not slower',
  ]);
  expect(told.variants[0]?.ratio).toMatchObject({ value: expect.closeTo(1.2, 12) });
  // Slower by as much, and allowed.
  expect((await verdicts(await later({ 'cuda-fused': 1.2 }), '25 %'))[0]).toBe(0);
});

test('says it for a reader, with what both were measured on', async () => {
  const slower = await later({ 'cuda-fused': 1.2 });
  // A script sees the code of the process.
  const { code, stdout } = await braggbench(['compare', before, slower, '--fail-if-slower=5'], options());
  expect(code).toBe(1);
  const session = benchSessionSchema.parse(JSON.parse(await readFile(before, 'utf8')));
  const found = session.reports[0]?.entries.find(({ label }) => label === 'cuda-fused');
  const ms = (factor: number) => (found?.status === 'measured' ? found.time_s * factor * 1e3 : 0).toPrecision(3);
  expect(stdout).toMatch(
    new RegExp(`^cuda-fused +${ms(1)} ms +${ms(1.2)} ms +1\\.20× \\(1\\.\\d+–1\\.\\d+\\) +slower$`, 'm'),
  );
  expect(stdout).toContain('Failed: 1 slower, 10 not slower; slower is a whole 95 % interval above 5.00 % more time');
  const commit = session.reports[0]?.program?.commit?.slice(0, 9);
  expect(stdout).toMatch(new RegExp(`^after: .*commit ${commit} · 1 Dec 2026$`, 'm'));
});

test('times that do not compare fail, and so does a check that decided nothing', async () => {
  const other = await call(before, recorded('h200-dense-36M.json'), '--fail-if-slower', '5%');
  expect(other.code).toBe(1);
  expect(other.stdout).toContain('not comparable: another scenario: Dense, 36 million cells, before Uniform');
  // One round each: no interval.
  const once = path.join(import.meta.dirname, '../../golden/sessions/one-round.json');
  const nothing = await call(once, once, '--fail-if-slower', '5%');
  expect([nothing.code, nothing.stdout]).toEqual([1, expect.stringContaining('Failed: 5 undecided;')]);
  const sweep = recorded('h200-sweep-water-70MeV.json');
  const { code, stdout } = await call(sweep, sweep, '--fail-if-slower', '5%');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^cuda-depth, grid\.dx_mm = 0\.25 .* not slower$/m);
});

test('asks for what it needs', async () => {
  expect([slowdownLimit('5%'), slowdownLimit('2.5 %'), slowdownLimit('0')]).toEqual([0.05, 0.025, 0]);
  for (const text of ['', '-1', '5x', '0.05.1', '1001%']) expect(() => slowdownLimit(text)).toThrow('such as 5%');
  expect(await call(before, '--fail-if-slower', '5%')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('needs two sessions'),
  });
  expect(await call(before, 'run.h5', '--fail-if-slower', '5%')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('run.h5 is one run, which has no interval'),
  });
});

test('with sessions before, a limit is held to what sessions differ by', async () => {
  const copy = async (name: string, day: number, factor: number): Promise<string> => {
    const file = path.join(folder, name);
    const text = await readFile(await later({ 'cuda-graph': factor }), 'utf8');
    await writeFile(file, text.replace('2026-12-01', `2025-11-0${day}`));
    return file;
  };
  const [one, two] = [await copy('one.json', 1, 0.9), await copy('two.json', 2, 1.1)];
  const after = await later({ 'cuda-graph': 1.08 });
  const ask = async (...earlier: string[]) => {
    const flags = earlier.flatMap((file) => ['--earlier', file]);
    const { stdout } = await call(before, after, '--fail-if-slower', '2%', ...flags, '--json');
    const { variants } = JSON.parse(stdout) as Told;
    return variants.find(({ variant }) => variant === 'cuda-graph')?.verdict;
  };
  expect(await ask()).toBe('slower');
  // They were as far apart from each other.
  expect(await ask(one, two)).toBe('undecided');
});
