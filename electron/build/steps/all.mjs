import { existsSync } from 'node:fs';
import { checkCppToolchain } from '../setup/cpp-toolchain.mjs';
import { alone } from '../setup/lock.mjs';
import { ensurePackages } from '../setup/packages.mjs';
import { onPinnedNode } from '../setup/pinned-node.mjs';
import { inRoot } from '../setup/root.mjs';
import { say } from '../setup/say.mjs';
import { compilingBeside } from './native.mjs';

/** @typedef {import('./up-to-date.mjs').Step} Step */

/** Measured by `npm run bench:start -- --cold` on two cores. */
const FIRST_START =
  'The first start installs packages (about 350 MB) and compiles the solver (about 100 MB): on two cores some 90 s to the ' +
  'first beam and two minutes more for the rest, which is compiled while you work. Later starts need a second.';

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
    say(FIRST_START);
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
  const [native, { bundlesStep }, { imageStep }, { kernelSteps }, { pageStep }] = await Promise.all([
    import('./native.mjs'),
    import('./bundles.mjs'),
    import('./image.mjs'),
    import('./kernels.mjs'),
    import('./page.mjs'),
  ]);
  const core = userKernels ? [native.coreLibraryStep()] : [];
  return [native.addonStep(), ...core, bundlesStep(), imageStep(), pageStep(), ...kernelSteps({ withoutGpu })];
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
