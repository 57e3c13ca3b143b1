/**
 * An OpenSSH server of this machine for one test file: its own port, host key and configuration, one key that may log in,
 * and nothing of the user's own ssh. It is Debian's openssh-server, started by the user who runs the tests.
 */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, connect as dial } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const SSHD = '/usr/sbin/sshd';

/** Why there can be none here; null where there can. */
export const noSshd: string | null = !existsSync(SSHD)
  ? 'sshd is not installed (Debian and Ubuntu: apt-get install openssh-server)'
  : !existsSync('/usr/bin/ssh')
    ? 'ssh is not installed (Debian and Ubuntu: apt-get install openssh-client)'
    : null;

if (noSshd !== null) process.stdout.write(`Connections to another machine are not tested: ${noSshd}.\n`);

export interface TestSshd {
  /** Folder for the front of PATH: its `ssh` is the system's with a configuration that knows `box`, `asks` and `locked`. */
  readonly bin: string;
  /** Caches and data of programs that are started by way of it. */
  readonly cache: string;
  /** Passphrase of the key of `locked`. */
  readonly passphrase: string;
  readonly port: number;
  /** Cuts every line at once, as a router does: the processes of the connections are killed. */
  cut(): void;
  stop(): Promise<void>;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error()),
      );
    });
  });
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = dial(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/** Processes whose parent is that one. */
function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(parent);
      } catch {
        return false;
      }
    });
}

/** `cache`: where programs that are started by way of it keep their files. */
export async function startSshd(folder: string, cache = path.join(folder, 'cache')): Promise<TestSshd> {
  const at = (...names: readonly string[]): string => path.join(folder, ...names);
  for (const each of [at('bin'), at('keys'), cache]) mkdirSync(each, { recursive: true, mode: 0o700 });
  // sshd of root wants a folder of this name for its unprivileged half.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const passphrase = 'a beam in water';
  const key = (name: string, words = ''): void =>
    void execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', words, '-C', name, '-f', at('keys', name)]);
  key('host');
  key('user');
  key('locked', passphrase);
  const read = (name: string): string => readFileSync(at('keys', `${name}.pub`), 'utf8');
  writeFileSync(at('keys', 'authorized'), read('user') + read('locked'), { mode: 0o600 });
  const port = await freePort();
  writeFileSync(at('known'), `[127.0.0.1]:${port} ${read('host')}`);
  writeFileSync(
    at('sshd_config'),
    [
      ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${at('keys', 'host')}`, `PidFile ${at('sshd.pid')}`],
      ...[`AuthorizedKeysFile ${at('keys', 'authorized')}`, 'AuthenticationMethods publickey', 'StrictModes no'],
      ...[
        'PasswordAuthentication no',
        'KbdInteractiveAuthentication no',
        'UsePAM no',
        'PermitRootLogin prohibit-password',
      ],
      ...['MaxStartups 50', 'PrintMotd no', 'AllowTcpForwarding local', 'X11Forwarding no'],
      `SetEnv XDG_CACHE_HOME=${cache} BRAGGBENCH_HOME=${path.join(cache, 'data')}`,
      '',
    ].join('\n'),
  );
  const host = (name: string, ...more: readonly string[]): string =>
    [`Host ${name}`, 'HostName 127.0.0.1', `Port ${port}`, `User ${userInfo().username}`, 'IdentitiesOnly yes', ...more]
      .map((line, i) => (i === 0 ? line : `  ${line}`))
      .join('\n');
  const known = [`UserKnownHostsFile ${at('known')}`, 'StrictHostKeyChecking yes'];
  writeFileSync(
    at('ssh_config'),
    [
      host('box', `IdentityFile ${at('keys', 'user')}`, ...known),
      host('locked', `IdentityFile ${at('keys', 'locked')}`, ...known),
      host(
        'asks',
        `IdentityFile ${at('keys', 'user')}`,
        `UserKnownHostsFile ${at('asked')}`,
        'StrictHostKeyChecking ask',
      ),
      host('stranger', `IdentityFile ${at('keys', 'host')}`, ...known),
      '',
    ].join('\n'),
  );
  writeFileSync(at('bin', 'ssh'), `#!/bin/sh\nexec /usr/bin/ssh -F ${at('ssh_config')} "$@"\n`);
  chmodSync(at('bin', 'ssh'), 0o755);
  const server = spawn(SSHD, ['-D', '-e', '-f', at('sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  const log = at('sshd.log');
  server.stderr.on('data', (piece: Buffer) => appendFileSync(log, piece));
  const gone = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  for (let i = 0; !(await answers(port)); i += 1) {
    if (i > 100) throw new Error(`sshd does not start: ${readFileSync(log, 'utf8')}`);
    await sleep(100);
  }
  const end = (pid: number | undefined): void => {
    try {
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const cut = (): void => {
    for (const child of childrenOf(server.pid ?? 0)) {
      for (const unprivileged of childrenOf(child)) end(unprivileged);
      end(child);
    }
  };
  return {
    ...{ bin: at('bin'), cache, passphrase, port, cut },
    stop: async () => {
      cut();
      end(server.pid);
      await gone;
    },
  };
}
