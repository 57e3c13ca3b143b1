/** A Slurm of this machine alone for one test file, where the programs of Debian's slurmctld, slurmd, slurm-client and munge are. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './sshd.ts';

const PROGRAMS = ['/usr/sbin/slurmctld', '/usr/sbin/slurmd', '/usr/sbin/munged', '/usr/bin/sbatch'];

/** Why there can be none here; null where there can. */
export const noSlurm: string | null =
  process.getuid?.() !== 0
    ? 'a Slurm of one machine is started by root'
    : PROGRAMS.every((file) => existsSync(file))
      ? null
      : 'slurmctld, slurmd, slurm-client and munge are not installed';

export interface OneNodeSlurm {
  readonly environment: { readonly SLURM_CONF: string };
  /** Simulates a crash: the process of that name is killed. */
  kill(program: 'slurmctld' | 'slurmd'): void;
  start(program: 'slurmctld' | 'slurmd'): void;
  call(program: string, ...words: readonly string[]): string;
  stop(): Promise<void>;
}

/** `maxArraySize`: few, so that arrays are split. */
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
      // The controller is not up yet.
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
        // A controller that a test has killed cancels nothing.
      }
      for (const program of ['slurmd', 'slurmctld', 'munged']) {
        try {
          process.kill(pidOf(program), 'SIGTERM');
        } catch {
          // It has ended.
        }
      }
      await sleep(2000);
    },
  };
}
