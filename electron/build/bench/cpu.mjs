/**
 * `npm run bench -- cpu`: compares the CPU variants on the scenarios of the speed targets and measures the latencies
 * that a user sees. Then prints the targets, met or missed, with their bounds.
 * - `--smatrix FOLDER`: a checkout of Smatrix_2D.
 * - `--waits`: measures user-visible latencies alone, and `--only a,b` only these.
 * - `--keep`: saves the targets in assets/measured, the source of the handbook's table.
 * With other arguments, runs the command line's `bench` with them: `npm run bench -- cpu SCENARIO --variants a,b`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { capture, runInTerminal } from '../setup/command.mjs';
import { callerFolder, inRoot } from '../setup/root.mjs';
import { printLine } from '../setup/say.mjs';
import { commandLine } from './command-line.mjs';
import { KEEP_FLAG, loadNow, saveTargets } from './measured.ts';
import { measurePhysicsCosts, physicsTargets } from './physics-costs.mjs';
import { STUDY_POINTS, studyOfBeams } from './study-cost.mjs';
import { cpuTargets, denseStep, imageTargets, readSessions, studyTargets, targetLines } from './targets.mjs';
import { measureWaits, waitsArguments } from './waits.mjs';

/**
 * Benchmark sessions: scenario, variants and time limit in seconds. The first variant is the reference. A round of the
 * second scenario needs 14 s, and an interval needs five rounds.
 */
const SESSIONS = /** @type {const} */ ([
  ['water-70MeV', 'window,depth', 60],
  ['uniform-grid-70MeV', 'scatter,gather,fused,window', 120],
]);

/** Sessions that compute diffraction images. A round needs 3 s on two cores. */
const IMAGES = /** @type {const} */ ([
  ['rotation-100-orientations', 'diffraction-fp64,diffraction-mixed,diffraction-double-float,diffraction-unfused', 60],
]);

/**
 * Measures the peak memory of an end-to-end run of water-70MeV in a separate process, in bytes.
 * @param {string} cli
 */
async function peakMemory(cli) {
  const file = inRoot('assets/scenarios/water-70MeV.json');
  const { code, output } = await capture(process.execPath, [cli, 'run', file, '--variant', 'window', '--json']);
  if (code !== 0) return null;
  const found = /"peak_rss_MB": ([\d.]+)/.exec(output)?.[1];
  return found === undefined ? null : Number(found) * 1e6;
}

/** @param {readonly string[]} given */
export async function run(given) {
  const keeps = given.includes(KEEP_FLAG);
  const args = given.filter((one) => one !== KEEP_FLAG);
  const { own, others, alone } = waitsArguments(args);
  const cli = commandLine();
  if (alone && others.length === 0) {
    for (const line of targetLines(await measureWaits(own))) printLine(line);
    return 0;
  }
  if (others.length > 0) return runInTerminal(process.execPath, [cli, 'bench', ...args], { cwd: callerFolder });

  const load = loadNow();
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-bench-'));
  try {
    let worst = 0;
    for (const [scenario, variants, seconds] of SESSIONS) {
      printLine(`\n${scenario}`);
      const words = [
        'bench',
        inRoot(`assets/scenarios/${scenario}.json`),
        '--variants',
        variants,
        '--time',
        String(seconds),
      ];
      const out = path.join(folder, `cpu-${scenario}.json`);
      worst = Math.max(worst, await runInTerminal(process.execPath, [cli, ...words, '--out', out]));
    }
    const images = mkdtempSync(path.join(folder, 'images-'));
    for (const [scenario, variants, seconds] of IMAGES) {
      printLine(`\n${scenario}`);
      const file = inRoot(`assets/scenarios/diffraction/${scenario}.json`);
      const words = ['bench', file, '--variants', variants, '--time', String(seconds)];
      const out = path.join(images, `image-${scenario}.json`);
      worst = Math.max(worst, await runInTerminal(process.execPath, [cli, ...words, '--out', out]));
    }
    printLine(`\nA study of ${STUDY_POINTS} beams`);
    const study = await studyOfBeams(cli);
    printLine('\nReactions and LET, compared with the steps of the beam alone');
    const costs = await measurePhysicsCosts(cli);
    const waits = await measureWaits(own);
    printLine('');
    const met = [
      ...waits,
      ...cpuTargets(readSessions(folder), await peakMemory(cli)),
      ...imageTargets(readSessions(images)),
      ...studyTargets(study),
      ...physicsTargets(costs),
      { ...denseStep(undefined, 'cuda-fused'), needs: 'a GPU: npm run bench -- gpu' },
    ];
    for (const line of targetLines(met)) printLine(line);
    if (keeps)
      printLine(
        `Saved in ${await saveTargets(inRoot('.'), 'cpu', { command: 'npm run bench -- cpu', load, rows: met })}`,
      );
    return worst;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
