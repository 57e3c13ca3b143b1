/** A run never blocks the host's event loop: timers fire while all cores compute. */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { MapRequest } from '../../../electron/contract/run.ts';
import type { Client } from '../../../renderer/data/client/client.ts';
import { openTestHost, type TestHost } from './test-host.ts';

let test: TestHost;
let page: Client;
beforeEach(async () => {
  test = await openTestHost({ checkResults: false, memoryLimit_bytes: 2 ** 34 });
  page = await test.page();
});
afterEach(() => test.close());

const viewport: MapRequest['viewport'] = { horizontal: null, vertical: null, pixels: [512, 512] };
const maps: MapRequest[] = [
  { quantity: 'dose', horizontal: 'z', vertical: 'x', viewport },
  { quantity: 'protons', horizontal: 'x', vertical: 'theta', viewport },
  { quantity: 'protons', horizontal: 'theta', vertical: 'e', viewport },
  { quantity: 'protons', horizontal: 'z', vertical: 'e', viewport },
];

interface Delays {
  /** 99th percentile of the event loop's delays, wall time, ms. */
  readonly p99: number;
  /** 99th percentile of the main thread's processor time between two iterations of the event loop, ms. */
  readonly work_p99: number;
  readonly frames: number;
}

/** Runs a scenario with a page that subscribes to all its streams. */
async function delaysDuring(scenario: Record<string, unknown>): Promise<Delays> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  const work_us = createHistogram();
  let before = process.threadCpuUsage();
  const turns = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    work_us.record(Math.max(1, user + system));
  }, 1);
  delays.enable();
  const { id } = await page.call('run.start', { scenario, name: '' });
  let frames = 0;
  page.stream('run.progress', { run: id }, { frame: () => undefined });
  page.stream(
    'run.live',
    { run: id, maps, depthDose: true },
    {
      frame: () => {
        frames += 1;
      },
    },
  );
  const { state } = await test.host.runs.waitForEnd(id);
  delays.disable();
  clearInterval(turns);
  expect(state).toBe('done');
  return { p99: delays.percentile(99) / 1e6, work_p99: work_us.percentile(99) / 1e3, frames };
}

/** Processor time in ms that the host uses for live frames: a few milliseconds, forty times a second. */
const FRAME_WORK_MS = 5;
const FRAME_EVERY_MS = 25;

/**
 * p99 of the event-loop delays without a host, while all cores are busy and this thread does as much work as live
 * frames need. It shows the delays that the machine and other programs cause by themselves.
 */
async function delaysOfTheMachine(): Promise<number> {
  const spin = 'const until = Date.now() + 1500; while (Date.now() < until);';
  const threads = Array.from({ length: availableParallelism() }, () => new Worker(spin, { eval: true }));
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const frames = setInterval(() => {
    const start = process.threadCpuUsage();
    let used = 0;
    while (used < FRAME_WORK_MS * 1000) {
      const { user, system } = process.threadCpuUsage(start);
      used = user + system;
    }
  }, FRAME_EVERY_MS);
  await Promise.all(threads.map((thread) => once(thread, 'exit')));
  clearInterval(frames);
  delays.disable();
  return delays.percentile(99) / 1e6;
}

const ATTEMPTS = 6;
/** Live frames are a run's only work on the event loop; on a loaded machine a single run draws few. */
const ENOUGH_FRAMES = 4;
const drawnFrames = (seen: readonly Delays[]): number => seen.reduce((sum, { frames }) => sum + frames, 0);

const solvers = { window: { variant: 'window' }, depth: { stepping: 'depth', variant: 'depth' } };

it.for(Object.entries(solvers))(
  '%s on all cores: 99 of 100 event-loop delays stay below 20 ms',
  // With ten times as many busy processes as cores, six attempts need a minute.
  { timeout: 300_000, tags: 'slow' },
  async ([name, solver], context) => {
    // Long enough that a single delay at its start is less than 1 % of all delays.
    const scenario = { kind: 'transport', version: 1, name, beam: { energy_MeV: 160 }, solver };
    // A shorter run first, so that the code is compiled before the measurement.
    await delaysDuring({ ...scenario, beam: { energy_MeV: 50 } });
    const seen: Delays[] = [];
    // Delays of the machine alone, measured after each attempt above the limit.
    const machine: number[] = [];
    const best = (of: 'work_p99' | 'p99'): number => Math.min(...seen.map((attempt) => attempt[of]));
    do {
      seen.push(await delaysDuring(scenario));
      if (best('p99') >= 20) machine.push(await delaysOfTheMachine());
    } while (
      seen.length < ATTEMPTS &&
      (best('p99') >= 20 || best('work_p99') >= 20 || drawnFrames(seen) < ENOUGH_FRAMES)
    );
    // The program itself uses this processor time, so it does not depend on the load of the machine.
    expect(best('work_p99')).toBeLessThan(20);
    expect(drawnFrames(seen)).toBeGreaterThanOrEqual(ENOUGH_FRAMES);
    const others = Math.max(...machine);
    // The load varies. Skip the test if no attempt met the limit and the machine also exceeded it without a run.
    if (best('p99') >= 20 && others >= 20) {
      context.skip(`other programs use the cores: delays of ${others.toFixed(0)} ms without a run`);
    }
    expect(best('p99')).toBeLessThan(20);
  },
);
