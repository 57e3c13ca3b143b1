import { existsSync, readFileSync } from 'node:fs';
import { checkCppToolchain } from '../setup/cpp-toolchain.mjs';
import { alone } from '../setup/lock.mjs';
import { ensurePackages } from '../setup/packages.mjs';
import { onPinnedNode } from '../setup/pinned-node.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure, say } from '../setup/say.mjs';
import { compilingBeside } from './native.mjs';

/** @typedef {import('./up-to-date.mjs').Step} Step */

/** @typedef {Readonly<{ what: string, measured: string | null }>} Row */
/** @typedef {Readonly<{ machine: Readonly<{ cpu: string, cores: number }>, rows: readonly Row[] }>} Measured */

/** Saved by `npm run bench -- start --cold`, and quoted before a first start. */
const COLD_START = 'assets/measured/cold-start.json';

/**
 * The sentences before a first start.
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
 * Begins every entry script: installs missing packages, then goes on under the pinned Node. Returns an exit code if the
 * rest ran there.
 * @param {readonly string[]} args the script's arguments
 * @param {{ developer?: boolean }} [options] false: the script needs none of the packages of tests and checks
 */
export async function prepare(args, options = {}) {
  // Before a minute of installing packages.
  const first = !existsSync(inRoot('node_modules')) && !existsSync(inRoot('dist/native'));
  if (first) {
    await checkCppToolchain();
    say(firstStart());
  }
  const packages = () => ensurePackages(options);
  await alone(() => (first ? compilingBeside(packages) : packages()));
  return onPinnedNode(args);
}

/**
 * Page, host, addon and kernels.
 * But for native.mjs the step files import Node 24's API and installed packages, so they are
 * loaded only after prepare().
 * @param {{ withoutGpu?: boolean, userKernels?: boolean }} [options] whether to compile CUDA kernels that no GPU here can
 * run, and the library that user kernels are linked with
 * @returns {Promise<Step[]>}
 */
export async function everyStep({ withoutGpu = false, userKernels = false } = {}) {
  const [native, { bundlesStep, filtersStep }, { imageStep }, { kernelSteps }, { pageStep }] = await Promise.all([
    import('./native.mjs'),
    import('./bundles.mjs'),
    import('./image.mjs'),
    import('./kernels.mjs'),
    import('./page.mjs'),
  ]);
  const core = userKernels ? [native.coreLibraryStep()] : [];
  const host = [bundlesStep(), filtersStep(), imageStep()];
  return [native.addonStep(), ...core, ...host, pageStep(), ...kernelSteps({ withoutGpu })];
}

/** Addon and host: what the command line needs. */
export async function commandLineSteps() {
  const [{ addonStep }, { bundlesStep }, { imageStep }, { kernelSteps }] = await Promise.all([
    import('./native.mjs'),
    import('./bundles.mjs'),
    import('./image.mjs'),
    import('./kernels.mjs'),
  ]);
  return [addonStep(), bundlesStep(), imageStep(), ...kernelSteps({ withoutGpu: false })];
}

/**
 * Brings the given steps up to date, one building process at a time.
 * @param {readonly Step[]} steps
 */
export async function build(steps) {
  const { runSteps } = await import('./run.mjs');
  await alone(() => runSteps(steps));
}

/**
 * The same for steps that use one core each: see runBeside().
 * @param {string} title
 * @param {readonly Step[]} steps
 */
export async function buildBeside(title, steps) {
  const { runBeside } = await import('./run.mjs');
  return alone(() => runBeside(title, steps));
}
