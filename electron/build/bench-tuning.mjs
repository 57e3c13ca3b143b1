/**
 * `npm run bench:tuning`: tunes the shipped kernels on this machine, and packs studies, tables and T4 files. Prints each
 * winner beside the usual constants. `--out FOLDER` takes what is made, `dist/tuning` by default; what is there goes on.
 * `--sessions a,b` tunes only those.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chosenSessions } from './bench/chosen.mjs';
import { TUNING_SESSIONS, tuningStudy } from './bench/tuning-sessions.mjs';
import { hand } from './setup/command.mjs';
import { inRoot } from './setup/root.mjs';
import { main, say } from './setup/say.mjs';
import { prepare } from './steps/all.mjs';

/** @param {readonly string[]} words */
const braggbench = (...words) => hand(process.execPath, [inRoot('dist/host/cli.js'), ...words]);

await main(async () => {
  const args = process.argv.slice(2);
  const chosen = chosenSessions(args, TUNING_SESSIONS, ({ name }) => name) ?? TUNING_SESSIONS;
  const elsewhere = await prepare(args);
  if (elsewhere !== null) return elsewhere;
  const out = args.indexOf('--out');
  const folder = path.resolve(out < 0 ? inRoot('dist/tuning') : (args[out + 1] ?? ''));
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
