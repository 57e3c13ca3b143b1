/** `braggbench decide`: which way to write a computation, from sessions and from nothing else. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Decision } from '../../../electron/contract/bench/decision.ts';
import { type BenchSession, benchSessionSchema } from '../../../electron/contract/bench/recorded/transport.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { assetsFolder } from '../host/small-run.ts';
import { braggbenchHere, environmentWith } from './command.ts';

const folder = scratchFolder('decide');
const recorded = path.join(assetsFolder, 'runs/h200-uniform-grid-70MeV.json');
const call = (...words: string[]) =>
  braggbenchHere(['decide', ...words], { cwd: folder, environment: environmentWith(folder) });

async function changed(name: string, change: (session: BenchSession) => unknown): Promise<string> {
  const session = benchSessionSchema.parse(JSON.parse(await readFile(recorded, 'utf8')));
  const file = path.join(folder, name);
  await writeFile(file, JSON.stringify(change(session)));
  return file;
}

const decided = async (file: string): Promise<readonly Decision[]> =>
  (JSON.parse((await call(file, '--json')).stdout || '{}') as { readonly decisions: readonly Decision[] }).decisions;

test('the recorded session says what each way saves a run, from its samples', async () => {
  const session = benchSessionSchema.parse(JSON.parse(await readFile(recorded, 'utf8')));
  const [report] = session.reports;
  const array = report?.external?.find(({ id }) => id === 'cupy-array')?.result;
  const right = report?.entries.flatMap((one) =>
    one.status !== 'measured' || one.verdict === 'wrong' || one.device === 'cpu' ? [] : [one],
  );
  const fastest = right?.toSorted((a, b) => a.time_s - b.time_s)[0];
  if (array === undefined || array === null || fastest === undefined)
    throw new Error('the recording has lost its rivals');
  const [decision, ...others] = await decided(recorded);
  expect(others).toEqual([]);
  expect(decision?.options.map(({ way, label }) => [way, label])).toEqual([
    ['array', 'cupy-array'],
    ['elementwise', 'cupy-elementwise'],
    ['raw', 'cupy-raw'],
    ['compiled', fastest.label],
  ]);
  const step = decision?.steps.find(({ option }) => option.way === 'compiled');
  expect(step?.decided).toBe('faster');
  const saved_s = (decision?.options[0]?.time_s ?? 0) - (step?.option.time_s ?? 0);
  expect(step?.saved_s).toBeCloseTo(saved_s, 12);
  expect(step?.runs_per_hour).toBe(Math.ceil(3600 / saved_s));
  const { stdout, code } = await call(recorded, '--runs', '1000000');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^Stay with array expressions unless you run it often: an elementwise kernel of a library, a raw kernel in an/m,
  );
  expect(stdout).toMatch(/An hour of writing is repaid\s+after [\d\s]+ runs;\s+1\D?000\D?000 runs are\s+worth up to/);
});

test('samples that overlap decide nothing, and a wrong answer is no way', async () => {
  const overlapping = await changed('overlap.json', (session) => ({
    ...session,
    reports: session.reports.map((report) => ({
      ...report,
      external: report.external?.map((one) =>
        one.result === null || one.id !== 'cupy-elementwise'
          ? one
          : {
              ...one,
              result: {
                ...one.result,
                samples: [0.001, 0.3, 0.3, 0.3, 0.3, 0.9].map((device_s) => ({ device_s, wall_s: device_s })),
              },
            },
      ),
    })),
  }));
  const [first] = await decided(overlapping);
  const elementwise = first?.steps.find(({ option }) => option.way === 'elementwise');
  expect(elementwise).toMatchObject({ decided: 'undecided', runs_per_hour: null });
  const wrong = await changed('wrong.json', (session) => ({
    ...session,
    reports: session.reports.map((report) => ({
      ...report,
      external: report.external?.map((one) =>
        one.result === null || one.id === 'cupy-elementwise' ? one : { ...one, result: { ...one.result, wrong: true } },
      ),
    })),
  }));
  const [second] = await decided(wrong);
  expect(second?.options.map(({ way, right }) => [way, right])).toEqual([
    ['array', false],
    ['elementwise', true],
    ['raw', false],
    ['compiled', true],
  ]);
  // What takes the least work is the least that is right.
  expect(second?.steps.map(({ option }) => option.way)).toEqual(['compiled']);
  expect((await call(wrong)).stdout).toMatch(/^Array expressions .* wrong$/m);
});

test('without a session that measured several ways nothing is said', async () => {
  expect(await call(path.join(assetsFolder, 'runs/h200-water-70MeV.json'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('None of these sessions has right answers of two ways of writing'),
  });
  expect(await call(recorded, '--runs', '0')).toMatchObject({ code: 2, stderr: expect.stringContaining('--runs') });
});
