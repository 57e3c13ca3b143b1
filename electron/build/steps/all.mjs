import { existsSync, readFileSync } from 'node:fs';
import { checkCppToolchain } from '../setup/cpp-toolchain.mjs';
import { withLock } from '../setup/lock.mjs';
import { ensurePackages } from '../setup/packages.mjs';
import { rerunOnPinnedNode } from '../setup/pinned-node.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure, main, printLine } from '../setup/say.mjs';
import { compileDuring } from './native.mjs';

/** @typedef {import('./up-to-date.mjs').Step} Step */

/** @typedef {Readonly<{ what: string, measured: string | null }>} Row */
/** @typedef {Readonly<{ machine: Readonly<{ cpu: string, cores: number }>, rows: readonly Row[] }>} Measured */

/** File saved by `npm run bench -- start --cold`. Its times are printed before a first start. */
const COLD_START = 'assets/measured/cold-start.json';

/**
 * Sentences printed before a first start, on how long it will need.
 * @param {Measured} [measured]
 */
export function firstStartText({ machine, rows } = JSON.parse(readFileSync(inRoot(COLD_START), 'utf8'))) {
  const figure = (/** @type {string} */ what) => {
    const measured = rows.find((row) => row.what === what)?.measured;
    if (!measured) throw new Failure(`${COLD_START} has no time for "${what}"`);
    return measured;
  };
  const [packages, built] = figure('Disk: packages, built').split(', ');
  return [
    `The first start installs packages (${packages}) and compiles the solver (${built} of built files).`,
    `Measured on ${machine.cores} idle cores (${machine.cpu}) without a compiler cache: page after ${figure('Cold start: page served')},`,
    `end of the first beam after ${figure('Cold start: first beam at its end')}, complete solver after ${figure('Cold start: whole solver')}.`,
    `Later starts serve the page after ${figure('Second start: page served')}.`,
  ].join('\n');
}

/**
 * Prepares an entry script: installs missing packages and continues on the pinned Node. If the script ran in another
 * process, returns its exit code.
 * @param {readonly string[]} args the script's arguments
 * @param {{ developer?: boolean }} [options] false: the script needs none of the packages of tests and checks
 */
export async function prepare(args, options = {}) {
  // Check this before packages are installed, because installing needs a minute.
  const first = !existsSync(inRoot('node_modules')) && !existsSync(inRoot('dist/native'));
  if (first) {
    await checkCppToolchain();
    printLine(firstStartText());
  }
  const packages = () => ensurePackages(options);
  await withLock(() => (first ? compileDuring(packages) : packages()));
  return rerunOnPinnedNode(args);
}

/**
 * Build steps of the addon and the host, which the command line needs. Step modules other than native.mjs import
 * installed packages and APIs of Node 24, so they are loaded after prepare().
 * @param {{ withoutGpu?: boolean, userKernels?: boolean }} [options] whether to compile CUDA kernels that no GPU here can
 * run, and the library that user kernels are linked with
 * @returns {Promise<Step[]>}
 */
export async function commandLineSteps({ withoutGpu = false, userKernels = false } = {}) {
  const { addonStep, coreLibraryStep } = await import('./native.mjs');
  const { bundlesStep } = await import('./bundles.mjs');
  const { imageStep } = await import('./image.mjs');
  const { kernelSteps } = await import('./kernels.mjs');
  const core = userKernels ? [coreLibraryStep()] : [];
  return [addonStep(), ...core, bundlesStep(), imageStep(), ...kernelSteps({ withoutGpu })];
}

/**
 * Build steps of page, host, addon and kernels.
 * @param {Parameters<typeof commandLineSteps>[0]} [options]
 * @returns {Promise<Step[]>}
 */
export async function allSteps(options) {
  const { decodersStep } = await import('./bundles.mjs');
  const { pageStep } = await import('./page.mjs');
  return [...(await commandLineSteps(options)), decodersStep(), pageStep()];
}

/**
 * Runs those of the steps that are out of date. Only one process at a time builds.
 * @param {readonly Step[]} steps
 */
export async function build(steps) {
  const { runSteps } = await import('./run.mjs');
  await withLock(() => runSteps(steps));
}

/**
 * Runs outdated steps that use one core each; see runConcurrently().
 * @param {string} title
 * @param {readonly Step[]} steps
 */
export async function buildConcurrently(title, steps) {
  const { runConcurrently } = await import('./run.mjs');
  return withLock(() => runConcurrently(title, steps));
}

/**
 * Runs an entry script after prepare() and its build steps, and sets the exit code.
 * @param {(args: readonly string[]) => Promise<number>} body returns the exit code
 * @param {{ developer?: boolean, steps?: () => Promise<Step[]> }} [needs] `steps` are brought up to date first
 */
export const runEntryScript = (body, { steps, ...options } = {}) =>
  main(async () => {
    const args = process.argv.slice(2);
    const elsewhere = await prepare(args, options);
    if (elsewhere !== null) return elsewhere;
    if (steps !== undefined) await build(await steps());
    return body(args);
  });
