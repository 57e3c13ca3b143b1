/** A run whose device fails midway: finished steps are retained, shown, printed and saved, with the reason. */

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseArguments } from '../../../electron/cli/arguments.ts';
import { Terminal } from '../../../electron/cli/terminal.ts';
import { performRun, run as runVerb } from '../../../electron/cli/verbs/run.ts';
import type { SummaryDocument } from '../../../electron/contract/run.ts';
import { readRunFacts } from '../../../electron/host/app/run-files/tasks.ts';
import {
  loadAddon,
  type NativeAddon,
  type TransportProblem,
  type TransportRun,
} from '../../../electron/host/io/addon/addon.ts';
import { runOf } from '../../../electron/host/workloads/run-data.ts';
import { readRun } from './read-transport.ts';
import { smallScenario } from './small-run.ts';
import { openTestHost, type TestHost } from './test-host.ts';
import { TransportScenarios } from './transport-scenarios.ts';

const reason =
  'cuStreamSynchronize on NVIDIA H200 failed: CUDA_ERROR_ILLEGAL_ADDRESS; last kernel launched: gather_score_f32.';

/** A run on a device that fails after the first steps: the result is that of one that takes no more. */
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

/** The engine, on such a device. */
function failing(): NativeAddon {
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
  test = await openTestHost({ addon: failing() });
});
afterEach(() => test.close());

describe('a run whose device fails', () => {
  it('ends as failed with the reason, and its readouts are those of the steps before', async () => {
    const page = await test.page();
    const started = await page.call('run.start', { scenario: { ...smallScenario }, name: 'fails' });
    const info = await test.host.runs.ended(started.id);
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

    const opened = await test.host.runs.adopt(back, null);
    expect(opened).toMatchObject({ state: 'failed', error: { message: reason } });
    expect(runOf('transport', await test.host.runs.data(opened.id)).dose).toEqual(back.dose);
  });

  it('is printed and saved by the command line, which ends with 1 and says why', async () => {
    const written = { out: '', error: '' };
    const terminal = new Terminal(
      { write: (text: string) => (written.out += text) },
      { write: (text: string) => (written.error += text) },
      {},
    );
    const scenario = path.join(test.folder, 'small.json');
    await test.host.files.write(test.host.grant(scenario).file, Buffer.from(JSON.stringify(smallScenario)), 'replace');
    const out = path.join(test.folder, 'out.h5');
    const perform = (words: string[]) =>
      performRun(
        { parsed: parseArguments(words, runVerb.flags), words, terminal, signal: new AbortController().signal },
        test.host,
      );
    expect(await perform([scenario, '--out', out])).toBe(1);
    expect(written.out).toContain('failed, what was finished before: 12 steps');
    expect(written.out).toContain('Saved as');
    expect(written.error).toContain(reason);
    expect(await readRun(await readFile(path.join(test.folder, 'out.h5')), 'out.h5')).toMatchObject({
      status: 'failed',
    });

    written.out = '';
    expect(await perform([scenario, '--json'])).toBe(1);
    expect(JSON.parse(written.out) as SummaryDocument).toMatchObject({ status: 'failed', error: reason, steps: 12 });
  });

  it('is no measurement', async () => {
    const { measure } = await import('../../../electron/host/model/bench/measure.ts');
    const scenarios = new TransportScenarios(test.host.scenarios);
    const reading = await scenarios.check({ ...smallScenario }, { name: 'test', folder: null });
    await expect(measure(test.host.addon, scenarios.resolve(reading))).rejects.toMatchObject({
      code: 'device',
      message: reason,
    });
  });
});
