/** `braggbench history`: sessions over days, as a person and a script read them. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Session, sessionSchema } from '../../../electron/contract/bench/session.ts';
import { trendOf } from '../../../electron/host/app/benches/history.ts';
import { assetsFolder } from '../host/small-run.ts';
import { braggbenchHere, environmentWith } from './command.ts';

const recorded = path.join(assetsFolder, 'runs/h200-water-70MeV.json');
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'bb-history-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The recorded session as of another day, its times scaled. */
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
  braggbenchHere(['history', ...words], { cwd: folder, environment: environmentWith(folder) });

test('the last session is judged by how far those before differ, by the prediction interval of Student', () => {
  // Mean 0, standard deviation 0.01 on the logarithm; t of two degrees is 4.303 at 95 %.
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

test('sessions are put in the order of their days, and the last is told to be slower', async () => {
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
  expect(stdout).toMatch(/The last takes 1\.2\d*× the time of those before: slower\. They differ by 1\.0/);
  const told = JSON.parse((await call(...files, '--json')).stdout) as {
    readonly series: readonly { readonly label: string; readonly trend: { readonly verdict: string } }[];
  };
  const session: Session = sessionSchema.parse(JSON.parse(await readFile(recorded, 'utf8')));
  const measured = session.reports.flatMap(({ entries }) => entries).filter(({ status }) => status === 'measured');
  expect(told.series.map(({ label }) => label)).toEqual(measured.map(({ label }) => label));
  expect(new Set(told.series.map(({ trend }) => trend.verdict))).toEqual(new Set(['slower']));
});

test('two sessions are shown without a verdict; other problems have no history', async () => {
  const files = [await sessionOf(1, 1), await sessionOf(2, 1.5)];
  const { stdout } = await call(...files, '--variant=cuda-window');
  expect(stdout).toContain('2 sessions: at least 4 are needed to judge how much sessions vary.');
  const other = path.join(assetsFolder, 'runs/h200-dense-36M.json');
  expect(await call(recorded, other, '--variant', 'cuda-window')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No two of these sessions measured cuda-window.'),
  });
  expect(await call(recorded, 'run.h5')).toMatchObject({ code: 2, stderr: expect.stringContaining('is one run') });
});

test.for([
  ['identifier', { id: 'other' }],
  ['number of cores', { logical_cores: 2 }],
  ['memory', { memory_bytes: 24e9 }],
] as const)('machines with the same processor name and another %s have series of their own', async ([, other]) => {
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
});
