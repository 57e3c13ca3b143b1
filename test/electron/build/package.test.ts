/**
 * Packages the built program with electron-builder and looks into the result.
 * Electron's runtime is a download that tests do without: a stand-in file
 * takes its place, which has a fuse wire like the real one's for electron-builder to set.
 */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageIn } from '../../../electron/build/setup/desktop-program.mjs';

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

describe.runIf(process.platform === 'linux')('the desktop package', () => {
  mkdirSync(path.join(root, 'dist'), { recursive: true });
  const work = mkdtempSync(path.join(root, 'dist/package-test-'));
  const app = path.join(work, 'packages/linux-unpacked');
  const resources = path.join(app, 'resources');

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

  it('is found by its folder as what the desktop stories start', () => {
    expect(packageIn(app)).toEqual({ kind: 'package', executable: path.join(app, 'braggbench'), folder: app });
    expect(packageIn(work)).toEqual({ missing: `${work} holds no package: there is no braggbench` });
  });

  it('holds the programs, the page and the licence, and neither node_modules nor sources', () => {
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

  it('leaves addon, kernels and assets as files beside the archive', () => {
    const unpacked = path.join(resources, 'app.asar.unpacked');
    expect(existsSync(path.join(unpacked, 'dist/native/braggbench.node'))).toBe(true);
    expect(existsSync(path.join(unpacked, 'assets/scenarios/water-70MeV.json'))).toBe(true);
    expect(globSync('dist/kernels/source/**/*.hpp', { cwd: unpacked }).length).toBeGreaterThan(5);
  });

  it('starts its threads from files beside the archive, in plain Node, which knows no archives', async () => {
    const unpacked = path.join(resources, 'app.asar.unpacked');
    // The archive as a folder of its name, without what lies beside it.
    const archive = path.join(work, 'as-folder/app.asar');
    asar.extractAll(path.join(resources, 'app.asar'), archive);
    symlinkSync(unpacked, `${archive}.unpacked`);
    for (const file of globSync('**/*', { cwd: unpacked, withFileTypes: true })) {
      if (!file.isDirectory()) rmSync(path.join(archive, path.relative(unpacked, file.parentPath), file.name));
    }
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

  it('has its fuses set', async () => {
    const wire = await getCurrentFuseWire(path.join(app, 'braggbench'));
    expect(wire[FuseV1Options.RunAsNode]).toBe(FuseState.DISABLE);
    expect(wire[FuseV1Options.EnableCookieEncryption]).toBe(FuseState.ENABLE);
    expect(wire[FuseV1Options.EnableNodeOptionsEnvironmentVariable]).toBe(FuseState.DISABLE);
    expect(wire[FuseV1Options.EnableNodeCliInspectArguments]).toBe(FuseState.DISABLE);
    expect(wire[FuseV1Options.EnableEmbeddedAsarIntegrityValidation]).toBe(FuseState.ENABLE);
    expect(wire[FuseV1Options.OnlyLoadAppFromAsar]).toBe(FuseState.ENABLE);
  });
});
