/**
 * A run whose device fails midway: finished steps are retained, shown, printed and saved with the reason. Also a host
 * that opens before its solver is compiled, with the addons of both stages. Also a run that nobody views, which makes
 * no images and has the same numbers.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { parseArguments } from '../../../electron/cli/arguments.ts';
import { Terminal } from '../../../electron/cli/terminal.ts';
import { performRun, run as runVerb } from '../../../electron/cli/verbs/run.ts';
import type { SolverFrame, SolverStage } from '../../../electron/contract/capabilities.ts';
import type { SummaryDocument } from '../../../electron/contract/run.ts';
import { readRunFacts } from '../../../electron/host/app/run-files/tasks.ts';
import {
  loadAddon,
  type NativeAddon,
  type TransportProblem,
  type TransportRun,
} from '../../../electron/host/io/addon/addon.ts';
import { StagedSolver } from '../../../electron/host/io/addon/staged-solver.ts';
import { runOf } from '../../../electron/host/workloads/run-data.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { openTestScenarios, readRun, smallScenario, TransportScenarios } from './small-run.ts';
import { openTestHost, type TestHost } from './test-host.ts';

describe('failing runs', () => {
  const reason =
    'cuStreamSynchronize on NVIDIA H200 failed: CUDA_ERROR_ILLEGAL_ADDRESS; last kernel launched: gather_score_f32.';

  /** A run on a device that fails after the first steps: its result is that of a run limited to these steps. */
  const failingRun = (native: TransportRun): TransportRun => ({
    plan: native.plan,
    start: async (progress, measuring) => ({
      ...(await native.start(progress, measuring)),
      status: 'failed',
      error: { code: 'device', message: reason },
    }),
    cancel: () => native.cancel(),
    live: () => native.live(),
    wantPlanes: (planes) => native.wantPlanes(planes),
    wantCheckpoint: (known) => native.wantCheckpoint(known),
    checkpoint: () => native.checkpoint(),
    keyframe: (i) => native.keyframe(i),
  });

  /** The engine with a device that fails. */
  function addonWithFailingDevice(): NativeAddon {
    const addon = loadAddon();
    const short = (problem: TransportProblem): TransportProblem => ({
      ...problem,
      solver: { ...problem.solver, max_steps: 12 },
    });
    const wrapped: Pick<NativeAddon, 'createTransport' | 'layTransport'> = {
      createTransport: (problem) => failingRun(addon.createTransport(short(problem))),
      layTransport: async (problem) => failingRun(await addon.layTransport(short(problem))),
    };
    return Object.assign(Object.create(addon) as NativeAddon, addon, wrapped);
  }

  let test: TestHost;
  beforeEach(async () => {
    test = await openTestHost({ addon: addonWithFailingDevice() });
  });
  afterEach(() => test.close());

  describe('a run whose device fails', () => {
    it('ends as failed with the reason, and keeps the readouts of the completed steps', async () => {
      const page = await test.page();
      const started = await page.call('run.start', { scenario: { ...smallScenario }, name: 'fails' });
      const info = await test.host.runs.waitForEnd(started.id);
      expect(info).toMatchObject({ state: 'failed', error: { code: 'device', message: reason } });
      expect(info.wall_s).not.toBeNull();
      const summary = await page.call('run.summary', { run: started.id });
      expect(summary).toMatchObject({ status: 'failed', error: reason, steps: 12 });
      expect(summary.ledger.energy.rel_error).toBeLessThan(1e-6);
      expect(summary.metrics.energy_deposited_MeV).toBeGreaterThan(0);
      const { frames } = await page.call('run.keyframes', { run: started.id });
      expect(frames.length).toBeGreaterThan(0);

      const file = test.host.grant(path.join(test.folder, 'failed.h5'));
      await page.call('run.save', { run: started.id, file: file.file, ifExists: 'replace' });
      const bytes = await readFile(path.join(test.folder, 'failed.h5'));
      expect(await readRunFacts(bytes, 'failed.h5')).toMatchObject({ status: 'failed' });
      const back = await readRun(bytes, 'failed.h5');
      expect(back).toMatchObject({ status: 'failed', error: { code: 'device', message: reason }, steps: 12 });

      const opened = await test.host.runs.addFromFile(back, null);
      expect(opened).toMatchObject({ state: 'failed', error: { message: reason } });
      expect(runOf('transport', await test.host.runs.data(opened.id)).dose).toEqual(back.dose);
    });

    it('is printed and saved by the command line, which exits with code 1 and the reason', async () => {
      const written = { out: '', error: '' };
      const terminal = new Terminal(
        { write: (text: string) => (written.out += text) },
        { write: (text: string) => (written.error += text) },
        {},
      );
      const scenario = path.join(test.folder, 'small.json');
      await test.host.files.write(
        test.host.grant(scenario).file,
        Buffer.from(JSON.stringify(smallScenario)),
        'replace',
      );
      const out = path.join(test.folder, 'out.h5');
      const perform = (words: string[]) =>
        performRun(
          { parsed: parseArguments(words, runVerb.flags), words, terminal, signal: new AbortController().signal },
          test.host,
        );
      expect(await perform([scenario, '--out', out])).toBe(1);
      expect(written.out).toContain('failed; result up to the failure: 12 steps');
      expect(written.out).toContain('Saved as');
      expect(written.error).toContain(reason);
      expect(await readRun(await readFile(path.join(test.folder, 'out.h5')), 'out.h5')).toMatchObject({
        status: 'failed',
      });

      written.out = '';
      expect(await perform([scenario, '--json'])).toBe(1);
      expect(JSON.parse(written.out) as SummaryDocument).toMatchObject({ status: 'failed', error: reason, steps: 12 });
    });

    it('does not count as a measurement', async () => {
      const { measureRun: measure } = await import('../../../electron/host/model/bench/measure.ts');
      const scenarios = new TransportScenarios(test.host.scenarios);
      const reading = await scenarios.check({ ...smallScenario }, { name: 'test', folder: null });
      await expect(measure(test.host.addon, scenarios.resolve(reading))).rejects.toMatchObject({
        code: 'device',
        message: reason,
      });
    });
  });
});

