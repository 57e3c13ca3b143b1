import { rmSync } from 'node:fs';
import { inRoot, root } from '../setup/root.mjs';
import { Failure } from '../setup/say.mjs';

/**
 * Everything outside the page, bundled for Node 24 and Electron 45 (which has
 * the same Node). One file per program: starting one reads one file, and the
 * packaged app needs no node_modules.
 */
const HOST = { 'host/cli': 'electron/cli/main.ts', 'host/server': 'electron/server/index.ts' };
const DESKTOP = { 'electron/main': 'electron/main/main.ts' };
/** Started as threads and processes by the host, which looks beside the file that it was itself bundled into. */
const WORKERS = {
  'host/aside-worker': 'electron/host/app/aside/worker.ts',
  'electron/aside-worker': 'electron/host/app/aside/worker.ts',
  'host/bench-worker': 'electron/host/app/benches/worker.ts',
  'electron/bench-worker': 'electron/host/app/benches/worker.ts',
  'host/user-kernel-child': 'electron/host/model/user-kernels/process/child.ts',
  'electron/user-kernel-child': 'electron/host/model/user-kernels/process/child.ts',
  'host/timeline-worker': 'electron/host/app/timelines/worker.ts',
  'electron/timeline-worker': 'electron/host/app/timelines/worker.ts',
};
const PRELOAD = { 'electron/preload': 'electron/preload/preload.ts' };

/** CommonJS packages inside an ES module still call require() for Node's own modules. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** ws's optional speed-ups, which it does without. */
const ABSENT = ['bufferutil', 'utf-8-validate'];

async function bundle() {
  const { build, stop } = await import('esbuild');
  /** @type {import('esbuild').BuildOptions} */
  const common = {
    absWorkingDir: root,
    outdir: 'dist',
    bundle: true,
    target: 'node24',
    platform: 'node',
    external: ['electron', ...ABSENT],
    sourcemap: 'linked',
    // Stack traces of a person's bug report should name our functions.
    keepNames: true,
    legalComments: 'none',
    logLevel: 'silent',
  };
  for (const folder of ['host', 'electron']) rmSync(inRoot('dist', folder), { recursive: true, force: true });
  try {
    await Promise.all([
      build({ ...common, entryPoints: { ...HOST, ...DESKTOP, ...WORKERS }, format: 'esm', banner: { js: REQUIRE } }),
      // A sandboxed preload script must be CommonJS.
      build({ ...common, entryPoints: PRELOAD, format: 'cjs', outExtension: { '.js': '.cjs' } }),
    ]);
  } catch (error) {
    throw new Failure(`${/** @type {Error} */ (error).message}\nThe host could not be bundled (above).`);
  } finally {
    await stop(); // else its service process lives as long as the workbench
  }
}

export function bundlesStep() {
  return {
    name: 'bundles',
    title: 'Bundling the host',
    inputs: [
      'electron/!(build)/**/*.{ts,json}',
      'package-lock.json',
      'electron/build/steps/bundles.mjs',
      'tsconfig.json',
    ],
    outputs: [
      ...Object.keys({ ...HOST, ...DESKTOP, ...WORKERS }).map((name) => `dist/${name}.js`),
      ...Object.keys(PRELOAD).map((name) => `dist/${name}.cjs`),
    ],
    run: bundle,
  };
}
