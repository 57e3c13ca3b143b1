/**
 * An OpenSSH server on this machine for one test file. It has its own port, host key and configuration, and one key
 * that may log in. The user's ssh files are not used. It is Debian's openssh-server, started by the user who runs the
 * tests. Also a Slurm of only this machine, if Debian's slurmctld, slurmd, slurm-client and munge are installed. Also a
 * fake `ssh` that runs the remote commands locally.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, connect as dial } from 'node:net';
import { hostname, userInfo } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const SSHD = '/usr/sbin/sshd';

/** Reason why no sshd can run on this machine; null if it can. */
export const noSshd: string | null = !existsSync(SSHD)
  ? 'sshd is not installed (Debian and Ubuntu: apt-get install openssh-server)'
  : !existsSync('/usr/bin/ssh')
    ? 'ssh is not installed (Debian and Ubuntu: apt-get install openssh-client)'
    : null;

if (noSshd !== null) process.stdout.write(`Connections to another machine are not tested: ${noSshd}.\n`);

export interface TestSshd {
  /**
   * Folder to put at the front of PATH. Its `ssh` is the system's, with a configuration of the hosts `box`, `beyond`
   * (reached through `box`), `asks` and `locked`.
   */
  readonly bin: string;
  /** Caches and data of programs that are started through the server. */
  readonly cache: string;
  /** Passphrase of the key of host `locked`. */
  readonly passphrase: string;
  readonly port: number;
  /** Cuts all connections at once, like a router that fails: their processes are killed. */
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

/** Processes with that parent. */
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

/** Starts the server. `cache`: folder for the files of programs that are started through it. */
export async function startSshd(folder: string, cache = path.join(folder, 'cache')): Promise<TestSshd> {
  const at = (...names: readonly string[]): string => path.join(folder, ...names);
  for (const each of [at('bin'), at('keys'), cache]) mkdirSync(each, { recursive: true, mode: 0o700 });
  // An sshd run by root needs this folder for its unprivileged process.
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
      host('beyond', `IdentityFile ${at('keys', 'user')}`, 'ProxyJump box', ...known),
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
      // The process has already ended.
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

const PROGRAMS = ['/usr/sbin/slurmctld', '/usr/sbin/slurmd', '/usr/sbin/munged', '/usr/bin/sbatch'];

/** Reason why no Slurm can run on this machine; null if it can. */
export const noSlurm: string | null =
  process.getuid?.() !== 0
    ? 'a Slurm of one machine is started by root'
    : PROGRAMS.every((file) => existsSync(file))
      ? null
      : 'slurmctld, slurmd, slurm-client and munge are not installed';

export interface OneNodeSlurm {
  readonly environment: { readonly SLURM_CONF: string };
  /** Simulates a crash: kills the process of that program. */
  kill(program: 'slurmctld' | 'slurmd'): void;
  start(program: 'slurmctld' | 'slurmd'): void;
  call(program: string, ...words: readonly string[]): string;
  stop(): Promise<void>;
}

/** Starts Slurm. `maxArraySize` is small, so that arrays are split. */
export async function startSlurm(folder: string, maxArraySize: number): Promise<OneNodeSlurm> {
  const at = (...names: readonly string[]): string => path.join(folder, ...names);
  for (const name of ['state', 'spool', 'log']) mkdirSync(at(name), { recursive: true });
  writeFileSync(at('munge.key'), Buffer.alloc(1024, 7), { mode: 0o400 });
  const [controller, node] = [await freePort(), await freePort()];
  const host = hostname().split('.')[0] ?? 'localhost';
  writeFileSync(
    at('slurm.conf'),
    `ClusterName=tests
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${controller}
SlurmdPort=${node}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=${at('munge.sock')}
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=${at('state')}
SlurmdSpoolDir=${at('spool')}
SlurmctldPidFile=${at('slurmctld.pid')}
SlurmdPidFile=${at('slurmd.pid')}
SlurmctldLogFile=${at('log', 'slurmctld.log')}
SlurmdLogFile=${at('log', 'slurmd.log')}
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
MaxArraySize=${maxArraySize}
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
SlurmdParameters=config_overrides
NodeName=${host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=local Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`,
  );
  const environment = { SLURM_CONF: at('slurm.conf') };
  const env = { ...process.env, ...environment };
  execFileSync('/usr/sbin/munged', [
    '--force',
    ...[
      'key-file=munge.key',
      'socket=munge.sock',
      'pid-file=munged.pid',
      'log-file=log/munged.log',
      'seed-file=munge.seed',
    ].map((word) => `--${word.replace('=', `=${folder}/`)}`),
  ]);
  const start = (program: string): void => void execFileSync(`/usr/sbin/${program}`, [], { env, stdio: 'ignore' });
  const pidOf = (program: string): number => Number(readFileSync(at(`${program}.pid`), 'utf8'));
  const call = (program: string, ...words: readonly string[]): string => {
    const { stdout, stderr, status } = spawnSync(program, words, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
    return stdout;
  };
  start('slurmctld');
  start('slurmd');
  for (let i = 0; ; i += 1) {
    try {
      if (/idle/.test(call('sinfo', '-h', '-o', '%T'))) break;
    } catch {
      // The controller has not started yet.
    }
    if (i > 150) throw new Error(`Slurm does not start: ${readFileSync(at('log', 'slurmctld.log'), 'utf8')}`);
    await sleep(200);
  }
  return {
    environment,
    kill: (program) => void process.kill(pidOf(program), 'SIGKILL'),
    start,
    call,
    stop: async () => {
      try {
        call('scancel', '--state=RUNNING', '--user=root');
        call('scancel', '--user=root');
        await sleep(1000);
      } catch {
        // A controller that a test has killed cannot cancel jobs.
      }
      for (const program of ['slurmd', 'slurmctld', 'munged']) {
        try {
          process.kill(pidOf(program), 'SIGTERM');
        } catch {
          // The process has already ended.
        }
      }
      await sleep(2000);
    },
  };
}

/**
 * Creates a folder to put at the front of PATH, with a fake ssh. Host `login` accepts, `locked` refuses, `away` does
 * not answer.
 */
export function writeFakeSsh(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'ssh');
  writeFileSync(
    file,
    `#!/bin/bash
while [ "$#" -gt 2 ]; do shift; done
case "$1" in
  login) echo 'Welcome, this is a banner'; exec bash -c "$2" ;;
  locked) echo "user@locked: Permission denied (publickey)." >&2; exit 255 ;;
  *) echo "ssh: connect to host $1 port 22: Connection timed out" >&2; exit 255 ;;
esac
`,
  );
  chmodSync(file, 0o755);
  return folder;
}
