/**
 * `braggbench claims` as a child process. Sessions that `npm run bench -- gpu` records must have valid flags, scenarios
 * and variants: an error would only appear on the GPU machine. `braggbench history`: sessions over days, for a person
 * and for a script.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GPU_SESSIONS } from '../../../electron/build/bench/gpu-sessions.mjs';
import { flagValue, listFlag, parseArguments, parseSweep } from '../../../electron/cli/arguments.ts';
import { parseLimits, parseModes } from '../../../electron/cli/benching.ts';
import { parseOverrides, scenarioPath } from '../../../electron/cli/read-scenario.ts';
import { bench } from '../../../electron/cli/verbs/bench.ts';
import { type Session, sessionSchema } from '../../../electron/contract/bench/session.ts';
import { trendOf } from '../../../electron/host/app/benches/history.ts';
import { loadAddon } from '../../../electron/host/io/addon/addon.ts';
import { hostWorkloads } from '../../../electron/host/workloads/index.ts';
import { readArguments } from '../../../electron/main/arguments.ts';
import { assetsFolder, openTestScenarios, shippedVariants } from '../host/small-run.ts';
import { braggbenchInProcess, environmentWith } from './command.ts';

describe('braggbench claims', () => {
  test('prints one line per claim and the count of each answer, and full claims on request', {
    tags: 'slow',
  }, async () => {
    const [text, json, table, one, unknown] = await Promise.all([
      braggbenchInProcess(['claims']),
      braggbenchInProcess(['claims', '--json']),
      braggbenchInProcess(['claims', '--markdown']),
      braggbenchInProcess(['claims', 'transport/all-together']),
      braggbenchInProcess(['claims', 'transport/all-togehter']),
    ]);
    const { rows } = JSON.parse(json.stdout) as {
      rows: { row: number; claims: { answer: { word: string } }[] }[];
    };
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 32 }, (_, i) => i + 1));
    const words = rows.flatMap(({ claims }) => claims.map(({ answer }) => answer.word));
    const count = (...wanted: readonly string[]) => words.filter((word) => wanted.includes(word)).length;
    expect(text.stdout.split('\n')[0]).toBe(
      `${count('true')} true, ${count('true-when')} true when, ${count('not-true')} not true, ${count('cannot-judge', 'not-measured')} open of ${words.length} claims`,
    );
    // A heading of three lines, one line for each claim, and two lines of advice.
    expect(text.stdout.trimEnd().split('\n')).toHaveLength(words.length + 5);
    expect(text.stdout).toMatch(
      /^latency\/shared {2,}Shared memory answers in 1–2 cycles {2,}not true: 23, not 1–2 cycles$/m,
    );
    const wide = [text, one].flatMap(({ stdout }) => stdout.split('\n')).filter((line) => [...line].length > 120);
    expect(wide).toEqual([]);
    expect(one.stdout).toMatch(/^All of it together: true when /);
    // A heading for each pair, with its measurements below it.
    expect(one.stdout).toMatch(
      /^cuda-scatter → cuda-graph: .* \(claimed: 10–100×\)\n {2}[\d.]+× +[\d.]+–[\d.]+ +(less|as claimed|more) +\S+\.json$/m,
    );
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      'error "transport/all-togehter" is not a known claim (did you mean transport/all-together?); braggbench claims lists them\n',
    ]);
    const lines = table.stdout.split('\n').filter((line) => line.includes('| A launch costs 5–20 µs'));
    expect(lines).toHaveLength(1);
  });
});

describe('sessions recorded on a GPU', async () => {
  const addon = loadAddon();
  /** Scenarios are checked with the memory of the machine that measured them. */
  const scenarios = await openTestScenarios(addon, 128 * 2 ** 30);

  test.each(GPU_SESSIONS.map(({ file, words }) => ({ file, words })))('$file', async ({ words }) => {
    const parsed = parseArguments(words.slice(1), bench.flags);
    expect(parseModes(parsed)).toContain('warm');
    expect(parseLimits(parsed).mostRounds).toBeGreaterThan(0);
    const sweep = flagValue(parsed, 'sweep');
    for (const more of sweep === undefined ? [[]] : parseSweep(sweep).overrides) {
      const path = scenarioPath(parsed.operands[0] ?? '');
      const reading = await scenarios.any.read(path, { overrides: [...parseOverrides(parsed), ...more] });
      expect(reading.issues.filter(({ severity }) => severity === 'error')).toEqual([]);
      if (reading.kind === null) throw new Error('no scenario');
      const { benchable } = hostWorkloads[reading.kind];
      benchable.check(addon, benchable.problem(reading), shippedVariants(listFlag(parsed, 'variants') ?? []));
    }
  });

  test('the session on double-float indices measures an image for which a single float is enough', async () => {
    const words = GPU_SESSIONS.find(({ file }) => file === 'diffraction/h200-double-float-1024.json')?.words ?? [];
    const image = words.slice(0, words.indexOf('--variants'));
    const correct = async (start: readonly string[]) => {
      const variants = ['--variants', 'diffraction-fp64,diffraction-double-float,diffraction-delta-fp32'];
      const { stdout } = await braggbenchInProcess([
        ...start,
        ...variants,
        '--rounds',
        '1',
        '--processes',
        '0',
        '--json',
      ]);
      const { entries } = JSON.parse(stdout) as { entries: { accuracy: { id: string; holds: boolean }[] }[] };
      return entries.slice(1, 3).map(({ accuracy }) => accuracy.find(({ id }) => id === 'bright')?.holds);
    };
    expect(image.slice(0, 2)).toEqual(['bench', 'simple-cubic-1024']);
    expect(await correct(image)).toEqual([true, true]);
    expect(await correct(image.slice(0, 2))).toEqual([true, false]);
  });

  test('the desktop program accepts the same GPU choice as the commands', () => {
    expect(readArguments(['a.json', '--gpu', '1', '--run'], '/home')).toEqual({
      file: '/home/a.json',
      run: true,
      gpu: '1',
    });
    expect(readArguments(['--gpu=GPU-2e1d19ef'], '/')).toEqual({ file: null, run: false, gpu: 'GPU-2e1d19ef' });
    expect(readArguments([], '/').gpu).toBeNull();
  });
});

