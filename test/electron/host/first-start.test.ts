/** A host that is opened before its solver is compiled, with the addons of both stages. */
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SolverFrame, SolverStage } from '../../../electron/contract/capabilities.ts';
import { loadAddon } from '../../../electron/host/io/addon/addon.ts';
import { StagedSolver } from '../../../electron/host/io/addon/staged-solver.ts';
import type { Client } from '../../../renderer/client/index.ts';
import { smallScenario } from './small-run.ts';
import { openTestHost, type TestHost } from './test-host.ts';

const native = path.resolve(import.meta.dirname, '../../../dist/native');
const firstAddon = () => loadAddon(path.join(native, 'braggbench_first.node'));

const layer = {
  kind: 'linear-relu',
  version: 1,
  problem: { batch: 8, inputs: 8, outputs: 8 },
} as const;

let solver: StagedSolver;
let test: TestHost;
let page: Client;
beforeEach(async () => {
  const addons = [firstAddon, loadAddon].values();
  solver = new StagedSolver(() => (addons.next().value ?? loadAddon)(), '0.1.0');
  test = await openTestHost({ solver });
  page = await test.page();
});
afterEach(() => test.close());

const reach = (stage: SolverStage): void => solver.report({ stage, progress: null, failed: null });

/** Whether a promise is settled once the host has had its turns. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => {
      settled = true;
    },
    () => {
      settled = true;
    },
  );
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  return settled;
}

it('lists recorded sessions and says what is compiled before there is a solver', async () => {
  const seen: SolverFrame[] = [];
  page.stream('solver', {}, { frame: (state) => void seen.push(state) });
  expect(page.capabilities).toMatchObject({ variants: [], version: '0.1.0', compiler: '' });
  const { sessions } = await page.call('task.stored', { workload: 'linear-relu' });
  expect(sessions.filter(({ recorded }) => recorded).length).toBeGreaterThan(3);
  solver.report({ stage: 'none', progress: '3 of 35 files', failed: null });
  await isSettled(Promise.resolve());
  expect(seen.at(-1)).toEqual({ stage: 'none', progress: '3 of 35 files', failed: null, gpuKernels: false });
});

it('runs a beam once transport is compiled, with the dose that the whole solver gives', async () => {
  const starting = page.call('run.start', { scenario: { ...smallScenario }, name: 'first' });
  expect(await isSettled(starting)).toBe(false);
  reach('first');
  const first = await starting;
  expect(await test.host.runs.ended(first.id)).toMatchObject({ state: 'done', error: null });
  const { variants, compiler } = await page.call('capabilities', {});
  expect([...new Set(variants.map(({ device }) => device))]).toEqual(['cpu']);
  expect(compiler).not.toBe('');

  reach('whole');
  const second = await page.call('run.start', { scenario: { ...smallScenario }, name: 'second' });
  await test.host.runs.ended(second.id);
  const [a, b] = await Promise.all(
    [first, second].map(({ id }) => page.call('run.depthDose', { run: id }).then(({ curve }) => curve.values)),
  );
  expect(a?.length).toBe(44);
  expect(a).toEqual(b);
});

it('lets a scenario of another workload, and one that names a GPU variant, wait for the whole solver', async () => {
  reach('first');
  const other = page.call('scenario.resolve', { scenario: layer });
  const gpu = page.call('scenario.resolve', {
    scenario: { ...smallScenario, solver: { ...smallScenario.solver, variant: 'cuda-window' } },
  });
  expect(await Promise.all([other, gpu].map(isSettled))).toEqual([false, false]);
  reach('whole');
  expect((await other).resolved?.kind).toBe('linear-relu');
  // Known, and refused for the reason that the machine gives, if it has no GPU.
  const told = (await gpu).issues.map(({ message }) => message).join();
  expect(told).not.toContain('is not known');
});

it('refuses what waits if the solver cannot be compiled', async () => {
  const starting = page.call('run.start', { scenario: { ...smallScenario }, name: 'never' });
  solver.report({ stage: 'none', progress: null, failed: 'The C++ build failed.' });
  await expect(starting).rejects.toThrow('The C++ build failed.');
});
