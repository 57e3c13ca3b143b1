/**
 * Memory of a run itself. After reading its scenario the process collects garbage and resets its peak. Otherwise memory
 * left from reading counts as the run's, or hides it. Run by ownMemory().
 */
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { loadAddon } from '../../../electron/host/io/addon/addon.ts';
import { peakMemory_bytes } from '../../../electron/host/io/peak-memory.ts';
import { openTestScenarios } from '../../electron/host/small-run.ts';
import { whole } from './processes.ts';
import { solve, transportProblem } from './solver.ts';

/** On Linux, writing 5 to this file resets a process's peak. */
const ANEW = '/proc/self/clear_refs';
const LIMIT_bytes = 2 ** 34;
const COLLECTIONS = 3;

export const canMeasureOwnMemory = existsSync(ANEW);

/** Bytes that `document`, whose files lie in `folder`, takes beyond the program that has read it. */
export async function ownMemory(document: object, folder: string): Promise<number> {
  const words = ['--expose-gc', import.meta.filename, JSON.stringify(document), folder];
  const { output } = await whole(process.execPath, words);
  return Number(output);
}

async function measure(document: object, folder: string): Promise<number> {
  const addon = loadAddon();
  const scenarios = await openTestScenarios(addon, LIMIT_bytes);
  const problem = transportProblem(await scenarios.any.check(document, { name: 'own memory', folder }));
  for (let i = 0; i < COLLECTIONS; i += 1) {
    await wait(0); // what is freed only behind a turn of the loop
    globalThis.gc?.();
  }
  const before = process.memoryUsage.rss();
  writeFileSync(ANEW, '5');
  await solve({ addon }, problem);
  return peakMemory_bytes() - before;
}

if (import.meta.main) {
  const [document = '', folder = ''] = process.argv.slice(2);
  console.log(await measure(JSON.parse(document) as object, folder));
}
