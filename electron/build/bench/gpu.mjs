/**
 * `npm run bench -- gpu`: measures the CUDA variants and external programs on the scenarios of the GPU targets, and the
 * latencies that a user sees. Saves each session in assets/runs and prints the targets, met or missed, with their
 * bounds.
 * - `--from FOLDER`: prints saved sessions instead of measuring.
 * - `--sessions a,b`: records only these, by their names below assets/runs without .json, in that order. The default
 *   order is by importance, never recorded sessions first.
 * - `--plan`: measures nothing; prints the expected duration of each session.
 * - `--minutes N`: starts no session that would exceed N minutes in total, and lists the remaining ones.
 * - `--resume`: skips sessions already recorded from this commit.
 * - `--out FOLDER`: saves the sessions there, each as it ends.
 * - `--as-built`: uses dist/ without building.
 * - `--waits`: measures user-visible latencies alone, and `--only a,b` only these.
 * - `--smatrix FOLDER`: a checkout of Smatrix_2D, `--nanobragg FILE`: the program nanoBragg; both are measured in the
 *   sessions of claims about them.
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { runInTerminal } from '../setup/command.mjs';
import { callerFolder, inRoot } from '../setup/root.mjs';
import { Failure, printLine } from '../setup/say.mjs';
import { commandLine, runForJson, selectSessions, valueAfter } from './command-line.mjs';
import {
  commandWords,
  expectedDuration,
  isRecordedFrom,
  planLines,
  sessionName,
  sortByImportance,
} from './gpu-plan.mjs';
import { GPU_SESSIONS } from './gpu-sessions.mjs';
import { gpuImageTargets, gpuTargets, layerTargets, readSessions, targetLines } from './targets.mjs';
import { measureWaits, waitsArguments } from './waits.mjs';

/** @param {string} folder @param {readonly import('./targets.mjs').Target[]} waits */
function printTargets(folder, waits = []) {
  const all = [
    ...waits,
    ...gpuTargets(readSessions(folder)),
    ...gpuImageTargets(readSessions(path.join(folder, 'diffraction'))),
    ...layerTargets(readSessions(path.join(folder, 'linear-relu'))),
  ];
  for (const line of targetLines(all)) printLine(line);
}

/** Signals that end a recording. The session in progress is saved as far as it was measured. */
const ENDING = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * @param {readonly import('./gpu-plan.mjs').Planned[]} sessions
 * @param {{ readonly kept: string, readonly folder: string, readonly most_s: number, readonly programs: import('./gpu-plan.mjs').UserPrograms }} how
 * @param {typeof runInTerminal} [start] runs the command line; a test passes its own function
 */
export async function recordSessions(sessions, { kept, folder, most_s, programs }, start = runInTerminal) {
  const begun = performance.now();
  const left = [];
  let worst = 0;
  let ended = false;
  const end = () => {
    ended = true;
  };
  for (const signal of ENDING) process.on(signal, end);
  for (const session of sessions) {
    const passed_s = 1e-3 * (performance.now() - begun);
    const { seconds } = expectedDuration(kept, session);
    if (ended || passed_s + seconds > most_s) {
      left.push(sessionName(session));
      continue;
    }
    const words = commandWords(session, programs);
    printLine(`\nbraggbench ${words.join(' ')}    (${seconds.toFixed(0)} s)`);
    const out = path.join(folder, session.file);
    mkdirSync(path.dirname(out), { recursive: true });
    // Overwrite the earlier recording, which remains in the Git history.
    const all = [commandLine(), ...words, '--out', out, '--force'];
    worst = Math.max(worst, await start(process.execPath, all));
    const took = 1e-3 * (performance.now() - begun) - passed_s;
    printLine(`${sessionName(session)}: ${took.toFixed(1)} s`);
  }
  for (const signal of ENDING) process.off(signal, end);
  return { worst, left };
}

/** Throws a Failure for an unknown flag or a missing value, so that a typing error does not start a long recording. */
function checkFlags(/** @type {readonly string[]} */ args) {
  const texts = ['from', 'sessions', 'minutes', 'out', 'only', 'smatrix', 'nanobragg'];
  const switches = ['plan', 'resume', 'as-built', 'waits'];
  const options = Object.fromEntries([
    ...texts.map((name) => [name, { type: /** @type {'string'} */ ('string') }]),
    ...switches.map((name) => [name, { type: /** @type {'boolean'} */ ('boolean') }]),
  ]);
  try {
    parseArgs({ args: [...args], options });
  } catch (error) {
    const why = error instanceof Error ? error.message.split('. ')[0] : String(error);
    throw new Failure(`npm run bench -- gpu: ${why}; --help lists the flags`, 2);
  }
}

/** Throws a Failure if there is no GPU, so that CPU measurements are not saved under the name of a GPU. */
async function requireGpu() {
  const { cuda } = await runForJson('devices');
  if (!cuda.devices.some((/** @type {{ usable: boolean }} */ { usable }) => usable))
    throw new Failure(`npm run bench -- gpu: no usable GPU on this machine (${cuda.reason ?? 'none is usable'})`);
}

/** @param {readonly string[]} args */
export async function run(args) {
  checkFlags(args);
  const from = args.indexOf('--from');
  if (from >= 0) {
    printTargets(path.resolve(args[from + 1] ?? inRoot('assets/runs')));
    return 0;
  }
  const kept = inRoot('assets/runs');
  const chosen = selectSessions(args, GPU_SESSIONS, sessionName);
  const folder = path.resolve(callerFolder, valueAfter(args, '--out') ?? kept);
  const { readCommit: commitOf } = await import('../../host/model/bench/commit.ts');
  const commit = await commitOf(inRoot('.'));
  const sessions = (chosen ?? sortByImportance(kept, GPU_SESSIONS)).filter(
    (one) => !args.includes('--resume') || ![folder, kept].some((each) => isRecordedFrom(each, one, commit)),
  );
  if (args.includes('--plan')) {
    for (const line of planLines(kept, sessions)) printLine(line);
    return 0;
  }
  await requireGpu();
  const { own, alone } = waitsArguments(args);
  if (alone) {
    for (const line of targetLines(await measureWaits(['--gpu', ...own]))) printLine(line);
    return 0;
  }
  const [nanoBragg, smatrix] = ['--nanobragg', '--smatrix'].map((flag) => valueAfter(args, flag));
  /** @param {string | null | undefined} file @param {readonly string[]} below */
  const given = (file, ...below) => (file == null ? null : path.resolve(callerFolder, file, ...below));
  const { worst, left } = await recordSessions(sessions, {
    kept,
    folder,
    programs: { nanobragg: given(nanoBragg), 'smatrix-2d': given(smatrix, 'run_simulation.py') },
    most_s: 60 * Number(valueAfter(args, '--minutes') ?? Infinity),
  });
  if (left.length > 0)
    printLine(
      `\nThe recording ended before ${left.length} of ${sessions.length} sessions; record them with\n--sessions ${left.join(',')}`,
    );
  if (chosen !== null || left.length > 0) return worst;
  const waits = await measureWaits(['--gpu', ...own]);
  printLine('');
  printTargets(folder, waits);
  return worst;
}
