/**
 * `npm run bench:tuning`: tunes the shipped kernels on this machine, and packs studies, tables and T4 files. Prints each
 * winner beside the usual constants. `--out FOLDER` takes what is made, `dist/tuning` by default; what is there goes on.
 * `--sessions a,b` tunes only those.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { TUNING_SESSIONS, tuningStudy } from './bench/tuning-sessions.mjs';
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { Failure, main, say } from './setup/say.mjs';
import { prepare } from './steps/all.mjs';

/** @param {readonly string[]} args @param {string} flag */
function wordAfter(args, flag) {
  const at = args.indexOf(flag);
  return at < 0 ? null : (args[at + 1] ?? '');
}

/** @param {string | null} names */
function chosenSessions(names) {
  if (names === null) return TUNING_SESSIONS;
  return names.split(',').map((name) => {
    const found = TUNING_SESSIONS.find((one) => one.name === name);
    if (found !== undefined) return found;
    const allowed = TUNING_SESSIONS.map((one) => one.name).join(', ');
    throw new Failure(`--sessions: ${JSON.stringify(name)} is not known; allowed: ${allowed}`);
  });
}

/** @param {readonly string[]} words */
const braggbench = (...words) => hand(process.execPath, [inRoot('dist/host/cli.js'), ...words]);

await main(async () => {
  const args = process.argv.slice(2);
  const chosen = chosenSessions(wordAfter(args, '--sessions'));
  const elsewhere = await prepare(args);
  if (elsewhere !== null) return elsewhere;
  const folder = path.resolve(wordAfter(args, '--out') ?? inRoot('dist/tuning'));
  mkdirSync(folder, { recursive: true });
  const tuned = [];
  let worst = 0;
  for (const session of chosen) {
    const { name, scenario, variant } = session;
    say(`\n${name}: ${variant} on ${scenario}`);
    const file = path.join(folder, `${name}.json`);
    const study = path.join(folder, `${name}.study`);
    const document = tuningStudy(session, inRoot(`assets/scenarios/${scenario}.json`));
    writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
    // A variant that this machine cannot run says so; the others go on.
    const code = await braggbench('study', 'run', file);
    worst = Math.max(worst, code);
    if (code !== 0) continue;
    for (const ending of ['csv', 't4.json'])
      worst = Math.max(
        worst,
        await braggbench('study', 'export', study, path.join(folder, `${name}.${ending}`), '--force'),
      );
    tuned.push(study);
  }
  if (tuned.length > 0)
    worst = Math.max(
      worst,
      await braggbench('project', 'pack', path.join(folder, 'tuned.braggbench'), ...tuned, '--force'),
    );
  return worst;
});
