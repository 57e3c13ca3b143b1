/**
 * Packages the built program with electron-builder and inspects the result. Electron's runtime would be a download, so
 * a small file replaces it. That file has a fuse wire like the real one's, which electron-builder sets.
 */
import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findPackage } from '../../../electron/build/setup/desktop-program.mjs';
import { onLinux } from '../../unless.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const requireHere = createRequire(import.meta.url);

type Asar = Readonly<{
  listPackage: (file: string, options: { isPack: boolean }) => string[];
  extractAll: (archive: string, folder: string) => void;
}>;
const asar = requireHere(path.join(root, 'node_modules/@electron/asar/lib/asar.js')) as Asar;

/** Marks the fuse wire in Electron's binary; a version, a length and one character per fuse follow. */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
const FUSES = 9;

/** Imports of a program, in every form that its bundler emits. */
const importsOf = (code: string): readonly string[] =>
  [...code.matchAll(/(?:^|[;}*\s])(?:import|from|import\s*\()\s*"([\w@./:-]+)"/g)].map(([, to = '']) => to);

describe('the desktop package', onLinux, () => {
  mkdirSync(path.join(root, 'dist'), { recursive: true });
  const work = mkdtempSync(path.join(root, 'dist/package-test-'));
  const app = path.join(work, 'packages/linux-unpacked');
  const resources = path.join(app, 'resources');

  /**
   * Extracts the archive to a folder, without the unpacked files next to it: only those files are visible to threads
   * and child processes.
   */
  const asFolder = (name: string): string => {
    const archive = path.join(work, name);
    const unpacked = path.join(resources, 'app.asar.unpacked');
    asar.extractAll(path.join(resources, 'app.asar'), archive);
    symlinkSync(unpacked, `${archive}.unpacked`);
    for (const file of globSync('**/*', { cwd: unpacked, withFileTypes: true })) {
      if (!file.isDirectory()) {
        rmSync(path.join(archive, path.relative(unpacked, file.parentPath), file.name), { force: true });
      }
    }
    return archive;
  };

  beforeAll(async () => {
    const runtime = path.join(work, 'runtime');
    mkdirSync(runtime);
    const wire = Buffer.from([1, FUSES, ...Array<number>(FUSES).fill(FuseState.ENABLE)]);
    writeFileSync(
      path.join(runtime, 'electron'),
      Buffer.concat([Buffer.from(`stand-in\0${SENTINEL}`), wire, Buffer.alloc(64)]),
    );
    chmodSync(path.join(runtime, 'electron'), 0o755);
    const cli = path.join(root, 'node_modules/electron-builder/cli.js');
    const options = [`-c.electronDist=${runtime}`, `-c.directories.output=${path.join(work, 'packages')}`];
    await promisify(execFile)(process.execPath, [cli, '--config', 'electron-builder.yml', '--dir', ...options], {
      cwd: root,
    });
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it('is found by the desktop tests in its folder', () => {
    expect(findPackage(app)).toEqual({ kind: 'package', executable: path.join(app, 'braggbench'), folder: app });
    expect(findPackage(work)).toEqual({ missing: `${work} contains no package: braggbench is missing` });
  });

  it('contains the programs, the page and the licence, but no node_modules and no sources', () => {
    const files = asar.listPackage(path.join(resources, 'app.asar'), { isPack: false });
    const wanted = [
      '/package.json',
      '/LICENSE',
      '/dist/electron/main.js',
      '/dist/electron/preload.cjs',
      '/dist/renderer/desktop.html',
    ];
    for (const file of wanted) expect(files).toContain(file);
    expect(files.filter((file) => /node_modules|\.map$|^\/(electron|renderer|test|native)\//.test(file))).toEqual([]);
  });

  it('contains every module its programs import, and imports nothing that Electron lacks', () => {
    const files = new Set(asar.listPackage(path.join(resources, 'app.asar'), { isPack: false }));
    const missing: string[] = [];
    for (const folder of ['dist/electron', 'dist/workers', 'dist/renderer/assets']) {
      for (const name of globSync('*.{js,cjs}', { cwd: path.join(root, folder) })) {
        if (!files.has(`/${folder}/${name}`)) missing.push(`${folder}/${name}`);
        const imports = importsOf(readFileSync(path.join(root, folder, name), 'utf8'));
        // Skip the page: it is one bundle without imports, so any match there is ordinary text.
        for (const to of imports.filter((each) => each.startsWith('.') || !folder.startsWith('dist/renderer'))) {
          const isThere = to.startsWith('.') ? files.has(`/${path.posix.join(folder, to)}`) : isBuiltin(to);
          // Only the main program has Electron; threads and child processes have none.
          const isElectron = to === 'electron' && folder === 'dist/electron';
          if (!isThere && !isElectron) missing.push(`${to} for ${folder}/${name}`);
        }
      }
    }
    expect(missing).toEqual([]);
    expect(importsOf('import"./a.js";import{b}from"./b.js";await import("./c.js");export*from "zod"')).toEqual([
      './a.js',
      './b.js',
      './c.js',
      'zod',
    ]);
  });

  it('keeps every asset, user kernel and worker thread where the operating system can read it', () => {
    const unpacked = path.join(resources, 'app.asar.unpacked');
    const wanted = [
      ...execFileSync('git', ['ls-files', 'assets'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\n'),
      ...['dist/kernels', 'dist/native/include'].flatMap((folder) =>
        globSync('**/*.*', { cwd: path.join(root, folder) }).map((file) => `${folder}/${file}`),
      ),
      ...globSync('dist/workers/*.js', { cwd: root }),
      ...globSync('dist/native/*braggbench_core.*', { cwd: root }),
    ].filter((file) => file !== '' && existsSync(path.join(root, file)) && !file.endsWith('.map'));
    expect(wanted.length).toBeGreaterThan(500);
    expect(wanted.filter((file) => !existsSync(path.join(unpacked, file)))).toEqual([]);
  });

  it('starts its main program in plain Node, which opens the host and serves the page', async () => {
    const home = path.join(work, 'home');
    // For the main program, Electron resolves unpacked files as if they were in the archive.
    const archive = path.join(work, 'main/app.asar');
    asar.extractAll(path.join(resources, 'app.asar'), archive);
    symlinkSync(path.join(resources, 'app.asar.unpacked'), `${archive}.unpacked`);
    const { BRAGGBENCH_BUNDLES: _bundles, ...env } = process.env;
    const hooks = pathToFileURL(path.join(import.meta.dirname, 'no-electron.mjs')).href;
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--import', hooks, path.join(archive, 'dist/electron/main.js')],
      { env: { ...env, BRAGGBENCH_HOME: home } },
    );
    expect(JSON.parse(stdout)).toMatchObject({ page: 200, code: 200, script: expect.stringMatching(/\.js$/) });
    expect(stderr).toBe('');
    expect(readFileSync(path.join(home, 'logs/braggbench.log'), 'utf8')).toMatch(/has started/);
    // The window was closed normally, not by an error.
    expect(existsSync(path.join(home, 'window.json'))).toBe(true);
  });

  it('keeps addon, kernels and assets as files next to the archive', () => {
    const unpacked = path.join(resources, 'app.asar.unpacked');
    expect(existsSync(path.join(unpacked, 'dist/native/braggbench.node'))).toBe(true);
    expect(existsSync(path.join(unpacked, 'assets/scenarios/water-70MeV.json'))).toBe(true);
    expect(globSync('dist/kernels/source/**/*.hpp', { cwd: unpacked }).length).toBeGreaterThan(5);
  });

  it('starts its worker threads in plain Node from files next to the archive', async () => {
    const unpacked = path.join(resources, 'app.asar.unpacked');
    const archive = asFolder('threads/app.asar');
    const program = path.join(archive, 'dist/electron/packaged-host.mjs');
    await build({
      entryPoints: [path.join(import.meta.dirname, 'packaged-host.ts')],
      outfile: program,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
      },
      logLevel: 'silent',
    });
    const { BRAGGBENCH_BUNDLES: _bundles, ...env } = process.env;
    const folders = [path.join(unpacked, 'assets'), path.join(work, 'data')];
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...folders], { env });
    expect(JSON.parse(stdout)).toMatchObject({ issues: 2, state: 'done', opened: { name: 'R80' }, spans: 1 });
  });

  it('sets every fuse that Electron has', async () => {
    const wire = await getCurrentFuseWire(path.join(app, 'braggbench'));
    const set = Object.keys(FuseV1Options).filter((name) => !/^\d+$/.test(name));
    const as = set.map((name) => [name, wire[FuseV1Options[name as keyof typeof FuseV1Options]]]);
    expect(Object.fromEntries(as)).toEqual({
      RunAsNode: FuseState.DISABLE,
      EnableCookieEncryption: FuseState.ENABLE,
      EnableNodeOptionsEnvironmentVariable: FuseState.DISABLE,
      EnableNodeCliInspectArguments: FuseState.DISABLE,
      EnableEmbeddedAsarIntegrityValidation: FuseState.ENABLE,
      OnlyLoadAppFromAsar: FuseState.ENABLE,
      LoadBrowserProcessSpecificV8Snapshot: FuseState.DISABLE,
      GrantFileProtocolExtraPrivileges: FuseState.DISABLE,
      // Unchanged from Electron's default, which determines how WebAssembly checks the bounds of its memory.
      WasmTrapHandlers: FuseState.ENABLE,
    });
  });
});
