/** Runs of small measured workloads through the host: what their sessions say of program and machine, and their timeline. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { benchOnThread } from '../../../electron/host/app/benches/thread.ts';
import { usedGpu } from '../../../electron/host/io/addon/gpu.ts';
import { forkChild } from '../../../electron/host/io/processes/link.ts';
import { hostWorkloads } from '../../../electron/host/workloads/index.ts';
import { parseTaskSession } from '../../../electron/host/workloads/task/session-file.ts';
import type { Client } from '../../../renderer/client/index.ts';
import { openTestHost, type TestHost } from './test-host.ts';

const launch = {
  kind: 'micro',
  version: 1,
  name: 'Launches',
  problem: { kind: 'launch', n: 2000, steps: 5 },
  solver: { variant: 'cpu-fused', threads: 2 },
} as const;

let test: TestHost;
let page: Client;
let run: string;
/** Workloads sent to the benchmarks' thread. */
const onThread: string[] = [];
const perform = benchOnThread(forkChild, () => undefined);
beforeAll(async () => {
  test = await openTestHost({
    performBench: (task, onProgress, signal) => {
      onThread.push(task.workload);
      return perform(task, onProgress, signal);
    },
  });
  page = await test.page();
  run = (await page.call('run.start', { scenario: { ...launch }, name: '', file: null })).id;
  expect(await test.host.runs.ended(run)).toMatchObject({ state: 'done', error: null });
});
afterAll(() => test.close());

it('keeps the commit, the program, the machine, the driver and the clocks with every sample', async () => {
  const { addon, commit } = test.host;
  const key = 'launch.task.json';
  await page.call('run.save', { run, file: { kind: 'library', key }, ifExists: 'refuse' });
  const text = await readFile(path.join(test.folder, 'library', key), 'utf8');
  const [report] = parseTaskSession(text, key).reports;
  const { version, build, compiler } = addon.buildInfo();
  expect(report?.program).toEqual({ version, build, compiler, ...(commit === null ? {} : { commit }) });
  expect(report?.machine).toMatchObject({ cpu: addon.machine().cpu, os: addon.machine().os });
  const gpu = usedGpu(addon.devices());
  if (gpu === null) expect(report?.machine.gpu).toBeNull();
  else expect(report?.machine.gpu).toMatchObject({ name: gpu.name, driver: addon.devices().cuda.driver });
  expect(report?.document).toEqual(launch);
  const measured = (report?.entries ?? []).flatMap((entry) => (entry.status === 'measured' ? [entry] : []));
  expect(measured.map(({ label }) => label)).toEqual(['cpu-passes', 'cpu-fused']);
  // A clock of the CPU is not read; one of a GPU is.
  for (const { device, samples } of measured) {
    expect(samples.length).toBeGreaterThan(0);
    for (const { sm_MHz } of samples) expect(sm_MHz === null).toBe(device === 'cpu');
  }
});

it('takes no less than was said before it', async () => {
  const { addon, scenarios } = test.host;
  const reading = await scenarios.check({ ...launch }, { name: 'launch', folder: null });
  const { least_s } = await hostWorkloads.micro.needs(addon, reading);
  // Six instances of three rounds, two variants and a control, a hundredth of a second each at the least.
  expect(least_s).toBeGreaterThanOrEqual(0.5);
  const key = 'elapsed.task.json';
  await page.call('run.save', { run, file: { kind: 'library', key }, ifExists: 'refuse' });
  const [report] = parseTaskSession(await readFile(path.join(test.folder, 'library', key), 'utf8'), key).reports;
  expect(report?.elapsed_s).toBeGreaterThanOrEqual(least_s ?? Number.POSITIVE_INFINITY);
});

it('has a timeline: a lane for each variant with what was done in it, not sent with its results', async () => {
  const info = await page.call('timeline.open', { source: { kind: 'run', run } });
  expect(info.lanes.map(({ process, name }) => [process, name])).toEqual([
    ['cpu-passes', 'samples'],
    ['cpu-fused', 'samples'],
  ]);
  const found = async (text: string) => (await page.call('timeline.search', { trace: info.id, text, limit: 10 })).count;
  // Once for each instance and each of two variants.
  const prepared = await found('prepare');
  expect(prepared % 2).toBe(0);
  expect(prepared).toBeGreaterThanOrEqual(2 * 3);
  expect(await found('check')).toBe(2);
  expect(await found('repetitions')).toBeGreaterThan(14);
  // By its file it is the same.
  const source = { kind: 'file', file: { kind: 'library', key: 'launch.task.json' } } as const;
  expect((await page.call('timeline.open', { source })).spans).toBe(info.spans);
  const session = await page.call('task.session', { run });
  expect(session.reports[0]).not.toHaveProperty('recordings');
});

it('is measured on the thread of benchmarks, and ends between two samples when it is stopped', async () => {
  expect(onThread).toEqual(['micro']);
  // Forty rounds of a sixteenth of a second: there is time to stop it, and on a machine ten times slower its 20 s do not end it.
  const scenario = { ...launch, problem: { kind: 'launch', n: 500_000, steps: 100 } };
  const { id } = await page.call('run.start', { scenario, name: '', file: null });
  const rounds = new Promise<void>((resolve) => {
    page.stream(
      'run.progress',
      { run: id },
      {
        frame: ({ detail }) => {
          if ('round' in detail && detail.phase === 'rounds' && detail.round >= 2) resolve();
        },
      },
    );
  });
  await rounds;
  await page.call('run.cancel', { run: id });
  expect(await test.host.runs.ended(id)).toMatchObject({ state: 'cancelled', error: null });
  const [report] = (await page.call('task.session', { run: id })).reports;
  expect(report?.stopped).toBe('cancelled');
  // Whole rounds only: as many samples of each variant.
  for (const entry of report?.entries ?? []) {
    expect(entry.status === 'measured' ? entry.samples.length : 0).toBe(report?.rounds);
  }
});

it('states in the name of a run what was edited in its scenario, unless that was named anew', async () => {
  const edited = { ...launch, problem: { ...launch.problem, n: 1000 }, solver: { ...launch.solver, threads: 1 } };
  const start = async (scenario: typeof edited | (Omit<typeof edited, 'name'> & { name: string })) => {
    const { id, name } = await page.call('run.start', { scenario, name: '', file: null, saved: { ...launch } });
    await test.host.runs.ended(id);
    return name;
  };
  // Threads are how it is solved, and not what.
  expect(await start(edited)).toBe('Launches (problem.n = 1000)');
  expect(await start({ ...edited, name: 'Few launches' })).toBe('Few launches');
});
