/** Beams on one grid: the result of a beam in a block is its own, whatever the block contained before. */
import { afterEach, expect, test, vi } from 'vitest';
import { BraggError } from '../../../../../electron/contract/errors.ts';
import { loadAddon } from '../../../../../electron/host/io/addon/addon.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import {
  answerOf,
  asBeam,
  type BatchOptions,
  type SolvedBeam,
} from '../../../../../electron/host/workloads/transport/batch.ts';
import { runsOnOneGrid, solveOnOneGrid } from '../../../../../electron/host/workloads/transport/one-grid.ts';
import type { RunData } from '../../../../../electron/host/workloads/transport/run-data.ts';
import { memoryLimit_bytes, openTestScenarios, tinyScenario } from '../../small-run.ts';

afterEach(() => vi.unstubAllEnvs());

/** More than there are blocks. */
const energies = Array.from({ length: 140 }, (_, i) => 30 - i / 20);

async function reading() {
  const beam = { spots: energies.map((energy_MeV) => ({ energy_MeV })) };
  const solver = { step_mm: 0.5, stepping: 'depth', variant: 'depth', threads: 1 };
  return asBeam(
    'beams',
    await (await openTestScenarios()).any.check(
      { ...tinyScenario, beam, solver, output: {} },
      { name: 'beams', folder: null },
    ),
  );
}

function options(): Omit<BatchOptions, 'ended'> {
  const addon = loadAddon();
  const { cpu, logicalCores, memoryBytes, os } = addon.machine();
  return {
    ...{ addon, memoryLimit_bytes, signal: new AbortController().signal, gpu: () => null },
    program: { ...addon.buildInfo(), commit: null },
    machine: { id: null, cpu, logicalCores, memory_bytes: memoryBytes, os },
  };
}

const numbers = ({ summary, depthDose }: SolvedBeam) => {
  const { metrics, ledger, notes, gray, steps, cell_steps, extra_straggling_mm } = summary;
  return { metrics, ledger, notes, gray, steps, cell_steps, extra_straggling_mm, depthDose };
};

test('answers are those of the whole runs, also of beams that come in the block of another', async () => {
  const beams = await reading();
  const runs: RunData[] = [];
  const answers: SolvedBeam[] = [];
  await runsOnOneGrid('beams', beams, {
    ...options(),
    ended: (index, run) => {
      if (run instanceof BraggError) throw run;
      runs[index] = run;
    },
  });
  await solveOnOneGrid('beams', beams, {
    ...options(),
    ended: (index, answer) => {
      if (answer instanceof BraggError) throw answer;
      answers[index] = answer;
    },
  });
  expect(answers).toHaveLength(energies.length);
  expect(answers.map(numbers)).toEqual(runs.map((run) => numbers(answerOf(run))));
  // Results of complete runs are retained: no two share an array.
  expect(new Set(runs.map(({ dose }) => dose.buffer)).size).toBe(energies.length);
});

test('beams on one grid are refused by what each visits, as they are alone', async () => {
  const geometry = { ...tinyScenario.geometry, depth_mm: 1100 };
  const solver = { stepping: 'depth', variant: 'depth', threads: 1 };
  const { any } = await openTestScenarios();
  const readingOf = async (beam: object) =>
    asBeam('b', await any.check({ ...tinyScenario, geometry, beam, solver, output: {} }, { name: 'b', folder: null }));
  const alone = await hostWorkloads.transport.needs(loadAddon(), await readingOf({ energy_MeV: 30 }));
  const beams = await readingOf({ spots: Array.from({ length: 4 }, () => ({ energy_MeV: 30 })) });
  const solve = async (most: number) => {
    vi.stubEnv('BRAGGBENCH_MOST_MINUTES', String((most * (alone.least_s ?? 0)) / 60));
    const ended: number[] = [];
    await solveOnOneGrid('beams', beams, { ...options(), ended: (index) => ended.push(index) });
    return ended.length;
  };
  expect(await solve(4.5)).toBe(4);
  await expect(solve(3.5)).rejects.toThrow(/^the batch takes at least .* minutes \(4 together/);
});

/** Holds this thread until no other of the process is at work. */
function othersRest(): void {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  const used = (): number => Object.values(process.cpuUsage()).reduce((sum, one) => sum + one, 0);
  let before = used();
  for (let quiet = 0; quiet < 4; ) {
    Atomics.wait(nothing, 0, 0, 50);
    const now = used();
    quiet = now - before < 2000 ? quiet + 1 : 0;
    before = now;
  }
}

test('beams that are given up while every block waits to be read end there; those that were told stay', async () => {
  const giving = new AbortController();
  const told: number[] = [];
  await solveOnOneGrid('beams', await reading(), {
    ...options(),
    signal: giving.signal,
    ended: (index, answer) => {
      if (answer instanceof BraggError) throw answer;
      if (told.length === 0) {
        othersRest();
        giving.abort();
      }
      told.push(index);
    },
  });
  // 128 blocks, the beam that waited for one, and the one behind it that had begun.
  expect(told.length).toBeLessThanOrEqual(130);
  expect(new Set(told).size).toBe(told.length);
});
