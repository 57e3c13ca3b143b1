/** Compilers that take too long, too much or outlive their host: real processes of the shell in their place. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { prune } from '../../../../../electron/host/model/user-kernels/build.ts';
import { compilerLimits, runContained } from '../../../../../electron/host/model/user-kernels/contained.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { eventually } from '../../test-host.ts';

const onPosix = test.skipIf(process.platform === 'win32');
const folder = scratchFolder('contained');

/** A driver with the compiler proper below it, which says its id and works on. */
const driver = (file: string): readonly string[] => [
  '-c',
  `sh -c 'echo $$ > ${file}; while :; do sleep 0.2; done' & wait`,
];
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // One that has ended and was not yet collected has no work.
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};
async function pidIn(file: string): Promise<number> {
  await eventually(() => existsSync(file) && readFileSync(file, 'utf8').trim() !== '');
  return Number(readFileSync(file, 'utf8'));
}

onPosix('what takes too long ends with all that it started', async () => {
  const file = path.join(folder, 'late');
  const limits = { ...compilerLimits, time_ms: 1500 };
  const work = runContained({ program: 'sh', args: driver(file), folder, limits });
  await expect(work).rejects.toThrow('The compiler did not end within 1.5 s; it was ended.');
  const pid = await pidIn(file);
  await eventually(() => !isAlive(pid));
});

onPosix('what is cancelled ends with all that it started', async () => {
  const file = path.join(folder, 'cancelled');
  const stop = new AbortController();
  const ended = expect(
    runContained({ program: 'sh', args: driver(file), folder, signal: stop.signal }),
  ).rejects.toMatchObject({ code: 'disconnected' });
  const pid = await pidIn(file);
  stop.abort();
  await ended;
  await eventually(() => !isAlive(pid));
});

onPosix.each(['SIGTERM', 'SIGKILL'] as const)('a host that ends by %s takes its compiler with it', async (signal) => {
  const file = path.join(folder, `host-${signal}`);
  const module = path.resolve('electron/host/model/user-kernels/contained.ts');
  const work = JSON.stringify({ program: 'sh', args: driver(file), folder });
  const script = `const { runContained } = await import(${JSON.stringify(module)}); await runContained(${work});`;
  const host = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  const pid = await pidIn(file);
  expect(isAlive(pid)).toBe(true);
  host.kill(signal);
  await eventually(() => !isAlive(pid));
});

onPosix('files, and what is said, have an end', async () => {
  const limits = { ...compilerLimits, file_bytes: 2 ** 20, output_bytes: 1000 };
  const written = await runContained({
    program: 'sh',
    args: ['-c', 'head -c 5000000 /dev/zero > large; yes | head -c 100000'],
    folder,
    limits,
  });
  expect(written.output.length).toBeLessThanOrEqual(1000);
  expect(readFileSync(path.join(folder, 'large')).length).toBeLessThanOrEqual(2 ** 20);
});

test.skipIf(process.platform !== 'linux')('memory has an end', async () => {
  const limits = { ...compilerLimits, memory_bytes: 64 * 2 ** 20 };
  const args = ['-c', 'head -c 200000000 /dev/zero | tail -c 190000000 | wc -c'];
  const { output } = await runContained({ program: 'sh', args, folder, limits });
  expect(output).toMatch(/memory/i);
});

test('kept builds are bounded by bytes: the least recently used go first', async () => {
  const kept = path.join(folder, 'kept');
  for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) {
    await mkdir(path.join(kept, name), { recursive: true });
    await writeFile(path.join(kept, name, 'my.so'), new Uint8Array(1000));
    await utimes(path.join(kept, name), 1000 + at, 1000 + at);
  }
  await prune(kept, path.join(kept, 'a'), 2500);
  expect((await readdir(kept)).sort()).toEqual(['a', 'c', 'd']);
});

onPosix('a letter that comes in two pieces is one', async () => {
  const halves = String.raw`printf '\342\206'; sleep 0.3; printf '\222\n'`;
  const { output } = await runContained({ program: 'sh', args: ['-c', halves], folder, limits: compilerLimits });
  expect(output).toBe('→\n');
});