describe('braggbench history', () => {
  const recorded = path.join(assetsFolder, 'runs/h200-water-70MeV.json');
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'bb-history-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The recorded session with another date and scaled times. */
  async function sessionOf(
    day: number,
    factor: number,
    machine: Partial<Session['reports'][number]['machine']> = {},
  ): Promise<string> {
    const session: Session = sessionSchema.parse(JSON.parse(await readFile(recorded, 'utf8')));
    const reports = session.reports.map((report) => ({
      ...report,
      machine: { ...report.machine, ...machine },
      program: { ...report.program, commit: String(day).repeat(40) },
      entries: report.entries.map((entry) =>
        entry.status === 'refused' ? entry : { ...entry, time_s: entry.time_s * factor },
      ),
    }));
    const file = path.join(folder, `day-${day}.json`);
    await writeFile(file, JSON.stringify({ ...session, created: `2026-12-0${day}T08:00:00.000Z`, reports }));
    return file;
  }

  const call = (...words: string[]) =>
    braggbenchInProcess(['history', ...words], { cwd: folder, environment: environmentWith(folder) });

  test("judges the last session by the spread of the earlier ones, with Student's prediction interval", () => {
    // Logarithms with mean 0 and standard deviation 0.01; Student's t with two degrees of freedom is 4.303 at 95 %.
    const before = [-0.01, 0, 0.01].map(Math.exp);
    const edge = 4.302653 * 0.01 * Math.sqrt(4 / 3);
    const found = trendOf([...before, Math.exp(1.001 * edge)]);
    expect(found?.spread).toBeCloseTo(Math.expm1(0.01), 12);
    expect(found?.expected.high).toBeCloseTo(Math.exp(edge), 7);
    expect(found?.verdict).toBe('slower');
    expect(trendOf([...before, Math.exp(0.999 * edge)])?.verdict).toBe('as before');
    expect(trendOf([...before, Math.exp(-1.001 * edge)])?.verdict).toBe('faster');
    expect(trendOf(before)).toBeNull();
  });

  test('orders sessions by date, and reports the last one as slower', async () => {
    const files = [await sessionOf(4, 1.2), await sessionOf(2, 1.01), await sessionOf(1, 1), await sessionOf(3, 0.99)];
    const { code, stdout, stderr } = await call(...files, '--variant', 'cuda-window');
    expect([code, stderr]).toEqual([0, '']);
    const days = [...stdout.matchAll(/^2026-12-0(\d) 08:00 +(\d{9}) .* ([\d.]+)× /gm)].map(([, ...found]) => found);
    expect(days).toEqual([
      ['1', '111111111', '1.000'],
      ['2', '222222222', '1.010'],
      ['3', '333333333', '0.9900'],
      ['4', '444444444', '1.200'],
    ]);
    expect(stdout).toMatch(
      /The last session takes 1\.2\d*× the time of the earlier sessions: slower\. The earlier sessions vary by 1\.0/,
    );
    const told = JSON.parse((await call(...files, '--json')).stdout) as {
      readonly series: readonly { readonly label: string; readonly trend: { readonly verdict: string } }[];
    };
    const session: Session = sessionSchema.parse(JSON.parse(await readFile(recorded, 'utf8')));
    const measured = session.reports.flatMap(({ entries }) => entries).filter(({ status }) => status === 'measured');
    expect(told.series.map(({ label }) => label)).toEqual(measured.map(({ label }) => label));
    expect(new Set(told.series.map(({ trend }) => trend.verdict))).toEqual(new Set(['slower']));
  });

  test('shows two sessions without a verdict, and no history for other problems', async () => {
    const files = [await sessionOf(1, 1), await sessionOf(2, 1.5)];
    const { stdout } = await call(...files, '--variant=cuda-window');
    expect(stdout).toContain('2 sessions: at least 4 are needed to judge how much sessions vary.');
    const other = path.join(assetsFolder, 'runs/h200-dense-36M.json');
    expect(await call(recorded, other, '--variant', 'cuda-window')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No two of these sessions measured cuda-window.'),
    });
    expect(await call(recorded, 'run.h5')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a single run'),
    });
  });

  test.for([
    ['identifier', { id: 'other' }],
    ['number of cores', { logical_cores: 2 }],
    ['memory', { memory_bytes: 24e9 }],
  ] as const)(
    'puts machines with the same processor name but a different %s into separate series',
    async ([, other]) => {
      const files = [
        ...[await sessionOf(1, 1), await sessionOf(2, 1.01)],
        ...[await sessionOf(3, 14.5, other), await sessionOf(4, 14.6, other)],
      ];
      const { code, stdout } = await call(...files, '--variant', 'cuda-window', '--json');
      expect(code).toBe(0);
      const { series } = JSON.parse(stdout) as { series: { machine: string; points: { created: string }[] }[] };
      expect(series.map(({ points }) => points.map(({ created }) => created.slice(8, 10)))).toEqual([
        ['01', '02'],
        ['03', '04'],
      ]);
      expect(new Set(series.map(({ machine }) => machine)).size).toBe(2);
    },
  );
});
