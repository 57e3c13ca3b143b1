/**
 * `npm run bench -- tuning`: tunes the shipped kernels on this machine.
 * - `--out FOLDER`, by default `dist/tuning`: receives winners.json (saved in assets/tuned for each GPU model),
 *   report.txt, and tuned.braggbench with all studies.
 * - `--sessions a,b`: tunes only these. `--minutes N`: total duration.
 * - `--carry FILE`: winners.json of another GPU model, whose winners are measured together with those of this GPU.
 * - `--as-built`: installs and builds nothing.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { capture, runInTerminal } from '../setup/command.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure, printLine } from '../setup/say.mjs';
import { commandLine, runForJson, selectSessions, valueAfter } from './command-line.mjs';
import { knownFasterConfigurations, sessionReport, tunedEntries } from './tuning-record.mjs';
import {
  defaultMinutes,
  searchSeconds,
  TOO_LITTLE_S,
  TUNING_SESSIONS,
  tunedScenario,
  tuningStudy,
} from './tuning-sessions.mjs';

/** @typedef {import('./tuning-record.mjs').TunedSession} TunedSession */

/** @param {string} file @returns {any} */
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
/** @param {string} file @param {unknown} value */
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** GPU of this machine, in the format of tuning records. */
async function thisGpu() {
  const { cuda } = await runForJson('devices');
  const [gpu] = cuda.devices;
  if (gpu === undefined) return { name: '', uuid: null, driver: null, architecture: null };
  const architecture = Number(gpu.computeCapability.replace('.', ''));
  return { name: gpu.name, uuid: gpu.uuid ?? null, driver: cuda.driver ?? null, architecture };
}

/**
 * Search space of a source file, including the values of the session's constants.
 * @param {import('./tuning-sessions.mjs').TuningSession} session
 */
function searchSpace({ scenario, variant }) {
  const { kind: workload = 'transport', problem } = readJson(inRoot(`assets/scenarios/${scenario}.json`));
  const bench = workload === 'micro' ? problem.kind : '';
  const { spaces } = readJson(inRoot(`assets/tunables/${workload}.json`));
  const found = spaces.find((/** @type {any} */ one) => (one.bench ?? '') === bench && one.variants.includes(variant));
  return { workload, bench, file: found.file };
}

/** @param {readonly string[]} args */
export async function run(args) {
  const chosen = selectSessions(args, TUNING_SESSIONS, ({ name }) => name) ?? TUNING_SESSIONS;
  const minutes = Number(valueAfter(args, '--minutes') ?? defaultMinutes(chosen));
  if (!(minutes > 0)) throw new Failure('--minutes: allowed: a number above 0');
  const carry = valueAfter(args, '--carry');
  /** @type {readonly TunedSession[]} */
  const carried = carry === null ? [] : readJson(path.resolve(carry)).sessions;
  const work = inRoot('dist/tuning');
  const out = path.resolve(valueAfter(args, '--out') ?? work);
  for (const folder of [work, out]) mkdirSync(folder, { recursive: true });
  const on = await thisGpu();
  printLine(`Tuning ${chosen.length} kernels on ${on.name || 'this machine'} in ${minutes.toPrecision(2)} min`);
  const begun_ms = performance.now();
  /** @type {TunedSession[]} */
  const sessions = [];
  /** @type {string[]} */
  const studies = [];
  /** @type {string[]} */
  const report = [];
  let commit = process.env['BRAGGBENCH_COMMIT'] ?? null;
  let worst = 0;
  for (const [i, session] of chosen.entries()) {
    const left_s = minutes * 60 - (performance.now() - begun_ms) / 1000;
    const { name, scenario, variant } = session;
    if (left_s < TOO_LITTLE_S) {
      report.push(`${name}: not started, because the time was used up`);
      continue;
    }
    printLine(`\n${name}: ${variant} on ${scenario}`);
    const space = searchSpace(session);
    const also = knownFasterConfigurations({ file: space.file, variant }, [...sessions, ...carried]);
    const search_s = searchSeconds(left_s, chosen.slice(i));
    const study = path.join(work, `${name}.study`);
    const file = path.join(work, `${name}.json`);
    rmSync(study, { recursive: true, force: true });
    const solved = path.join(work, `${name}-scenario.json`);
    writeJson(solved, tunedScenario(session, readJson(inRoot(`assets/scenarios/${scenario}.json`))));
    writeJson(file, tuningStudy(session, solved, { search_s, also }));
    // If this machine cannot run a variant, the command prints the reason, and the other sessions continue.
    const code = await runInTerminal(process.execPath, [commandLine(), 'study', 'run', file, '--out', study]);
    const best = path.join(study, 'best.json');
    const found = existsSync(best) ? readJson(best) : null;
    const entries = found === null ? null : tunedEntries(found);
    commit ??= found?.reports[0].program.commit ?? null;
    if (code !== 0 || entries === null) {
      worst = Math.max(worst, code);
      report.push(`${name}: no correct configuration was measured`);
    } else {
      const { done = 0 } = await runForJson('study', 'status', study);
      sessions.push({ session: name, ...space, variant, scenario, measured: done, ...entries });
      report.push(...sessionReport(/** @type {TunedSession} */ (sessions.at(-1))));
    }
    if (existsSync(study)) studies.push(study);
    // Write the results after each session, so that an interruption does not lose them.
    const head = { format: 'braggbench-tuned', format_version: 1, created: new Date().toISOString(), commit, on };
    writeJson(path.join(out, 'winners.json'), { ...head, sessions });
    writeFileSync(path.join(out, 'report.txt'), `${on.name}\n${report.join('\n')}\n`);
    const packed = path.join(out, 'tuned.braggbench');
    await capture(process.execPath, [commandLine(), 'project', 'pack', packed, ...studies, '--force']);
  }
  printLine(`\n${report.join('\n')}`);
  return worst;
}
