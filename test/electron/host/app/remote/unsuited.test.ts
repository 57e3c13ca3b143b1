/**
 * Machines that accept the login but cannot run the program: they have another processor or C library, or are the login
 * node of a cluster.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Remote } from '../../../../../electron/contract/remote.ts';
import { Connection } from '../../../../../electron/host/app/remote/connection.ts';
import type { Source } from '../../../../../electron/host/app/remote/program.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { writeFakeSsh } from '../../../../sshd.ts';
import { braggbenchInProcess, environmentWith } from '../../../cli/command.ts';
import { smallScenario } from '../../small-run.ts';

const folder = scratchFolder('unsuited');
/** Programs of the remote machine, which precede this machine's in a login's PATH. */
const programs = path.join(folder, 'programs');
const before = { PATH: process.env['PATH'], HOME: process.env['HOME'], XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] };
const there = {
  PATH: `${writeFakeSsh(path.join(folder, 'bin'))}${path.delimiter}${before.PATH}`,
  HOME: folder,
  XDG_CACHE_HOME: path.join(folder, 'cache'),
};

/** Sets up a fake remote machine that differs from this one only in these programs. */
function machineWith(scripts: Readonly<Record<string, string>>): void {
  mkdirSync(programs, { recursive: true });
  const all = {
    ...{ uname: 'case $1 in -s) echo Linux;; -m) echo x86_64;; *) echo far;; esac' },
    ...{ getconf: 'case $1 in GNU_LIBC_VERSION) echo glibc 2.36;; *) echo 8;; esac' },
    ...{ 'nvidia-smi': 'echo no driver is loaded; exit 9', ...scripts },
  };
  for (const [name, script] of Object.entries(all)) {
    writeFileSync(path.join(programs, name), `#!/bin/sh\n${script}\n`);
    chmodSync(path.join(programs, name), 0o755);
  }
}

beforeAll(() => {
  // The user's profile runs after the system's, which sets PATH.
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, '.profile'), `PATH=${programs}:$PATH\n`);
  Object.assign(process.env, there);
});
afterAll(() => {
  for (const [name, value] of Object.entries(before))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});

/** The local program, which must not be copied. */
const source: Source = {
  program: { version: '0.1.0', digest: '0123456789ab', platform: 'linux-x64', unpacked_bytes: 1 },
  archive: () => Promise.reject(new Error('it is copied')),
};

async function connectRemote(anyway = false): Promise<Remote> {
  const connection = new Connection({
    ...{ id: 1, host: 'login', anyway, asking: 'never', retry_ms: 1 },
    ...{ source: () => Promise.resolve(source), onChange: () => undefined },
  });
  await connection.ended;
  return connection.info;
}

test.each([
  ['aarch64', 'linux-arm64'],
  ['riscv64', 'linux-riscv64'],
])('the program is not copied to a machine with another processor type: %s', async (machine, platform) => {
  machineWith({ uname: `case $1 in -s) echo Linux;; -m) echo ${machine};; *) echo far;; esac` });
  const { state, machine: probed } = await connectRemote(true);
  expect(state).toEqual({
    kind: 'failed',
    reason: `login: it is ${platform}, but this program is for linux-x64.`,
  });
  expect(probed).toMatchObject({ node: 'far', platform, gpus: { kind: 'unknown' } });
});

test('the program is not copied to a machine with an incompatible C library', async () => {
  machineWith({ getconf: 'exit 1' });
  expect((await connectRemote(true)).state).toEqual({
    kind: 'failed',
    reason: 'login: its C library is not glibc, which the program needs.',
  });
});

test('nothing starts on the login node of a cluster without a flag, and the message points to studies on Slurm', async () => {
  machineWith({ sbatch: 'exit 0' });
  expect(await connectRemote()).toMatchObject({
    state: { kind: 'login-node' },
    machine: { slurm: true, platform: 'linux-x64' },
  });
  // With the user's consent, the connection goes on to copy the program, which fails here on purpose.
  expect((await connectRemote(true)).state).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('it is copied'),
  });

  const environment = environmentWith(path.join(folder, 'home'), there);
  const said = await braggbenchInProcess(['connect', 'login'], { cwd: folder, environment });
  expect(said.code).toBe(1);
  const command = /braggbench (study clusters add NAME --host login)/.exec(said.stderr)?.[1] ?? said.stderr;
  const added = await braggbenchInProcess(command.replace('NAME', 'near').split(' '), { cwd: folder, environment });
  expect(added.code, added.stderr).toBe(0);
  const listed = await braggbenchInProcess(['study', 'clusters'], { cwd: folder, environment });
  expect(listed.stdout).toContain('near');
  writeFileSync(path.join(folder, 'small.json'), JSON.stringify(smallScenario));
  const run = await braggbenchInProcess(['run', 'small.json', '--on', 'login'], { cwd: folder, environment });
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('study clusters add NAME --host login')]);
});
