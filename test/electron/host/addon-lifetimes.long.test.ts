/**
 * Starts, cancels, closes and drops runs of every workload in random order. The process must exit cleanly afterwards.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { extraStragglingOf, loadAddon, variantOptionsOf } from '../../../electron/host/io/addon/addon.ts';
import { hostWorkloads } from '../../../electron/host/workloads/index.ts';
import { openScenarios, problemOf, type Scenarios } from '../../../electron/host/workloads/scenarios/scenarios.ts';
import { assetsFolder, memoryLimit_bytes, smallScenario } from './small-run.ts';
import { smallImage } from './workloads/small-image.ts';

const addon = loadAddon();
let scenarios: Scenarios;
beforeAll(async () => {
  scenarios = await openScenarios({
    assetsFolder,
    rangeTable: (energies, stopping, at) => addon.rangeTable(energies, stopping, at),
    variants: (workload) => hostWorkloads[workload].variants(addon),
    workloads: hostWorkloads,
    extraStraggling: extraStragglingOf(addon),
    offers: variantOptionsOf(addon),
    memoryLimit_bytes,
  });
});

/** Seeded pseudo-random numbers from 0 to 1. */
function seededNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface RandomRun {
  start(): Promise<unknown>;
  cancel(): void;
  look(): void;
}

/** Factories of runs of each workload: small runs, and one that would need hours. */
async function runFactories(): Promise<readonly (() => RandomRun)[]> {
  const check = (document: object) => scenarios.check(document, { name: 'test', folder: null });
  const cpu = { solver: { threads: 2 } };
  const transport = await check({ ...smallScenario });
  const image = await check(smallImage);
  const huge = await check({ ...smallImage, detector: { ...smallImage.detector, width: 32_768, oversample: 1000 } });
  const documents = (
    [
      ['micro/bandwidth.json', { n: 4_000_000 }],
      ['linear-relu/layer-256.json', {}],
    ] as const
  ).map(async ([name, less]) => {
    const text = await readFile(path.join(assetsFolder, 'scenarios', name), 'utf8');
    const { problem, ...document } = JSON.parse(text) as { readonly problem: object };
    return check({ ...document, problem: { ...problem, ...less }, ...cpu });
  });
  if (transport.kind !== 'transport') throw new Error('not a transport scenario');
  const images = [image, huge].map((reading) => {
    if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
    return problemOf(reading);
  });
  const tasks = (await Promise.all(documents)).map((reading) => {
    if (reading.kind !== 'micro' && reading.kind !== 'linear-relu') throw new Error('not a task');
    return problemOf(reading);
  });
  const solved = problemOf(transport);
  return [
    () => {
      const run = addon.createTransport(solved);
      return {
        start: () => run.start(() => undefined),
        cancel: () => run.cancel(),
        look: () => void [run.live(), run.wantCheckpoint(0), run.checkpoint()],
      };
    },
    ...images.map((problem) => () => {
      const run = addon.createDiffraction({ ...problem, solver: { ...problem.solver, threads: 2 } });
      return { start: () => run.start(() => undefined), cancel: () => run.cancel(), look: () => void run.live() };
    }),
    ...tasks.map((problem) => () => {
      const task = addon.createTask(problem);
      const whole = async () => {
        await task.prepare();
        await task.sample({ mode: 'warm', at_least_s: 0.02 });
        await task.check(1);
        await task.close();
      };
      return { start: whole, cancel: () => task.cancel(), look: () => void task.plan };
    }),
  ];
}

/** Number of random operations: some seconds on an idle machine. */
const TURNS = 400;
const MAX_AT_ONCE = 6;

it('the process exits cleanly, whatever was started, cancelled, watched or dropped', { timeout: 120_000 }, async () => {
  const random = seededNumbers(20_261_123);
  const any = <T>(of: readonly T[]): T | undefined => of[Math.floor(random() * of.length)];
  const makes = await runFactories();
  const alive = new Set<RandomRun>();
  const ends: Promise<void>[] = [];
  let started = 0;
  const cancel = (life: RandomRun): void => {
    life.cancel();
    alive.delete(life);
  };
  for (let turn = 0; turn < TURNS; turn += 1) {
    const what = random();
    const one = any([...alive]);
    if (what < 0.4 && alive.size < MAX_AT_ONCE) {
      const life = any(makes)?.();
      if (life === undefined) continue;
      // Some runs are cancelled before they start, and some are dropped without being started.
      if (random() < 0.1) life.cancel();
      if (random() < 0.1) continue;
      started += 1;
      alive.add(life);
      ends.push(life.start().then(() => void alive.delete(life)));
    } else if (what < 0.7) one?.look();
    else if (one !== undefined) cancel(one);
    if (random() < 0.02) globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, random() * 20));
  }
  for (const life of [...alive]) cancel(life);
  // A run that ignored its cancellation would end after the test's timeout.
  const settled = await Promise.allSettled(ends);
  expect(settled.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(started).toBeGreaterThan(20);
  // The addon still works.
  const again = makes[1]?.();
  expect(await again?.start()).toMatchObject({ status: 'done', done: 1 });
});
