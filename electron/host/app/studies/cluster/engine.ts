/**
 * Runs a study on a cluster and downloads its results as they arrive. The study is uploaded as a packed project, and
 * this program, installed there, submits it with `--on slurm`. Jobs outlive this process and the connection.
 *
 * The login host is reached by the user's `ssh`, which never prompts. No password is stored.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { BraggError, type ErrorCode, errorCodeSchema } from '../../../../contract/errors.ts';
import { unpackedPartSchema } from '../../../../contract/projects/project.ts';
import type { Cluster } from '../../../../contract/study/clusters.ts';
import { findNode, pathOutsideArchive } from '../../../io/programs.ts';
import { writeTarget } from '../../../model/studies/folder-state.ts';
import { packProject } from '../../projects/pack.ts';
import { type LocalOptions, runWithProgress, type StudyOutcome, type StudyRun } from '../local/engine.ts';
import { quoteForShell } from '../slurm/task.ts';
import { missingLocally, saveDownloaded } from './download.ts';

const SSH = [
  ...['-T', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=15'],
  ...['-o', 'ServerAliveInterval=15', '-o', 'ServerAliveCountMax=4'],
];
const COMMAND_TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 2 ** 29;
/** Separates the output of a script from text that a login profile prints. */
const OUTPUT_MARK = '@braggbench@';
/** Exit codes if ssh itself failed, and if the shell found no such program. */
const [SSH_FAILED, NOT_FOUND] = [255, 127];
const MAX_MESSAGE = 500;

interface ScriptOutcome {
  /** Null if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  /** Whether the program was not found. */
  readonly missing: boolean;
}

interface StartedScript {
  readonly child: ChildProcess;
  /** Never rejects. */
  readonly ended: Promise<ScriptOutcome>;
}

/** Error document that the remote program prints with --json. */
const remoteIssueSchema = z.object({ error: z.object({ code: errorCodeSchema }) });

/** Parses JSON output by the schema. Null for any other output. */
function parseJsonOutput<T>(output: Buffer, schema: z.ZodType<T>): T | null {
  try {
    return schema.parse(JSON.parse(output.toString('utf8')));
  } catch {
    return null;
  }
}

const splitWords = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

/** Returns the words that start this command line on this machine. */
async function localProgram(): Promise<readonly string[]> {
  const here = import.meta.dirname;
  const bundle = pathOutsideArchive(path.join(here, '..', 'host', 'cli.js'));
  const cli = existsSync(bundle) ? bundle : path.join(here, '../../../../cli/main.ts');
  return [await findNode('A cluster on this machine'), cli];
}

export class Login {
  readonly cluster: Cluster;

  constructor(cluster: Cluster) {
    this.cluster = cluster;
  }

  /** Returns the shell words that start this program on the cluster. */
  async program(): Promise<string> {
    const { host, program } = this.cluster;
    const own = splitWords(program);
    const words = own.length > 0 ? own : host === '' ? await localProgram() : ['braggbench'];
    return words.map(quoteForShell).join(' ');
  }

