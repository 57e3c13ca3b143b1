/**
 * A shell with access to sbatch: on this machine, or on a login host through the user's `ssh`. It never prompts: keys
 * and agents are the user's, and no password is stored.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { BraggError } from '../../../../contract/errors.ts';
import type { Cluster } from '../../../../contract/study/clusters.ts';
import { nodeProgram } from '../../../io/node-program.ts';
import { onDisk } from '../../../io/on-disk.ts';
import { quoted } from '../slurm/script.ts';

const SSH = [
  ...['-T', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=15'],
  ...['-o', 'ServerAliveInterval=15', '-o', 'ServerAliveCountMax=4'],
];
const PATIENCE_MS = 120_000;
const MOST_OUTPUT_BYTES = 2 ** 29;
/** Separates the output from text that a login profile prints. */
const MARK = '@braggbench@';
/** Exit codes: ssh itself failed; the shell found no such program. */
const [SSH_FAILED, NOT_FOUND] = [255, 127];
const LONGEST_SAYING = 500;

interface Said {
  /** Null if it was killed. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** The program is not there at all. */
  readonly missing: boolean;
}

export interface Started {
  readonly child: ChildProcess;
  /** Never rejects. */
  readonly ended: Promise<Said>;
}

const splitWords = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

/** This command line, on this machine. */
async function ownProgram(): Promise<readonly string[]> {
  const here = import.meta.dirname;
  const bundle = onDisk(path.join(here, '..', 'host', 'cli.js'));
  const cli = existsSync(bundle) ? bundle : path.join(here, '../../../../cli/main.ts');
  return [await nodeProgram('A cluster on this machine'), cli];
}

export class Login {
  readonly cluster: Cluster;

  constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  /** The words that call this program there, for a shell. */
  async program(): Promise<string> {
    const { host, program } = this.cluster;
    const own = splitWords(program);
    const words = own.length > 0 ? own : host === '' ? await ownProgram() : ['braggbench'];
    return words.map(quoted).join(' ');
  }

  /** A script in the cluster's folder, with its modules; as a login shell has them. */
  start(script: string): Started {
    const { host, folder, modules } = this.cluster;
    const at = quoted(folder.replace(/^~\/+/, '') || '.');
    const whole = [
      `echo ${MARK}`,
      `mkdir -p -- ${at} && cd -- ${at} || exit`,
      ...(modules.length === 0 ? [] : [`module load ${modules.map(quoted).join(' ')} || exit`]),
      script,
    ].join('\n');
    const [program, words] =
      host === '' ? ['bash', ['-lc', whole]] : ['ssh', [...SSH, host, `exec bash -lc ${quoted(whole)}`]];
    const child = spawn(program, words, { cwd: homedir(), stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    const out: Buffer[] = [];
    let stderr = '';
    let bytes = 0;
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > MOST_OUTPUT_BYTES) child.kill();
      else out.push(piece);
    });
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      stderr = `${stderr}${piece}`.slice(-10_000);
    });
    // One that has gone takes no more.
    child.stdin.on('error', () => undefined);
    const ended = new Promise<Said>((resolve) => {
      const end = (code: number | null, missing: boolean, says = stderr): void =>
        resolve({ code, stdout: afterMark(Buffer.concat(out)), stderr: says, missing });
      child.on('error', (error) => end(null, 'code' in error && error.code === 'ENOENT', error.message));
      child.on('close', (code) => end(code, false));
    });
    return { child, ended };
  }

  /** Throws a BraggError of one sentence where it does not end well. */
  async run(script: string, input: string | Uint8Array = ''): Promise<Buffer> {
    const { child, ended } = this.start(script);
    child.stdin?.end(input);
    const late = setTimeout(() => child.kill(), PATIENCE_MS);
    const said = await ended.finally(() => clearTimeout(late));
    if (said.code === 0) return said.stdout;
    throw this.fault(said);
  }

  /** The failure as one sentence. */
  fault({ code, stderr, missing }: Said): BraggError {
    const { name, host, program } = this.cluster;
    const says = lastLine(stderr);
    const saying = (text: string): BraggError => new BraggError('unsupported', `${name}: ${text}`);
    if (missing) return saying(`there is no ${host === '' ? 'bash' : 'ssh'} on this machine.`);
    if (code === null) return saying(`${host === '' ? 'the shell' : host} did not answer in time.`);
    if (code === SSH_FAILED && host !== '') {
      const asks = /denied|verification failed|passphrase/i.test(stderr);
      const log = asks ? ` Log in once with ssh ${host} in a terminal, by a key: no password is asked for here.` : '';
      return saying(`ssh ${host} failed: ${says || 'it said nothing'}.${log}`.replace(/\.\./, '.'));
    }
    if (code === NOT_FOUND)
      return saying(`${program || 'braggbench'} was not found there (${says}); name it in the cluster's entry.`);
    return saying(says || `it ended with exit code ${code} and said nothing.`);
  }
}

/** Versions and partitions there, as one sentence. Throws a one-sentence BraggError if the cluster cannot be used. */
export async function clusterSays(cluster: Cluster): Promise<string> {
  const login = new Login(cluster);
  const script = [`${await login.program()} --version || exit`, 'sbatch --version || exit', "sinfo -h -o '%R'"].join(
    '\n',
  );
  const [own = '', slurm = '', ...partitions] = (await login.run(script)).toString('utf8').trim().split('\n');
  const parts = [...new Set(partitions)].join(', ') || 'none';
  return `${own.slice(0, 100)} and ${slurm.slice(0, 100)}; partitions: ${parts.slice(0, 300)}.`;
}

function afterMark(output: Buffer): Buffer {
  const at = output.indexOf(`${MARK}\n`);
  return at < 0 ? Buffer.alloc(0) : output.subarray(at + MARK.length + 1);
}

/** The last line that says something, without colours and the word before it. */
function lastLine(text: string): string {
  const lines = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are
    .replaceAll(/\u001B\[[0-9;]*[A-Za-z]/g, '')
    .split(/[\r\n]+/)
    .map((line) => line.trim());
  return (lines.findLast((line) => line !== '') ?? '').replace(/^error:? /, '').slice(0, LONGEST_SAYING);
}