describe('the first start', () => {
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

  /** Whether a promise is settled after the host's pending callbacks have run. */
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

  it('lists recorded sessions and reports the compilation while there is no solver', async () => {
    const seen: SolverFrame[] = [];
    page.stream('solver', {}, { frame: (state) => void seen.push(state) });
    expect(page.capabilities).toMatchObject({ variants: [], version: '0.1.0', compiler: '' });
    const { sessions } = await page.call('task.stored', { workload: 'linear-relu' });
    expect(sessions.filter(({ recorded }) => recorded).length).toBeGreaterThan(3);
    // The session `compile-cache-1024` measures only the start-up of PyTorch, so it is listed after the others.
    const ofLayer = sessions
      .filter(({ scenario }) => scenario === 'Linear and ReLU, 1024 × 784 × 2048')
      .map(({ name }) => name);
    expect(ofLayer.indexOf('linear-relu/layer-1024')).toBeLessThan(ofLayer.indexOf('linear-relu/compile-cache-1024'));
    solver.report({ stage: 'none', progress: '3 of 35 files', failed: null });
    await isSettled(Promise.resolve());
    expect(seen.at(-1)).toEqual({ stage: 'none', progress: '3 of 35 files', failed: null, gpuKernels: false });
  });

  it('runs a beam once transport is compiled, with the same dose as the complete solver', async () => {
    const starting = page.call('run.start', { scenario: { ...smallScenario }, name: 'first' });
    expect(await isSettled(starting)).toBe(false);
    reach('first');
    const first = await starting;
    expect(await test.host.runs.waitForEnd(first.id)).toMatchObject({ state: 'done', error: null });
    const { variants, compiler } = await page.call('capabilities', {});
    expect([...new Set(variants.map(({ device }) => device))]).toEqual(['cpu']);
    expect(compiler).not.toBe('');

    reach('whole');
    const second = await page.call('run.start', { scenario: { ...smallScenario }, name: 'second' });
    await test.host.runs.waitForEnd(second.id);
    const [a, b] = await Promise.all(
      [first, second].map(({ id }) => page.call('run.depthDose', { run: id }).then(({ curve }) => curve.values)),
    );
    expect(a?.length).toBe(44);
    expect(a).toEqual(b);
  });

  it('lets scenarios of other workloads, and those that name a GPU variant, wait for the complete solver', async () => {
    reach('first');
    const other = page.call('scenario.resolve', { scenario: layer });
    const gpu = page.call('scenario.resolve', {
      scenario: { ...smallScenario, solver: { ...smallScenario.solver, variant: 'cuda-window' } },
    });
    expect(await Promise.all([other, gpu].map(isSettled))).toEqual([false, false]);
    reach('whole');
    expect((await other).resolved?.kind).toBe('linear-relu');
    // The variant is known; without a GPU it is rejected with the machine's reason.
    const told = (await gpu).issues.map(({ message }) => message).join();
    expect(told).not.toContain('is not known');
  });

  it('rejects waiting calls if the solver cannot be compiled', async () => {
    const starting = page.call('run.start', { scenario: { ...smallScenario }, name: 'never' });
    solver.report({ stage: 'none', progress: null, failed: 'The C++ build failed.' });
    await expect(starting).rejects.toThrow('The C++ build failed.');
  });
});

describe('runs without viewers', () => {
  const document = {
    kind: 'transport',
    version: 1,
    beam: { energy_MeV: 40 },
    grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 40 },
    solver: { stepping: 'depth' },
  };

  test('send no frames, and have the same dose as watched runs', async () => {
    const addon = loadAddon();
    const scenarios = await openTestScenarios(addon);
    const reading = await scenarios.check(document, { name: 'test', folder: null });
    const problem = { ...scenarios.resolve(reading), keyframes: 0 };
    const [watched, unwatched] = [addon.createTransport(problem), addon.createTransport(problem)];
    const seen = await watched.start(() => undefined);
    const unseen = await unwatched.start(() => undefined, { unwatched: true });
    expect(watched.live()).not.toBeNull();
    expect(unwatched.live()).toBeNull();
    expect([...unseen.dose]).toEqual([...seen.dose]);
  });
});