  /** Starts a script in the folder of the cluster, in a login shell with its modules. */
  start(script: string): StartedScript {
    const { host, folder, modules } = this.cluster;
    const at = quoteForShell(folder.replace(/^~\/+/, '') || '.');
    const whole = [
      `echo ${OUTPUT_MARK}`,
      `mkdir -p -- ${at} && cd -- ${at} || exit`,
      ...(modules.length === 0 ? [] : [`module load ${modules.map(quoteForShell).join(' ')} || exit`]),
      script,
    ].join('\n');
    const [program, words] =
      host === '' ? ['bash', ['-lc', whole]] : ['ssh', [...SSH, host, `exec bash -lc ${quoteForShell(whole)}`]];
    const child = spawn(program, words, { cwd: homedir(), stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    const out: Buffer[] = [];
    let stderr = '';
    let bytes = 0;
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > MAX_OUTPUT_BYTES) child.kill();
      else out.push(piece);
    });
    child.stderr.setEncoding('utf8').on('data', (piece: string) => {
      stderr = `${stderr}${piece}`.slice(-10_000);
    });
    // Ignore errors of a process that has exited and no longer reads its input.
    child.stdin.on('error', () => undefined);
    const ended = new Promise<ScriptOutcome>((resolve) => {
      const end = (code: number | null, missing: boolean, says = stderr): void =>
        resolve({ code, stdout: outputAfterMark(Buffer.concat(out)), stderr: says, missing });
      child.on('error', (error) => end(null, 'code' in error && error.code === 'ENOENT', error.message));
      child.on('close', (code) => end(code, false));
    });
    return { child, ended };
  }

  /** Runs a script and returns its output. Throws BraggError with one sentence if it fails. */
  async run(script: string, input: string | Uint8Array = ''): Promise<Buffer> {
    const { child, ended } = this.start(script);
    child.stdin?.end(input);
    const late = setTimeout(() => child.kill(), COMMAND_TIMEOUT_MS);
    const lastOutput = await ended.finally(() => clearTimeout(late));
    if (lastOutput.code === 0) return lastOutput.stdout;
    throw this.errorOf(lastOutput);
  }

  /** Describes a failure in one sentence, with the error code of the remote program. */
  errorOf({ code, stdout, stderr, missing }: ScriptOutcome): BraggError {
    const { name, host, program } = this.cluster;
    const says = lastLine(stderr);
    const unsupported = (text: string): BraggError => new BraggError('unsupported', `${name}: ${text}`);
    if (missing) return unsupported(`${host === '' ? 'bash' : 'ssh'} is not installed on this machine.`);
    if (code === null) return unsupported(`${host === '' ? 'the shell' : host} did not answer in time.`);
    if (code === SSH_FAILED && host !== '') {
      const asks = /denied|verification failed|passphrase/i.test(stderr);
      const log = asks
        ? ` Log in once with ssh ${host} in a terminal, using a key: passwords are not supported here.`
        : '';
      return unsupported(`ssh ${host} failed: ${says || 'no error message'}.${log}`.replace(/\.\./, '.'));
    }
    if (code === NOT_FOUND)
      return unsupported(
        `${program || 'braggbench'} was not found there (${says}); set its path in the cluster's description.`,
      );
    const given: ErrorCode = parseJsonOutput(stdout, remoteIssueSchema)?.error.code ?? 'unsupported';
    if (says !== '') return new BraggError(given, `${name}: ${says}`);
    return unsupported(`exit code ${code}, no error message.`);
  }
}

/**
 * Returns the versions and partitions of a cluster in one sentence. Throws BraggError with one sentence if the cluster
 * cannot be used.
 */
export async function describeCluster(cluster: Cluster): Promise<string> {
  const login = new Login(cluster);
  const script = [`${await login.program()} --version || exit`, 'sbatch --version || exit', "sinfo -h -o '%R'"].join(
    '\n',
  );
  const [own = '', slurm = '', ...partitions] = (await login.run(script)).toString('utf8').trim().split('\n');
  const parts = [...new Set(partitions)].join(', ') || 'none';
  return `${own.slice(0, 100)} and ${slurm.slice(0, 100)}; partitions: ${parts.slice(0, 300)}.`;
}

function outputAfterMark(output: Buffer): Buffer {
  const at = output.indexOf(`${OUTPUT_MARK}\n`);
  return at < 0 ? Buffer.alloc(0) : output.subarray(at + OUTPUT_MARK.length + 1);
}

