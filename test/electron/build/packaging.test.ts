import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = path.resolve(import.meta.dirname, '../../..');
const requireHere = createRequire(import.meta.url);

type Builder = Readonly<{ validateConfiguration: (config: unknown, log: { isEnabled: boolean }) => Promise<void> }>;

/** electron-builder's own check, which it runs before packaging. */
const builder = requireHere(path.join(root, 'node_modules/app-builder-lib/out/util/config/config.js')) as Builder;
const validate = (config: unknown) => builder.validateConfiguration(config, { isEnabled: false });

type Config = Readonly<{
  files: readonly string[];
  asarUnpack: readonly string[];
  electronFuses: Readonly<Record<string, boolean>>;
  fileAssociations: readonly Readonly<{ ext: string }>[];
}>;
const config = parse(readFileSync(path.join(root, 'electron-builder.yml'), 'utf8')) as Config;

describe('electron-builder.yml', () => {
  it("passes electron-builder's own validation, which notices mistakes", async () => {
    await expect(validate(config)).resolves.toBeUndefined();
    await expect(validate({ ...config, asarUnpacked: [] })).rejects.toThrow(/asarUnpacked/);
    const electronFuses = { ...config.electronFuses, runAsNode: 'no' };
    await expect(validate({ ...config, electronFuses })).rejects.toThrow(/runAsNode/);
  });

  it("closes Electron's fuses", () => {
    expect(config.electronFuses).toMatchObject({
      runAsNode: false,
      enableCookieEncryption: true,
      enableNodeOptionsEnvironmentVariable: false,
      enableNodeCliInspectArguments: false,
      enableEmbeddedAsarIntegrityValidation: true,
      onlyLoadAppFromAsar: true,
    });
  });

  it('ships what the program reads by path outside the archive', () => {
    for (const folder of ['dist/native/**', 'dist/kernels/**', 'assets/**'])
      expect(config.asarUnpack).toContain(folder);
    // Threads and processes start from unpacked files, without archive support; package.json makes those modules.
    for (const file of ['dist/workers/**', 'dist/hdf5-filters/**', 'package.json']) {
      expect(config.asarUnpack).toContain(file);
    }
    expect(config.files).toContain('dist/hdf5-filters/**');
    const { main } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { main: string };
    expect(config.files).toContain(`${path.posix.dirname(main)}/**`);
  });

  it('opens scenarios and runs', () => {
    expect(config.fileAssociations.map(({ ext }) => ext)).toEqual(['braggbench.json', 'h5']);
  });
});
