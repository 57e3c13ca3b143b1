/**
 * Restrictions that only Electron imposes, checked on the build output: its memory cage, its sandbox for preload
 * scripts, its API.
 */
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

describe('limits imposed by Electron', () => {
  const root = path.resolve(import.meta.dirname, '../../..');
  type Symbols = Readonly<Record<'js_native_api_symbols' | 'node_api_symbols', readonly string[]>>;
  const { symbols } = createRequire(import.meta.url)('node-api-headers') as {
    readonly symbols: Readonly<Record<'v9' | 'v10', Symbols>>;
  };
  const mainSources = globSync('electron/main/*.ts', { cwd: root });
  const text = (file: string): string => readFileSync(path.join(root, file), 'latin1');

  describe('the addon', () => {
    /** Node-API functions that the addon's binary imports from the program that loads it. */
    const requested = new Set(
      [...text('dist/native/braggbench.node').matchAll(/\b(?:napi|node_api)_[a-z_]+\b/g)].flat(),
    );

    it("passes no external memory to V8, since Electron's memory cage rejects it", () => {
      // Checks that the search does find names.
      expect(requested).toContain('napi_create_arraybuffer');
      expect([...requested].filter((name) => /create_external_(arraybuffer|buffer|string)/.test(name))).toEqual([]);
    });

    it('uses no function newer than its declared Node-API version', () => {
      const { js_native_api_symbols, node_api_symbols } = symbols.v9;
      const known = new Set([...js_native_api_symbols, ...node_api_symbols]);
      const later = new Set([...symbols.v10.js_native_api_symbols, ...symbols.v10.node_api_symbols]);
      const functions = [...requested].filter((name) => known.has(name) || later.has(name));
      expect(functions.length).toBeGreaterThan(40);
      expect(functions.filter((name) => !known.has(name))).toEqual([]);
    });
  });

  describe('the preload script', () => {
    /** Environment of a sandboxed preload script: no Node, and only Electron's modules for renderers. */
    function runPreload(code: string) {
      const messages: string[] = [];
      const listeners: ((event: unknown) => void)[] = [];
      const window = {
        addEventListener: (_name: string, listener: (event: unknown) => void) => listeners.push(listener),
        postMessage: (message: unknown) => messages.push(`page ${String(message)}`),
      };
      const require = (name: string) => {
        if (name !== 'electron') throw new Error(`module not found: ${name}`);
        return {
          ipcRenderer: {
            send: (channel: string) => messages.push(`send ${channel}`),
            postMessage: (channel: string) => messages.push(`port ${channel}`),
          },
        };
      };
      const location = { origin: 'braggbench://app' };
      runInNewContext(`(function (require, exports, module) { ${code}\n})(require, {}, { exports: {} });`, {
        ...{ require, window, location, MessageChannel },
      });
      const deliver = (data: unknown, origin = location.origin) => {
        for (const listener of listeners) listener({ source: window, origin, data });
      };
      return { messages, deliver };
    }

    it('runs within the sandbox, and forwards one port', () => {
      const { messages, deliver } = runPreload(text('dist/electron/preload.cjs'));
      deliver('braggbench:want-port', 'https://example.org');
      expect(messages).toEqual([]);
      deliver('braggbench:want-port');
      deliver('braggbench:ready');
      expect(messages).toEqual(['port braggbench:port', 'page braggbench:port', 'send braggbench:ready']);
    });

    it('would fail if it used ES modules or Node APIs', () => {
      expect(() => runPreload("import { ipcRenderer } from 'electron';")).toThrow(/import statement/);
      expect(() => runPreload("require('node:fs');")).toThrow('module not found: node:fs');
      expect(() => runPreload('process.cwd();')).toThrow('process is not defined');
    });
  });

  describe('the main process', () => {
    const types = text('node_modules/electron/electron.d.ts');
    const { version } = JSON.parse(text('node_modules/electron/package.json')) as { version: string };

    /**
     * Members that Electron's types mark as deprecated. More deeply indented ones are fields of event objects, and are
     * left out.
     */
    function deprecatedMembers(declarations: string): ReadonlySet<string> {
      const found = declarations.matchAll(
        /@deprecated(?:(?!\*\/)[\s\S])*\*\/\n {2,4}(?:readonly |static )*(?:on\(event: '([\w-]+)'|(\w+))/g,
      );
      return new Set([...found].map(([, event = '', member = '']) => event || member));
    }

    it('is type-checked against the types of the packaged runtime', () => {
      const wanted = JSON.parse(text('package.json')) as { peerDependencies: Record<string, string> };
      expect(version).toBe(wanted.peerDependencies['electron']);
      expect(types).toContain(`Electron ${version}`);
    });

    it('uses no API that is deprecated for the next version', () => {
      const gone = deprecatedMembers(types);
      expect(gone.size).toBeGreaterThan(5);
      expect(
        deprecatedMembers(
          "/** @deprecated */\n    readonly old: string;\n /** @deprecated x */\n    on(event: 'gone', l: F)",
        ),
      ).toEqual(new Set(['old', 'gone']));
      const code = text('dist/electron/preload.cjs') + mainSources.map(text).join('\n');
      const uses = [...gone].filter((name) => new RegExp(`\\.${name}\\(|\\.on\\('${name}'`).test(code));
      expect(uses).toEqual([]);
    });

    it('casts no Electron value to an unrelated type', () => {
      const casts = mainSources.filter((file) => /\bas (?:unknown|never|any)\b|@ts-/.test(text(file)));
      expect(mainSources.length).toBeGreaterThan(5);
      expect(casts).toEqual([]);
    });
  });
});

describe('the configuration of packages', () => {
  const root = path.resolve(import.meta.dirname, '../../..');
  const text = (file: string): string => readFileSync(path.join(root, file), 'utf8');
  const mainSources = globSync('electron/main/*.ts', { cwd: root });
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
    it("passes electron-builder's own validation", async () => {
      await expect(validate(config)).resolves.toBeUndefined();
      await expect(validate({ ...config, asarUnpacked: [] })).rejects.toThrow(/asarUnpacked/);
      const electronFuses = { ...config.electronFuses, runAsNode: 'no' };
      await expect(validate({ ...config, electronFuses })).rejects.toThrow(/runAsNode/);
    });

    it('configures no updates, since they would be installed unsigned', () => {
      expect(config).toMatchObject({ publish: null });
      const { packages } = JSON.parse(text('package-lock.json')) as { packages: Readonly<Record<string, unknown>> };
      expect(Object.keys(packages)).toContain('node_modules/electron-builder');
      expect(Object.keys(packages).filter((name) => /electron-updater$/.test(name))).toEqual([]);
      expect(mainSources.filter((file) => /autoUpdater|electron-updater/.test(text(file)))).toEqual([]);
    });

    it('disables the risky Electron fuses', () => {
      expect(config.electronFuses).toMatchObject({
        runAsNode: false,
        enableCookieEncryption: true,
        enableNodeOptionsEnvironmentVariable: false,
        enableNodeCliInspectArguments: false,
        enableEmbeddedAsarIntegrityValidation: true,
        onlyLoadAppFromAsar: true,
      });
    });

    it('unpacks files that the program reads by path', () => {
      for (const folder of ['dist/native/**', 'dist/kernels/**', 'assets/**'])
        expect(config.asarUnpack).toContain(folder);
      // Threads and child processes start from unpacked files, because they cannot read the archive. package.json
      // declares these files as ES modules.
      for (const file of ['dist/workers/**', 'dist/decoders/**', 'package.json']) {
        expect(config.asarUnpack).toContain(file);
      }
      expect(config.files).toContain('dist/decoders/**');
      const { main } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { main: string };
      expect(config.files).toContain(`${path.posix.dirname(main)}/**`);
    });

    it('registers the file types of scenarios and runs', () => {
      expect(config.fileAssociations.map(({ ext }) => ext)).toEqual(['braggbench.json', 'h5']);
    });
  });
});