/** Returns the last non-empty line, without colours and prefix. */
function lastLine(text: string): string {
  const lines = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: codes of colours are control characters
    .replaceAll(/\u001B\[[0-9;]*[A-Za-z]/g, '')
    .split(/[\r\n]+/)
    .map((line) => line.trim());
  return (lines.findLast((line) => line !== '') ?? '').replace(/^error:? /, '').slice(0, MAX_MESSAGE);
}

/**
 * Minimum and maximum interval between polls for results. It grows while none arrive, and is at least MIN_POLL_RATIO
 * times the duration of a poll.
 */
const POLL_MS = { soonest: 1000, latest: 15_000 } as const;
const MIN_POLL_RATIO = 4;
/** Maximum number of results in one download. */
const MAX_RESULTS_PER_DOWNLOAD = 200;
/**
 * Maximum waits for the remote process to end. After a stop request it first cancels its jobs; after its input has
 * closed it exits at once.
 */
const [STOP_MS, LEAVE_MS] = [60_000, 3000];

interface ClusterOptions extends Omit<LocalOptions, 'share' | 'job' | 'assetsFolder'> {
  readonly cluster: Cluster;
  /** Whether the machine itself solves the points, without Slurm. */
  readonly direct?: boolean;
  /** Whether points that failed on the cluster are tried again. */
  readonly retry: boolean;
}

/**
 * Throws if a tuning search would run on a cluster. It compares configurations by time, so all must be measured on one
 * machine.
 */
export function throwIfSearch(search: unknown, cluster: Pick<Cluster, 'name'> | null): void {
  if (search === undefined || cluster === null) return;
  throw new BraggError('invalid', `A tuning search runs on one machine, so ${cluster.name} cannot be used.`);
}

const [MAX_TRIES, LOCK_RETRY_MS] = [5, 2000];

/** Whether another process on the cluster already works on the study. */
const isLockedElsewhere = (error: unknown): boolean => error instanceof BraggError && error.code === 'exists';

const unpackedSchema = z.looseObject({ came: z.array(unpackedPartSchema) });
const outcomeSchema = z.looseObject({ end: z.enum(['whole', 'stopped', 'cancelled', 'budget']) });

/** Solves a study on a cluster. Throws BraggError with one sentence if ssh, sbatch or the remote program fails. */
export async function solveOnCluster(options: ClusterOptions): Promise<StudyOutcome> {
  const login = new Login(options.cluster);
  return runWithProgress({ ...options, left: options.lines.length, job: null }, async (go) => {
    const study = await uploadStudy(login, options);
    if (options.direct !== true)
      await writeTarget(options.folder.folder, { cluster: login.cluster.name, there: study });
    const remoteFolder = remoteFolderOf(study);
    const program = await login.program();
    const wanted = new Set(options.lines.map(({ id }) => id));
    for (let tries = 1; ; tries += 1) {
      const watcher = login.start(watchScript(program, remoteFolder, options));
      try {
        await watchStudy({ ...options, login, there: remoteFolder, program, watcher, go, wanted });
        return {};
      } catch (error) {
        // The remote process of an earlier connection may still be exiting, so retry.
        if (!isLockedElsewhere(error) || tries >= MAX_TRIES || go.signal.aborted) throw error;
        await sleep(LOCK_RETRY_MS, undefined, { ref: false });
      }
    }
  });
}

const remoteFolderOf = (study: string): string => `studies/${study}.study`;

/** Cancels the jobs of a study that no local process watches. */
export async function stopOnCluster(cluster: Cluster, study: string): Promise<void> {
  const login = new Login(cluster);
  await login.run(`${await login.program()} study stop ${quoteForShell(remoteFolderOf(study))}`);
}

/** Uploads the study and returns its name on the cluster. */
async function uploadStudy(login: Login, { folder, host }: ClusterOptions): Promise<string> {
  const name = path.basename(folder.folder, '.study');
  const packed = await packProject({
    ...{ name, program: host.capabilities().version, files: [], notesFolder: null },
    studies: [{ name, folder: folder.folder }],
  });
  const file = `${name}.${process.pid}.braggbench`;
  const unpack = `${await login.program()} project unpack ${quoteForShell(file)} --into . --json`;
  const output = await login.run(
    `cat > ${quoteForShell(file)} || exit\n${unpack}\nc=$?\nrm -f ${quoteForShell(file)}\nexit $c`,
    packed,
  );
  const came = parseJsonOutput(output, unpackedSchema)?.came.find(({ part }) => part === 'study');
  if (came !== undefined) return came.as;
  throw new BraggError('unsupported', `${login.cluster.name}: its Braggbench did not accept the study.`);
}

/**
 * Builds the script that solves the complete study on the cluster. When its input closes, the script exits and leaves
 * its jobs running.
 */
function watchScript(program: string, there: string, { cluster, direct = false, retry }: ClusterOptions): string {
  const { sbatch, cores } = cluster;
  const words = ['study', 'resume', there, '--json', '--yes'];
  if (!direct) words.push('--on', 'slurm', '--cores', `${cores}`);
  if (sbatch.trim() !== '') words.push('--sbatch', sbatch);
  return [
    ...(retry ? [`find ${quoteForShell(`${there}/results`)} -name '*.failed.json' -delete 2>/dev/null`] : []),
    'exec 3<&0',
    `${program} ${words.map(quoteForShell).join(' ')} </dev/null 3<&- &`,
    'child=$!',
    '{ cat <&3 >/dev/null; kill -INT $child; } >/dev/null 2>&1 &',
    'wait $child',
  ].join('\n');
}

interface WatchOptions extends ClusterOptions {
  readonly login: Login;
  readonly there: string;
  readonly program: string;
  readonly watcher: StartedScript;
  readonly go: StudyRun;
  /** Ids of the requested points that have no result yet. */
  readonly wanted: Set<string>;
}

async function watchStudy(all: WatchOptions): Promise<void> {
  const { login, there, program, watcher, go, folder } = all;
  let over = false;
  void watcher.ended.then(() => {
    over = true;
  });
  const waitAtMost = (ms: number): Promise<unknown> =>
    Promise.race([watcher.ended, sleep(ms, undefined, { ref: false })]);
  try {
    for (let wait_ms: number = POLL_MS.soonest; !over && !go.signal.aborted; ) {
      const woken = new AbortController();
      const endWait = (): void => woken.abort();
      go.signal.addEventListener('abort', endWait, { once: true });
      void watcher.ended.then(endWait);
      await sleep(wait_ms, undefined, { signal: woken.signal }).catch(() => undefined);
      go.signal.removeEventListener('abort', endWait);
      if (over || go.signal.aborted) break;
      const begun_ms = performance.now();
      // Ignore a failed poll, because it is repeated later and the watching process reports a lost connection.
      const came = await downloadResults(all).catch(() => 0);
      const part_ms = MIN_POLL_RATIO * (performance.now() - begun_ms);
      wait_ms = Math.max(part_ms, came > 0 ? POLL_MS.soonest : Math.min(1.5 * wait_ms, POLL_MS.latest));
    }
    if (!over && (await folder.hasStopRequest())) {
      await login.run(`${program} study stop ${quoteForShell(there)}`);
      await waitAtMost(STOP_MS);
    }
    if (!over) {
      watcher.child.stdin?.end();
      await waitAtMost(LEAVE_MS);
    }
    if (!over) return;
    const lastOutput = await watcher.ended;
    await downloadResults(all);
    if (!go.signal.aborted && parseJsonOutput(lastOutput.stdout, outcomeSchema) === null)
      throw login.errorOf(lastOutput);
  } finally {
    watcher.child.stdin?.end();
    if (!over) watcher.child.kill();
  }
}

/** Downloads new results and returns their number. */
async function downloadResults({ login, there, folder, wanted, go }: WatchOptions): Promise<number> {
  const at = `cd ${quoteForShell(there)} || exit`;
  const listing = await login.run(`${at}\nif [ -d results ]; then find results -type f -name '*.json'; fi`);
  const names = await missingLocally({ folder: folder.folder, listing });
  let came = 0;
  for (let i = 0; i < names.length; i += MAX_RESULTS_PER_DOWNLOAD) {
    const some = names.slice(i, i + MAX_RESULTS_PER_DOWNLOAD);
    // A result file disappears when its point is solved again. Ignore it and read the others.
    const output = await login.run(`${at}\nxargs cat 2>/dev/null || true`, `${some.join('\n')}\n`);
    const brought = await saveDownloaded({ folder: folder.folder, names: some, lines: output });
    for (const { id, status } of brought) if (wanted.delete(id)) go.ended(status);
    came += brought.length;
  }
  return came;
}
