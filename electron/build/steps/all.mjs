import { existsSync, readFileSync } from 'node:fs';
import { checkCppToolchain } from '../setup/cpp-toolchain.mjs';
import { withLock } from '../setup/lock.mjs';
import { ensurePackages } from '../setup/packages.mjs';
import { onPinnedNode } from '../setup/pinned-node.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure, say } from '../setup/say.mjs';
import { whileCompiling } from './native.mjs';

/** @typedef {import('./up-to-date.mjs').Step} Step */

/** @typedef {Readonly<{ what: string, measured: string | null }>} Row */
/** @typedef {Readonly<{ machine: Readonly<{ cpu: string, cores: number }>, rows: readonly Row[] }>} Measured */

/** File saved by `npm run bench -- start --cold`, whose figures are printed before a first start. */
const COLD_START = 'assets/measured/cold-start.json';

/**
 * Sentences printed before a first start.
 * @param {Measured} [measured]
 */
export function firstStart({ machine, rows } = JSON.parse(readFileSync(inRoot(COLD_START), 'utf8'))) {
  const figure = (/** @type {string} */ what) => {
    const measured = rows.find((row) => row.what === what)?.measured;
    if (!measured) throw new Failure(`${COLD_START} has no figure for "${what}"`);
    return measured;
  };
  const [packages, built] = figure('Disk: packages, built').split(', ');
  return [
    `The first start installs packages (${packages}) and compiles the solver (${built} of built files).`,
    `Measured on ${machine.cores} idle cores (${machine.cpu}) without a compiler cache: page after ${figure('Cold start: page served')},`,
    `end of the first beam after ${figure('Cold start: first beam at its end')}, whole solver after ${figure('Cold start: whole solver')}.`,
    `Later starts serve the page after ${figure('Second start: page served')}.`,
  ].join('\n');
}

/**
 * Prepares every entry script: installs missing packages, then continues on the pinned Node. Returns an exit code if
 * the rest ran in another process.
 * @param {readonly string[]} args the script's arguments
 * @param {{ developer?: boolean }} [options] false: the script needs none of the packages of tests and checks
 */
export async function prepare(args, options = {}) {
  // Checked before packages are installed, which needs a minute.
  const first = !existsSync(inRoot('node_modules')) && !existsSync(inRoot('dist/native'));
  if (first) {
    await checkCppToolchain();
    say(firstStart());
  }
  const packages = () => ensurePackages(options);
  await withLock(() => (first ? whileCompiling(packages) : packages()));
  return onPinnedNode(args);
}

/**
 * Steps for page, host, addon and kernels. Step files other than native.mjs import the API of Node 24 and installed
 * packages, so they are loaded only after prepare().
 * @param {{ withoutGpu?: boolean, userKernels?: boolean }} [options] whether to compile CUDA kernels that no GPU here can
 * run, and the library that user kernels are linked with
 * @returns {Promise<Step[]>}
 */
export async function allSteps({ withoutGpu = false, userKernels = false } = {}) {
  const [native, { bundlesStep, decodersStep }, { imageStep }, { kernelSteps }, { pageStep }] = await Promise.all([
    import('./native.mjs'),
    import('./bundles.mjs'),
    import('./image.mjs'),
    import('./kernels.mjs'),
    import('./page.mjs'),
  ]);
  const core = userKernels ? [native.coreLibraryStep()] : [];
  const host = [bundlesStep(), decodersStep(), imageStep()];
  return [native.addonStep(), ...core, ...host, pageStep(), ...kernelSteps({ withoutGpu })];
}

/**
 * Steps for addon and host, which the command line needs.
 * @param {{ userKernels?: boolean }} [options] whether to compile the library that user kernels are linked with
 * @returns {Promise<Step[]>}
 */
export async function commandLineSteps({ userKernels = false } = {}) {
  const [{ addonStep, coreLibraryStep }, { bundlesStep }, { imageStep }, { kernelSteps }] = await Promise.all([
    import('./native.mjs'),
    import('./bundles.mjs'),
    import('./image.mjs'),
    import('./kernels.mjs'),
  ]);
  const core = userKernels ? [coreLibraryStep()] : [];
  return [addonStep(), ...core, bundlesStep(), imageStep(), ...kernelSteps({ withoutGpu: false })];
}

/**
 * Brings the given steps up to date, one building process at a time.
 * @param {readonly Step[]} steps
 */
export async function build(steps) {
  const { runSteps } = await import('./run.mjs');
  await withLock(() => runSteps(steps));
}

/**
 * Brings steps up to date that use one core each: see runConcurrently().
 * @param {string} title
 * @param {readonly Step[]} steps
 */
export async function buildConcurrently(title, steps) {
  const { runConcurrently } = await import('./run.mjs');
  return withLock(() => runConcurrently(title, steps));
}
