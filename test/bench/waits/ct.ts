/**
 * A CT slice, 512 × 512, solved from shell command to result: the forecast of time and memory, and the measured values.
 * ownMemory() runs this file as a program to measure the memory of a run alone. After reading its scenario, that
 * process collects garbage and resets its peak. Otherwise memory left from reading would count as the run's, or hide
 * it.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { loadAddon } from '../../../electron/host/io/addon/addon.ts';
import { peakMemory_bytes } from '../../../electron/host/io/peak-memory.ts';
import { ellipsePhantom, nrrdOf } from '../../electron/host/io/volumes/phantom.ts';
import { openTestScenarios } from '../../electron/host/small-run.ts';
import { cli, runToExit } from './processes.ts';
import { megabytes, type Row, rowWithUpperLimit, seconds } from './row.ts';
import { solveProblem, transportProblem } from './solver.ts';

/** On Linux, writing 5 to this file resets a process's peak. */
const CLEAR_REFS_FILE = '/proc/self/clear_refs';
const LIMIT_bytes = 2 ** 34;
const COLLECTIONS = 3;

export const canMeasureOwnMemory = existsSync(CLEAR_REFS_FILE);

/** Memory in bytes that solving `document` adds to a program that has read it; its files are in `folder`. */
export async function ownMemory(document: object, folder: string): Promise<number> {
  const words = ['--expose-gc', import.meta.filename, JSON.stringify(document), folder];
  const { output } = await runToExit(process.execPath, words);
  return Number(output);
}

async function solveAndMeasureMemory(document: object, folder: string): Promise<number> {
  const addon = loadAddon();
  const scenarios = await openTestScenarios(addon, LIMIT_bytes);
  const problem = transportProblem(await scenarios.any.check(document, { name: 'own memory', folder }));
  for (let i = 0; i < COLLECTIONS; i += 1) {
    await wait(0); // some memory is freed only after an iteration of the event loop
    globalThis.gc?.();
  }
  const before = process.memoryUsage.rss();
  writeFileSync(CLEAR_REFS_FILE, '5');
  await solveProblem({ addon }, problem);
  return peakMemory_bytes() - before;
}

if (import.meta.main) {
  const [document = '', folder = ''] = process.argv.slice(2);
  console.log(await solveAndMeasureMemory(JSON.parse(document) as object, folder));
}

const DOCUMENT = {
  ...{ kind: 'transport', version: 2, beam: { energy_MeV: 150 }, geometry: { ct: { file: 'thorax.nrrd' } } },
  output: { keyframes: 0 },
};
/** Factor within which the forecast of the time must be correct. It only serves planning. */
const TIME_FACTOR = 2;
/**
 * Upper limit of the ratio of the memory forecast to the memory used. The forecast must never be below the memory used.
 */
const MAX_MEMORY_RATIO = 1.5;

const planSchema = z.object({ memory_bytes: z.number(), expected_s: z.number() });
const estimateSchema = z.object({ scenarios: z.tuple([z.object({ plan: planSchema })]) });
const usedSchema = z.object({ solve_s: z.number() });

async function reportedMemory(words: readonly string[], folder: string): Promise<unknown> {
  const { output } = await runToExit(process.execPath, [cli, ...words], folder);
  return JSON.parse(output);
}

export async function ctRows(gpu: boolean): Promise<readonly Row[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-ct-'));
  try {
    writeFileSync(path.join(folder, 'thorax.nrrd'), nrrdOf(ellipsePhantom(512)));
    writeFileSync(path.join(folder, 'ct.json'), JSON.stringify(DOCUMENT));
    const rows: Row[] = [];
    // With path stepping, a GPU would store the phase space of every depth: hundreds of GB for a slice. With depth
    // stepping, it stores one plane.
    for (const stepping of gpu ? ['depth'] : ['path', 'depth']) {
      const variant = `${gpu ? 'cuda-' : ''}${stepping === 'depth' ? 'depth' : 'window'}`;
      const requested = [
        'ct.json',
        '--set',
        `solver.stepping=${stepping}`,
        '--set',
        `solver.variant=${variant}`,
        '--json',
      ];
      // The CPU transports products of reactions, even if another device takes the steps.
      const [{ plan: said }] = estimateSchema.parse(await reportedMemory(['validate', ...requested], folder)).scenarios;
      const took = usedSchema.parse(await reportedMemory(['run', ...requested], folder));
      const name = `a 512 × 512 slice of a CT, 150 MeV, ${variant}`;
      const steps = {
        what: `${name}, steps; limit: twice the forecast`,
        limit: TIME_FACTOR * said.expected_s,
        text: seconds,
      };
      rows.push(rowWithUpperLimit(steps, took.solve_s));
      // Skip the GPU, because its forecast is about the GPU's memory.
      if (gpu || !canMeasureOwnMemory) continue;
      const taken_MB = (await ownMemory({ ...DOCUMENT, solver: { stepping, variant } }, folder)) / 1e6;
      const said_MB = said.memory_bytes / 1e6;
      rows.push(
        rowWithUpperLimit(
          { what: `${name}, memory of the run; limit: the forecast`, limit: said_MB, text: megabytes },
          taken_MB,
        ),
      );
      const over = `${name}, memory forecast; limit: ${MAX_MEMORY_RATIO} times the memory used`;
      rows.push(rowWithUpperLimit({ what: over, limit: MAX_MEMORY_RATIO * taken_MB, text: megabytes }, said_MB));
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
