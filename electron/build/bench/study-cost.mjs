/**
 * `npm run bench -- studies`: measures the overhead of a study with a thousand points, compared with the sum of their
 * solving times. Also measures how long each view of a hundred thousand rows needs. `cost` or `views` runs only one of
 * both; `--points N` and `--rows N` set the sizes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { capture, runInTerminal } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { printLine } from '../setup/say.mjs';
import { commandLine, valueAfter } from './command-line.mjs';
import { studyTargets, targetLines } from './targets.mjs';

export const STUDY_POINTS = 1000;

/**
 * Solves variations of water-70MeV on all cores, with one thread each. Returns the wall time and the sum of the
 * engine's times in seconds; null if the study failed.
 * @param {string} cli
 */
export async function studyOfBeams(cli, points = STUDY_POINTS) {
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-study-cost-'));
  try {
    const study = path.join(folder, 'beams.json');
    const axes = [
      { kind: 'range', path: 'beam.energy_MeV', from: 40, to: 70, count: points },
      { kind: 'list', path: 'solver.stepping', values: ['depth'] },
      { kind: 'list', path: 'solver.variant', values: ['depth'] },
      { kind: 'list', path: 'solver.threads', values: [1] },
    ];
    writeFileSync(study, JSON.stringify({ kind: 'study', version: 1, base: [{ file: 'water-70MeV' }], axes }));
    const ran = await capture(process.execPath, [cli, 'study', 'run', study, '--json']);
    const table = await capture(process.execPath, [cli, 'study', 'collect', study, '--json']);
    if (ran.code !== 0 || table.code !== 0) return null;
    const { wall_s, done } = JSON.parse(ran.output);
    /** @type {{ columns: { name: string }[], rows: (number | string | null)[][] }} */
    const { columns, rows } = JSON.parse(table.output);
    const [setup, solve] = ['setup_s', 'solve_s'].map((wanted) => columns.findIndex(({ name }) => name === wanted));
    const solves_s = rows.reduce((sum, row) => sum + Number(row[setup ?? -1]) + Number(row[solve ?? -1]), 0);
    return { wall_s, solves_s, lanes: availableParallelism(), points: done };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {readonly string[]} words */
async function measureCost(words) {
  const points = Number(valueAfter(words, '--points') ?? STUDY_POINTS);
  const targets = studyTargets(await studyOfBeams(commandLine(), points));
  for (const line of targetLines(targets)) printLine(line);
  return targets.every(({ met }) => met === true) ? 0 : 1;
}

/** @param {readonly string[]} words */
const measureViews = (words) => runInTerminal(process.execPath, [inRoot('test/bench/study-views.ts'), ...words]);

const PARTS = { cost: measureCost, views: measureViews };

/** @param {readonly string[]} words */
export async function run(words) {
  const named = Object.entries(PARTS).filter(([name]) => words.includes(name));
  let worst = 0;
  for (const [, part] of named.length > 0 ? named : Object.entries(PARTS)) worst = Math.max(worst, await part(words));
  return worst;
}
