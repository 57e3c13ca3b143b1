import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot, root } from '../setup/root.mjs';
import { Failure } from '../setup/say.mjs';
import { collectNotices, NOTICES } from './notices.mjs';

/**
 * Bundles of everything except the page, one per program, for Node 24 and for Electron 45, which contains the same
 * Node. Code that several programs share, or that only some runs need (such as HDF5 with 6 MB), is in separate chunks.
 * So the packaged program needs no node_modules.
 */
const FOLDERS = {
  host: { cli: 'electron/cli/main.ts', server: 'electron/server/index.ts' },
  electron: { main: 'electron/main/main.ts' },
  // Programs that both hosts start as threads or processes. A package contains them outside its archive, with all files
  // that they need.
  workers: {
    'aside-worker': 'electron/host/app/threads/worker.ts',
    'bench-worker': 'electron/host/app/benches/worker.ts',
    'library-worker': 'electron/host/app/library/index-worker.ts',
    'user-kernel-child': 'electron/host/model/user-kernels/process/child.ts',
    'study-worker': 'electron/host/app/studies/points/worker.ts',
    'timeline-child': 'electron/host/app/timelines/child.ts',
  },
};
const PRELOAD = { 'electron/preload': 'electron/preload/preload.ts' };

/** CommonJS packages in an ES module call require() for modules of Node, so define it. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** Packages whose headers are compiled into the addon. */
const ADDON_PACKAGES = ['node_modules/node-addon-api', 'node_modules/node-api-headers'];

/** Optional native accelerators that ws tries to load; they are not bundled. */
const OPTIONAL_MODULES = ['bufferutil', 'utf-8-validate'];

/** @satisfies {import('esbuild').BuildOptions} */
export const common = {
  absWorkingDir: root,
  bundle: true,
  target: 'node24',
  platform: /** @type {const} */ ('node'),
  external: ['electron', ...OPTIONAL_MODULES],
  sourcemap: /** @type {const} */ ('linked'),
  // Keep function names in stack traces, because bug reports contain them.
  keepNames: true,
  // Licence notices are in separate files, written by notices.mjs.
  legalComments: /** @type {const} */ ('none'),
  logLevel: /** @type {const} */ ('silent'),
};

/**
 * @param {string} outdir
 * @param {Readonly<Record<string, string>>} programs source files by the names of their bundles
 * @returns {import('esbuild').BuildOptions}
 */
const moduleOptions = (outdir, programs) => ({
  ...common,
  outdir,
  entryPoints: { ...programs },
  format: 'esm',
  splitting: true,
  banner: { js: REQUIRE },
});

async function bundle() {
  const { build, stop } = await import('esbuild');
  for (const folder of Object.keys(FOLDERS)) rmSync(inRoot('dist', folder), { recursive: true, force: true });
  try {
    await Promise.all([
      ...Object.entries(FOLDERS).map(async ([folder, programs]) => {
        const { metafile } = await build({ ...moduleOptions(`dist/${folder}`, programs), metafile: true });
        writeFileSync(inRoot('dist', folder, NOTICES), collectNotices(Object.keys(metafile.inputs), ADDON_PACKAGES));
      }),
      // Bundle the preload script as CommonJS, because it is sandboxed.
      build({ ...common, outdir: 'dist', entryPoints: PRELOAD, format: 'cjs', outExtension: { '.js': '.cjs' } }),
    ]);
  } catch (error) {
    throw new Failure(`${/** @type {Error} */ (error).message}\nThe host could not be bundled (above).`);
  } finally {
    await stop(); // otherwise its service process would run as long as the workbench
  }
}

export const SOURCES = [
  'electron/!(build)/**/*.{ts,mjs,json}',
  'package-lock.json',
  'electron/build/steps/{bundles,notices}.mjs',
  'tsconfig.json',
];

export function bundlesStep() {
  return {
    name: 'bundles',
    short: true,
    title: 'Bundling the host',
    inputs: SOURCES,
    outputs: [
      ...Object.entries(FOLDERS).flatMap(([folder, programs]) =>
        [...Object.keys(programs).map((name) => `${name}.js`), NOTICES].map((name) => `dist/${folder}/${name}`),
      ),
      ...Object.keys(PRELOAD).map((name) => `dist/${name}.cjs`),
    ],
    run: bundle,
  };
}

/** Files of the decoders, by package. */
const DECODERS = {
  'node_modules/h5wasm-plugins': ['plugins/libH5Zbshuf.so', 'plugins/libH5Zlz4.so'],
  'node_modules/dcmjs-codecs': ['build/dcmjs-native-codecs.wasm'],
};

/**
 * Step that copies decoders which are loaded from files, such as WebAssembly: filters of the HDF5 library, and lossless
 * JPEG (decoderPath in electron/host/io/programs.ts).
 * @returns {import('./up-to-date.mjs').Step}
 */
export function decodersStep() {
  const folder = 'dist/decoders';
  const files = Object.entries(DECODERS).flatMap(([from, inner]) =>
    inner.map((file) => ({ name: path.basename(file), file: `${from}/${file}` })),
  );
  return {
    name: 'decoders',
    short: true,
    title: 'Copying the decoders',
    inputs: [...files.map(({ file }) => file), 'electron/build/steps/*-notices.txt'],
    outputs: [...files.map(({ name }) => name), NOTICES].map((name) => `${folder}/${name}`),
    run: async () => {
      mkdirSync(inRoot(folder), { recursive: true });
      for (const { name, file } of files) copyFileSync(inRoot(file), inRoot(folder, name));
      writeFileSync(inRoot(folder, NOTICES), collectNotices([], Object.keys(DECODERS)));
    },
  };
}

/**
 * Step that bundles programs which tests start and kill. A bundle starts in a third of the time that its sources need.
 * @param {string} folder path from the root
 * @param {Readonly<Record<string, string>>} programs source files by the names of their bundles
 * @returns {import('./up-to-date.mjs').Step}
 */
export function testProgramsStep(folder, programs) {
  return {
    name: 'test-programs',
    short: true,
    title: 'Bundling the programs of the tests',
    inputs: [...SOURCES, 'renderer/data/client/**/*.ts', 'test/electron/**/*.ts'],
    outputs: Object.keys(programs).map((name) => `${folder}/${name}.js`),
    run: async () => {
      const { build, stop } = await import('esbuild');
      try {
        await build(moduleOptions(folder, programs));
      } finally {
        await stop();
      }
    },
  };
}
