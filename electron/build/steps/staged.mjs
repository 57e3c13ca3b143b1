/**
 * First start: serves the page while the solver is compiled. The addon that only solves transport on the CPU is
 * compiled first, at normal priority. The complete addon, the CUDA kernels and the library for user kernels follow in
 * the background.
 */

import { rmSync } from 'node:fs';
import { runInBackground } from '../setup/command.mjs';
import { withLock } from '../setup/lock.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure, printLine } from '../setup/say.mjs';
import { addonStep, coreLibraryStep, firstAddonStep, programVersion } from './native.mjs';
import { runStep, runSteps } from './run.mjs';
import { isUpToDate } from './up-to-date.mjs';

/** Name of the step that builds the start-up snapshot of the command line. */
const IMAGE = 'image';

/**
 * Environment variable that is set for a program started during compilation; electron/host/io/addon/staged-solver.ts
 * reads it.
 */
const VARIABLE = 'BRAGGBENCH_SOLVER_BUILD';

/** @typedef {Readonly<{ stage: 'none' | 'first' | 'whole', progress: string | null, failed: string | null }>} SolverState */

/** Reports the progress of compilation to the programs that use the solver. */
export class SolverBuild {
  /** @type {SolverState} */
  #state = { stage: 'none', progress: null, failed: null };
  /** @type {Set<import('node:child_process').ChildProcess>} */
  #programs = new Set();

  /** Environment variables for a program that is started during compilation. */
  get env() {
    return { [VARIABLE]: programVersion() };
  }

  /** @param {import('node:child_process').ChildProcess} program process that was started with an IPC channel */
  attach(program) {
    this.#programs.add(program);
    // A program closes its channel when it ends, or when it has loaded the complete solver.
    program.on('disconnect', () => this.#programs.delete(program));
    program.on('error', () => this.#programs.delete(program));
    this.#send(program);
  }

  /** @param {Partial<SolverState>} change */
  report(change) {
    this.#state = { ...this.#state, ...change };
    for (const program of this.#programs) this.#send(program);
  }

  /** @param {import('node:child_process').ChildProcess} program */
  #send(program) {
    if (program.connected) program.send({ ...this.#state, kind: 'solver-build' }, () => {});
  }
}

/**
 * Whether a start would have to wait for the compiler. False on Windows, where a process group cannot be ended, so that
 * starts always wait there.
 */
export const needsCompiler = () => process.platform !== 'win32' && !isUpToDate(addonStep());

/** Interval between progress lines in the terminal, ms. It is long, so that the page's address stays visible. */
const LINE_MS = 20_000;

/**
 * @param {SolverBuild} solver
 * @param {readonly import('./up-to-date.mjs').Step[]} behind further steps before the solver counts as complete
 * @param {AbortSignal} signal
 */
async function compile(solver, behind, signal) {
  const begun = performance.now();
  const seconds = () => `${((performance.now() - begun) / 1000).toFixed(0)} s`;
  // Each part counts its own files.
  let part = 'the CPU solver of beams';
  let compiled = '';
  const progress = (/** @type {string} */ howFar) => {
    compiled = howFar;
    solver.report({ progress: howFar });
  };
  const lines = setInterval(() => {
    if (compiled !== '') printLine(`Compiling ${part}: ${compiled}, ${seconds()}`);
  }, LINE_MS);
  /** @param {import('./up-to-date.mjs').Step} step */
  const make = async (step) => {
    if (!signal.aborted && !isUpToDate(step)) await runStep(step, progress);
  };
  // Remove outdated addons, so that none is loaded during the build.
  for (const step of [addonStep(), firstAddonStep()]) {
    if (!isUpToDate(step)) for (const file of step.outputs) rmSync(inRoot(file), { force: true });
  }
  try {
    await make(firstAddonStep({ signal }));
    if (!signal.aborted) {
      solver.report({ stage: 'first', progress: null });
      part = 'the rest of the solver';
      compiled = '';
      printLine(
        `Beams can run on the CPU now, after ${seconds()} of compiling; the rest of the solver is built in the background.`,
      );
    }
    for (const step of [addonStep({ signal }), ...behind]) await runInBackground(() => make(step));
    if (!signal.aborted) {
      clearInterval(lines);
      solver.report({ stage: 'whole', progress: null });
      printLine(`The solver is complete after ${seconds()} of compiling.`);
    }
    await runInBackground(() => make(coreLibraryStep({ signal })));
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof Failure) solver.report({ failed: error.message.split('\n').at(-1) ?? '' });
    throw error;
  } finally {
    clearInterval(lines);
  }
}

/**
 * Serves the page while the solver is compiled. If the page is closed before compilation has ended, the next start
 * continues it.
 * @param {readonly import('./up-to-date.mjs').Step[]} steps all steps of a start
 * @param {(solver: SolverBuild) => Promise<number>} show opens the page; its exit code once it is closed
 * @returns {Promise<number>}
 */
export async function startStaged(steps, show) {
  const addon = addonStep().name;
  // Omit the snapshot of the command line, because the page does not use it.
  const isShort = (/** @type {import('./up-to-date.mjs').Step} */ step) => step.short === true && step.name !== IMAGE;
  const short = steps.filter(isShort);
  const behind = steps.filter((step) => !isShort(step) && step.name !== addon);
  const solver = new SolverBuild();
  const closed = new AbortController();
  // The compiler has its own process group, which Ctrl+C on the terminal does not interrupt.
  const interrupted = () => process.exit(130);
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted).on('SIGHUP', interrupted);
  /** @type {Promise<void>} */
  let building = Promise.resolve();
  await new Promise((resolve, reject) => {
    building = withLock(async () => {
      const compiling = compile(solver, behind, closed.signal);
      // Report a failed build only when the page is closed, because the page works without the solver.
      compiling.catch(() => {});
      await runSteps(short);
      resolve(null);
      await compiling;
    });
    building.catch(reject);
  });
  process.off('SIGINT', interrupted).off('SIGTERM', interrupted).off('SIGHUP', interrupted);
  building.catch((error) => printLine(error instanceof Failure ? error.message : String(error)));
  try {
    return await show(solver);
  } finally {
    closed.abort();
    await building.catch(() => {});
  }
}
