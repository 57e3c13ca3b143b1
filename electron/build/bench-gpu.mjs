/**
 * `npm run bench:gpu`: the CUDA ladder and the programs outside, on the
 * scenarios that the GPU targets are stated for. Keeps each session in
 * assets/runs, and what a user waits for. Prints the targets, met or missed,
 * each beside its bound. `--from FOLDER` prints kept sessions instead of
 * measuring. `--sessions a,b` records only those, by their names below
 * assets/runs without .json. `--waits` measures nothing but what a user waits for, and
 * `--only a,b` parts of that. `--smatrix FOLDER` takes a checkout of Smatrix_2D.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { chosenSessions } from './bench/chosen.mjs';
import { GPU_SESSIONS } from './bench/gpu-sessions.mjs';
import {
  gpuImageTargets,
  gpuTargets,
  layerTargets,
  readImageSessions,
  readSessions,
  readTaskSessions,
  targetLines,
} from './bench/targets.mjs';
import { measureWaits, waitsArguments } from './bench/waits.mjs';
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main, say } from './setup/say.mjs';
import { build, everyStep, prepare } from './steps/all.mjs';

/** @param {string} folder @param {readonly import('./bench/targets.mjs').Target[]} waits */
function printTargets(folder, waits = []) {
  const images = readImageSessions(path.join(folder, 'diffraction'));
  const layers = readTaskSessions(path.join(folder, 'linear-relu'));
  const all = [...waits, ...gpuTargets(readSessions(folder)), ...gpuImageTargets(images), ...layerTargets(layers)];
  for (const line of targetLines(all)) say(line);
}

await main(async () => {
  const args = process.argv.slice(2);
  const from = args.indexOf('--from');
  if (from >= 0) {
    printTargets(path.resolve(args[from + 1] ?? inRoot('assets/runs')));
    return 0;
  }
  const elsewhere = await prepare(args);
  if (elsewhere !== null) return elsewhere;
  await build(await everyStep());
  const { own, alone } = waitsArguments(args);
  if (alone) {
    for (const line of targetLines(await measureWaits(['--gpu', ...own]))) say(line);
    return 0;
  }
  const folder = inRoot('assets/runs');
  let worst = 0;
  const chosen = chosenSessions(args, GPU_SESSIONS, ({ file }) => file.replace(/\.json$/, ''));
  for (const { file, words } of chosen ?? GPU_SESSIONS) {
    say(`\nbraggbench ${words.join(' ')}`);
    const out = path.join(folder, file);
    mkdirSync(path.dirname(out), { recursive: true });
    // What was recorded before is kept by git.
    const all = [inRoot('dist/host/cli.js'), ...words, '--out', out, '--force'];
    worst = Math.max(worst, await hand(process.execPath, all));
  }
  if (chosen !== null) return worst;
  const waits = await measureWaits(['--gpu', ...own]);
  say('');
  printTargets(folder, waits);
  return worst;
});
