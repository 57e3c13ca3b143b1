import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { capture, lastLines } from '../setup/command.mjs';
import { IMAGE, snapshotNode } from '../setup/pinned-node.mjs';
import { inRoot } from '../setup/root.mjs';
import { Failure, printLine } from '../setup/say.mjs';
import { common, SOURCES } from './bundles.mjs';

/**
 * Folder of the command line's start-up snapshot: a file with Node's heap after all modules are loaded and all schemas
 * are built. dist/host/cli.js starts from it with the same Node, and works without it too.
 */
const FOLDER = 'dist/image';
const PREAMBLE = 'electron/build/steps/image/before.cjs';

/**
 * HDF5 library. It is not part of the snapshot, because few commands need its 6 MB, and snapshots cannot contain
 * WebAssembly.
 */
const HDF5 = { name: 'h5wasm', file: 'hdf5.cjs' };

/** @type {import('esbuild').Plugin} */
const imagePlugin = {
  name: 'image',
  setup({ onLoad, onResolve }) {
    const nodes = new RegExp(`^(node:.+|${builtinModules.join('|')})$`);
    onResolve({ filter: nodes }, ({ path }) => ({ path: path.replace(/^node:/, ''), namespace: 'of-node' }));
    onLoad({ filter: /./, namespace: 'of-node' }, ({ path }) => ({
      contents: `module.exports = __image.module(${JSON.stringify(path)});`,
    }));
    onResolve({ filter: new RegExp(`^${HDF5.name}$`) }, ({ path }) => ({ path, namespace: 'beside' }));
    onLoad({ filter: /./, namespace: 'beside' }, () => ({
      contents: `module.exports = __image.beside(${JSON.stringify(HDF5.file)});`,
    }));
    // Use fflate's version for browsers. The version for Node starts threads, which no command needs.
    onResolve({ filter: /^fflate$/ }, () => ({ path: inRoot('node_modules/fflate/esm/browser.js') }));
  },
};

/** @param {string} image */
const bundlePath = (image) => image.replace(/\.blob$/, '.cjs');

/**
 * Creates a snapshot of a program. Throws a Failure if Node cannot create it.
 * @param {string} program path of the program
 * @param {string} to path of the image's file
 */
export async function makeImage(program, to) {
  const { build } = await import('esbuild');
  const bundle = bundlePath(to);
  await build({
    ...common,
    outfile: bundle,
    entryPoints: [program],
    format: 'cjs',
    // Reduces the size of the snapshot, which contains the source text of all functions.
    minifyWhitespace: true,
    sourcemap: false,
    plugins: [imagePlugin],
    define: { 'import.meta.dirname': '__image.dirname', 'import.meta.url': '__image.url' },
    banner: { js: readFileSync(inRoot(PREAMBLE), 'utf8') },
    footer: { js: '__image.loaded();' },
  });
  const part = `${to}.part`;
  const made = await capture(snapshotNode(), ['--snapshot-blob', part, '--build-snapshot', bundle], {
    env: { PATH: process.env['PATH'] },
  });
  if (made.code !== 0) throw new Failure(lastLines(made.output, 12));
  renameSync(part, to);
}

async function buildImage() {
  const { build, stop } = await import('esbuild');
  rmSync(inRoot(FOLDER), { recursive: true, force: true });
  mkdirSync(inRoot(FOLDER), { recursive: true });
  try {
    await build({
      ...common,
      outfile: inRoot(FOLDER, HDF5.file),
      entryPoints: [HDF5.name],
      format: 'cjs',
      sourcemap: false,
      define: { 'import.meta.url': '__url' },
      banner: { js: "const __url = require('node:url').pathToFileURL(__filename).href;" },
    });
    await makeImage('electron/cli/start/image.ts', inRoot(IMAGE)).catch((error) => {
      if (!(error instanceof Failure)) throw error;
      printLine(`${error.message}\nThe start-up image could not be made (above); the command line starts without it.`);
    });
  } catch (error) {
    throw new Failure(`${/** @type {Error} */ (error).message}\nThe command line could not be bundled (above).`);
  } finally {
    await stop();
  }
}

/** @returns {import('./up-to-date.mjs').Step} */
export function imageStep() {
  return {
    name: 'image',
    short: true,
    title: "Making the command line's start-up image",
    inputs: [...SOURCES, 'electron/build/steps/image.mjs', PREAMBLE],
    settings: { node: process.version },
    outputs: [bundlePath(IMAGE), `${FOLDER}/${HDF5.file}`],
    run: buildImage,
  };
}
