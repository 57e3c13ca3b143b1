/** The browser's command line never contains the token, since every user of a machine could read it there. */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../host/test-host.ts';

test.skipIf(process.platform !== 'linux')('the browser is opened by a page of mode 600, not by the token', async () => {
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
