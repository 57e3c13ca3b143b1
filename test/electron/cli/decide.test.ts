/** `braggbench decide`: which way to write a computation, from sessions and from nothing else. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Decision } from '../../../electron/contract/bench/decision.ts';
import { type MeasuredSessionEntry, type Session, sessionSchema } from '../../../electron/contract/bench/session.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { assetsFolder } from '../host/small-run.ts';
import { braggbenchHere, environmentWith } from './command.ts';

const folder = scratchFolder('decide');
const recorded = path.join(assetsFolder, 'runs/transport/h200-uniform-grid-70MeV.json');
const call = (...words: string[]) =>
  braggbenchHere(['decide', ...words], { cwd: folder, environment: environmentWith(folder) });

const read = async (): Promise<Session> => sessionSchema.parse(JSON.parse(await readFile(recorded, 'utf8')));

/** The recorded session with other measured entries. */
async function changed(name: string, change: (entry: MeasuredSessionEntry) => MeasuredSessionEntry): Promise<string> {
  const session = await read();
  const reports = session.reports.map((report) => ({
    ...report,
    entries: report.entries.map((entry) => (entry.status === 'measured' ? change(entry) : entry)),
  }));
  const file = path.join(folder, name);
  await writeFile(file, JSON.stringify({ ...session, reports }));
  return file;
}

const decided = async (file: string): Promise<readonly Decision[]> =>
  (JSON.parse((await call(file, '--json')).stdout || '{}') as { readonly decisions: readonly Decision[] }).decisions;

test('the recorded session says what each way saves a run, from its samples', async () => {
  const [decision] = await decided(recorded);
  expect(decision?.options.map(({ way, label, instances }) => [way, label, instances])).toEqual([
    ['array', 'cupy-array', 9],
    ['elementwise', 'cupy-elementwise', 9],
    ['raw', 'cupy-beam-ours', 9],
    ['compiled', 'cuda-window', 9],
  ]);
  const step = decision?.steps.find(({ option }) => option.way === 'compiled');
  expect(step?.decided).toBe('faster');
  const saved_s = (decision?.options[0]?.time_s ?? 0) - (step?.option.time_s ?? 0);
  expect(step?.saved_s).toBeCloseTo(saved_s, 12);
  expect(step?.runs_per_hour).toBe(Math.ceil(3600 / saved_s));
  const { stdout, code } = await call(recorded, '--runs', '1000000');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Stay with array expressions unless you run it often: an elementwise kernel of a library/m);
  expect(stdout).toMatch(
    /Pays\s+back\s+an\s+hour\s+of\s+development\s+after\s+[\d\s]+\s+runs;\s+over\s+1\D?000\D?000\s+runs\s+it\s+saves/,
  );
});

const slow = (entry: MeasuredSessionEntry): MeasuredSessionEntry =>
  entry.label === 'cupy-elementwise'
    ? { ...entry, samples: entry.samples.map((sample, i) => ({ ...sample, wall_s: i % 2 === 0 ? 0.01 : 0.9 })) }
    : entry;

test('samples that overlap decide nothing', async () => {
  const file = await changed('overlap.json', slow);
  const [decision] = await decided(file);
  const step = decision?.steps.find(({ option }) => option.way === 'elementwise');
  expect(step).toMatchObject({ decided: 'overlap', runs_per_hour: null });
  expect((await call(file)).stdout).toMatch(
    /^An elementwise kernel of a library: not decided, the samples overlap \(/m,
  );
});

test('one sample each is no evidence and gives no advice, however far apart the times are', async () => {
  const file = await changed('once.json', (entry) => ({ ...entry, samples: entry.samples.slice(0, 1) }));
  const [decision] = await decided(file);
  expect(decision?.steps.map((step) => step.decided)).toEqual(['too few', 'too few', 'too few']);
  const { stdout } = await call(file);
  expect(stdout).toMatch(/^No advice: one sample each; C\+\+ and CUDA was [\d.]+× as fast as measured\./m);
  expect(stdout).not.toMatch(/Stay with|overlap/);
});

test('many samples of one instance are no evidence either', async () => {
  const file = await changed('instance.json', (entry) => ({
    ...entry,
    samples: entry.samples.map((sample) => ({ ...sample, instance: 0 })),
  }));
  expect((await decided(file))[0]?.steps.map((step) => step.decided)).toEqual(['too few', 'too few', 'too few']);
  expect((await call(file)).stdout).toMatch(/^No advice: one instance each; /m);
});

test('a session recorded without instances is no evidence', async () => {
  const { stdout } = await call(path.join(assetsFolder, 'runs/h200-uniform-grid-70MeV.json'));
  expect(stdout).toMatch(/^No advice: one instance each; /m);
});

test('a way with a wrong answer is not advised', async () => {
  const file = await changed('wrong.json', (entry) =>
    entry.label === 'cupy-array' || entry.label.startsWith('cupy-raw') || entry.label === 'cupy-beam-ours'
      ? { ...entry, verdict: 'wrong' }
      : entry,
  );
  const [decision] = await decided(file);
  expect(decision?.options.map(({ way, right }) => [way, right])).toEqual([
    ['array', false],
    ['elementwise', true],
    ['raw', false],
    ['compiled', true],
  ]);
  // The base is the correct way that needs the least work.
  expect(decision?.steps.map(({ option }) => option.way)).toEqual(['compiled']);
  expect((await call(file)).stdout).toMatch(/^Array expressions .* wrong$/m);
});

test('without a session that measured several ways nothing is said', async () => {
  expect(await call(path.join(assetsFolder, 'runs/h200-water-70MeV.json'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('None of these sessions has correct answers of two ways of writing'),
  });
  expect(await call(recorded, '--runs', '0')).toMatchObject({ code: 2, stderr: expect.stringContaining('--runs') });
});
