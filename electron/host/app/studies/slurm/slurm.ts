/**
 * Interface to Slurm by its commands, as documented in the manuals of sbatch, squeue, scancel, scontrol, sinfo and
 * sacct.
 */
import { execFile } from 'node:child_process';
import { BraggError } from '../../../../contract/errors.ts';

/** Time limit in ms for a command. Slurm's commands retry for a long time if the controller does not answer. */
const COMMAND_TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 256 * 2 ** 20;
/** Permanent errors of sbatch. They have no codes, so their text is matched. */
const PERMANENT_ERROR = /invalid|unrecognized|not found|denied|no such/i;

interface CommandResult {
  readonly ok: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the program was not found. */
  readonly missing: boolean;
}

type CommandRunner = (program: string, words: readonly string[]) => Promise<CommandResult>;

const runLocally: CommandRunner = (program, words) =>
  new Promise((resolve) => {
    execFile(
      program,
      [...words],
      { timeout: COMMAND_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, encoding: 'utf8' },
      (error, stdout, stderr) => {
        const missing = error !== null && 'code' in error && error.code === 'ENOENT';
        resolve({ ok: error === null, stdout, stderr: stderr.trim() || (error?.message ?? ''), missing });
      },
    );
  });

export interface ClusterFacts {
  readonly name: string;
  readonly version: string;
  /** Upper limit of array indices, exclusive. */
  readonly maxArraySize: number;
  /** Whether Slurm's accounting records ended jobs. If not, their end is known only from their files. */
  readonly accounting: boolean;
  readonly partitions: readonly string[];
}

export interface ClusterTask {
  /** State as abbreviated by squeue: PD (pending), R (running), CG (completing). */
  readonly state: string;
  readonly node: string;
}

interface Submission {
  /** Unique name of the job. */
  readonly tag: string;
  readonly script: string;
  readonly tasks: number;
  /** Maximum number of tasks that run at the same time. Null for no limit. */
  readonly atOnce: number | null;
  readonly cores: number | null;
  /** Number of seconds before its time limit at which a task gets a warning signal. */
  readonly warning_s: number;
  readonly output: string;
  /** Additional options of sbatch given by the user: partition, account, time. */
  readonly more: readonly string[];
}

const settingIn = (text: string, name: string): string | null =>
  new RegExp(`^${name}\\s*=\\s*(.+?)\\s*$`, 'm').exec(text)?.[1] ?? null;

export class Slurm {
  readonly #run: CommandRunner;

  constructor(run: CommandRunner = runLocally) {
    this.#run = run;
  }

  /**
   * Reads the properties of the cluster. Call it once before submitting. Throws BraggError `unsupported` if Slurm is
   * missing or does not answer.
   */
  async probe(): Promise<ClusterFacts> {
    const config = await this.#run('scontrol', ['show', 'config']);
    if (config.missing) {
      throw new BraggError(
        'unsupported',
        'Slurm is not available here: scontrol is not on PATH. Log in to a machine with sbatch.',
      );
    }
    if (!config.ok) throw new BraggError('unsupported', `Slurm does not respond: ${config.stderr}`);
    const [nodes, accounting] = [
      await this.#run('sinfo', ['-h', '-o', '%R']),
      await this.#run('sacct', ['-n', '-X', '-j', '1']),
    ];
    return {
      name: settingIn(config.stdout, 'ClusterName') ?? '',
      version: settingIn(config.stdout, 'SLURM_VERSION') ?? '',
      maxArraySize: Number(settingIn(config.stdout, 'MaxArraySize') ?? '1001'),
      accounting: accounting.ok,
      partitions: nodes.ok ? [...new Set(nodes.stdout.split('\n').filter((line) => line !== ''))] : [],
    };
  }

  /**
   * Submits a job array and returns its id. Throws BraggError `invalid` if sbatch rejects the job. Throws `internal`
   * for unexpected output; the job may have been submitted nevertheless.
   */
  async submit({ tag, script, tasks, atOnce, cores, warning_s, output, more }: Submission): Promise<string> {
    const words = [
      '--parsable',
      `--array=0-${tasks - 1}${atOnce === null ? '' : `%${atOnce}`}`,
      `--job-name=${tag}`,
      `--signal=B:USR1@${warning_s}`,
      '--requeue',
      '--open-mode=append',
      `--output=${output}`,
      ...(cores === null ? [] : [`--cpus-per-task=${cores}`]),
      ...more,
      script,
    ];
    const { ok, stdout, stderr } = await this.#run('sbatch', words);
    const id = /^(\d+)/.exec(stdout.trim())?.[1];
    if (ok && id !== undefined) return id;
    const says = stderr || stdout.trim();
    throw new BraggError(PERMANENT_ERROR.test(says) ? 'invalid' : 'internal', `sbatch: ${says}`);
  }

  /** Returns the id of the job with this name. Null if there is none, undefined if Slurm does not answer. */
  async find(tag: string, { accounting }: Pick<ClusterFacts, 'accounting'>): Promise<string | null | undefined> {
    const queued = await this.#run('squeue', ['-h', '--name', tag, '-o', '%F']);
    if (!queued.ok) return undefined;
    const id = /^(\d+)/m.exec(queued.stdout)?.[1];
    if (id !== undefined || !accounting) return id ?? null;
    const { ok, stdout } = await this.#run('sacct', ['-n', '-X', '--name', tag, '-S', 'now-30days', '-o', 'JobID%40']);
    return ok ? (/^\s*(\d+)/m.exec(stdout)?.[1] ?? null) : null;
  }

  /** Returns the unfinished tasks of an array by index. Undefined if Slurm does not answer. */
  async tasks(job: string): Promise<ReadonlyMap<number, ClusterTask> | undefined> {
    const { ok, stdout, stderr } = await this.#run('squeue', ['-h', '-r', '-j', job, '-o', '%K|%t|%N']);
    // Slurm forgets jobs some minutes after their end, which is not an error.
    if (!ok) return /Invalid job id/i.test(stderr) ? new Map() : undefined;
    const lines = stdout.split('\n').map((line) => line.trim().split('|'));
    return new Map(
      lines.flatMap(([index = '', state = '', node = '']) =>
        /^\d+$/.test(index) ? [[Number(index), { state, node }] as const] : [],
      ),
    );
  }

  /** Returns the final state of a task. Null if Slurm no longer knows the task. */
  async end(job: string, index: number, { accounting }: Pick<ClusterFacts, 'accounting'>): Promise<string | null> {
    const shown = await this.#run('scontrol', ['show', 'job', `${job}_${index}`]);
    const [state, exit] = [/JobState=(\S+)/.exec(shown.stdout)?.[1], /ExitCode=(\S+)/.exec(shown.stdout)?.[1]];
    if (shown.ok && state !== undefined) return `${state}, exit ${exit ?? '?'}`;
    if (!accounting) return null;
    const kept = await this.#run('sacct', ['-n', '-X', '-P', '-j', `${job}_${index}`, '-o', 'State,ExitCode']);
    const [first = ''] = kept.stdout.split('\n');
    return kept.ok && first !== '' ? first.replace('|', ', exit ') : null;
  }

  /** Cancels a job or one of its tasks, for example `12` or `12_3`. */
  async cancel(what: string): Promise<boolean> {
    return (await this.#run('scancel', [what])).ok;
  }
}
