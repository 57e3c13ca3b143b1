/**
 * Talks to external programs that solve the same scenarios, by the protocol in assets/external/README.md. The registry,
 * assets/external/registry.json, lists these programs. A check shows whether a program can run on this machine.
 */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ExternalProgram } from '../../../contract/bench/benches.ts';
import { BraggError } from '../../../contract/errors.ts';

const baselineSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  language: z.string(),
  device: z.enum(['cpu', 'cuda']),
  style: z.string(),
  /**
   * Kinds of scenarios that the program solves, such as `transport`, or `micro/elementwise` for a workload with several
   * benchmarks.
   */
  solves: z.array(z.string()).min(1),
  /** Precision in which the program computes; absent if the scenario selects it. */
  precision: z.string().optional(),
  /**
   * Command line. The first word is looked up in PATH; file names in further words are relative to the registry's
   * folder.
   */
  command: z.array(z.string().min(1)).min(1),
  /**
   * Command that tests whether the program can run: it exits with code 0, or prints the reason as the last line of its
   * error output.
   */
  check: z.array(z.string().min(1)).min(1).optional(),
  /**
   * For a program that the user installs: the environment variable that contains its path, and a description of the
   * file.
   */
  path: z.strictObject({ variable: z.string(), what: z.string() }).optional(),
});
export type Baseline = Readonly<z.infer<typeof baselineSchema>>;
const registrySchema = z.strictObject({
  $comment: z.string().optional(),
  version: z.literal(2),
  baselines: z.array(baselineSchema),
});

interface ExternalRegistry {
  readonly folder: string;
  readonly baselines: readonly Baseline[];
}

/** Workload and benchmark, as in the registry's `solves`. */
export interface ProgramScope {
  readonly workload: string;
  readonly bench: string;
}

export async function readRegistry(assetsFolder: string): Promise<ExternalRegistry> {
  const folder = join(assetsFolder, 'external');
  const parsed = registrySchema.parse(JSON.parse(await readFile(join(folder, 'registry.json'), 'utf8')));
  return { folder, baselines: parsed.baselines };
}

const benchmarkName = ({ workload, bench }: ProgramScope): string => (bench === '' ? workload : `${workload}/${bench}`);

/** Registered programs that solve the scenarios of a benchmark. */
export const baselinesFor = ({ baselines }: ExternalRegistry, solved: ProgramScope): readonly Baseline[] =>
  baselines.filter(({ solves }) => solves.includes(benchmarkName(solved)));

/** A requested program, and the path of its file if the user installs it; null if the path is unknown. */
export interface ChosenBaseline {
  readonly baseline: Baseline;
  readonly file: string | null;
}

const baselineFile = ({ path }: Baseline): string | null =>
  path === undefined ? null : process.env[path.variable] || null;

/** Reason why the file of a user-installed program is missing; null if it exists, or if the program needs none. */
export function missingFileReason({ baseline: { id, path }, file }: ChosenBaseline): string | null {
  if (path === undefined || file !== null) return null;
  return `its path is not known: give the path of ${path.what} by ${id}=FILE or in the variable ${path.variable}`;
}

/**
 * Parses requests for programs, in their order: ids, or id=FILE for user-installed programs. Throws BraggError
 * 'invalid' if an id is not registered for these scenarios.
 */
export function parseBaselines(
  registry: ExternalRegistry,
  solved: ProgramScope,
  requested: readonly string[],
): readonly ChosenBaseline[] {
  const able = baselinesFor(registry, solved);
  return requested.map((text) => {
    const at = text.indexOf('=');
    const id = at < 0 ? text : text.slice(0, at);
    const baseline = able.find((one) => one.id === id);
    if (baseline !== undefined) return { baseline, file: at < 0 ? baselineFile(baseline) : text.slice(at + 1) };
    const allowed = able.map((one) => one.id).join(', ') || 'none, because no other program solves such scenarios';
    const known = registry.baselines.some((one) => one.id === id);
    const why = known ? `does not solve scenarios of kind ${benchmarkName(solved)}` : 'is not registered';
    throw new BraggError('invalid', `the program ${JSON.stringify(id)} ${why}; allowed: ${allowed}`);
  });
}

/**
 * Request for a registered program without a path; the file is the one that the program's environment variable names.
 */
const defaultChoice = (baseline: Baseline): ChosenBaseline => ({ baseline, file: baselineFile(baseline) });

/** Time limit of a check in ms. Loading CuPy and opening a device needs seconds. */
const CHECK_TIMEOUT_MS = 30_000;

/**
 * Time in ms for which the result of a check is cached. Programs with the same check share its result. The check is
 * repeated later, because the user may have installed something.
 */
const CHECK_VALID_MS = 60_000;
const cachedChecks = new Map<string, { readonly at: number; readonly reason: Promise<string | null> }>();

function runCommand([program = '', ...args]: readonly string[], folder: string): Promise<string | null> {
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  return new Promise((resolve) => {
    execFile(program, args, { cwd: folder, env, timeout: CHECK_TIMEOUT_MS }, (error, _output, said) => {
      if (error === null) resolve(null);
      else if (error.code === 'ENOENT') resolve(`${program} is not installed, or not on PATH.`);
      else if (error.killed) resolve(`${program} did not respond within ${CHECK_TIMEOUT_MS / 1000} s.`);
      else resolve(said.trim().split('\n').at(-1) || error.message);
    });
  });
}

function checkBaseline(baseline: Baseline, folder: string): Promise<string | null> {
  const { command, check } = baseline;
  const asked = check ?? [command[0] ?? '', '--version'];
  const key = JSON.stringify([folder, asked]);
  const known = cachedChecks.get(key);
  if (known !== undefined && performance.now() - known.at < CHECK_VALID_MS) return known.reason;
  const reason = runCommand(asked, folder);
  cachedChecks.set(key, { at: performance.now(), reason });
  return reason;
}

/** Registered programs for the scenarios of a benchmark, each with the reason if it cannot run. */
export async function externalPrograms(assetsFolder: string, solved: ProgramScope): Promise<ExternalProgram[]> {
  const registry = await readRegistry(assetsFolder);
  return Promise.all(
    baselinesFor(registry, solved).map(async (baseline) => {
      const { id, title, language, device } = baseline;
      const file =
        baseline.path === undefined ? null : { what: baseline.path.what, named: defaultChoice(baseline).file };
      return { id, title, language, device, reason: await checkBaseline(baseline, registry.folder), file };
    }),
  );
}

export const PROTOCOL_VERSION = 2;
/** Maximum size of a message in bytes. Programs that follow the protocol write far less. */
const MAX_OUTPUT_BYTES = 16e6;
/** Number of lines of a failed program's output that its error quotes. */
const QUOTED_LINES = 3;
/** Time limit of a request in seconds. torch.compile and Numba may compile for minutes on a busy machine. */
const MAX_SECONDS = 300;

const seconds = z.number().nonnegative();
const parts = z.record(z.string(), seconds).default({});
const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

export const openReplySchema = z.object({
  protocol: z.literal(PROTOCOL_VERSION),
  device: z.string(),
  precision: z.string(),
  versions: z.record(z.string(), z.string()),
  threads: z.number().int().positive().nullable().default(null),
});
export const prepareReplySchema = z.object({ setup_s: seconds, parts });
export const sampleReplySchema = z.object({
  repetitions: z.number().int().positive(),
  device_s: seconds.nullable(),
  host_s: seconds,
});
export const runReplySchema = z.object({
  setup_s: seconds,
  parts,
  device_s: seconds.nullable(),
  host_s: seconds,
  wall_s: seconds,
  hash: z.string(),
});
export const answerReplySchema = z.object({
  arrays: z.array(z.string()).min(1),
  hash: z.string(),
  /** Note that is shown in the program's row. */
  note: z.string().nullable().default(null),
  steps: z.number().int().nonnegative().nullable().default(null),
  cell_steps: z.number().nonnegative().nullable().default(null),
  ledger: z.object({ number_error: z.number(), energy_error: z.number() }).nullable().default(null),
});
export type OpenReply = Readonly<z.infer<typeof openReplySchema>>;
export type AnswerReply = Readonly<z.infer<typeof answerReplySchema>>;

const arraysToLists = (_key: string, value: unknown): unknown =>
  ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;

function parseReply(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

interface ConversationOptions {
  readonly folder: string;
  /** UUID of the only GPU that the program can see; null for all GPUs. */
  readonly gpu: string | null;
  readonly signal?: AbortSignal | undefined;
  readonly mostSeconds?: number;
}

/**
 * A running external program, which handles one request at a time. Failures are BraggErrors whose message can be shown
 * to the user.
 */
export class Conversation {
  readonly #program: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #mostSeconds: number;
  #output = '';
  #said = '';
  #waiting: { readonly heard: (line: string) => void; readonly failed: (error: BraggError) => void } | null = null;
  #over: BraggError | null = null;

  constructor({ command }: Pick<Baseline, 'command'>, { folder, gpu, signal, mostSeconds }: ConversationOptions) {
    const [program = '', ...args] = command;
    this.#program = program;
    this.#mostSeconds = mostSeconds ?? MAX_SECONDS;
    this.#child = spawn(program, args, {
      cwd: folder,
      // Python must not write bytecode into the registry's folder, which may be read-only.
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...(gpu === null ? {} : { CUDA_VISIBLE_DEVICES: gpu }) },
      signal,
      killSignal: 'SIGKILL',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-10_000);
    });
    // Ignore errors when writing to a program that has ended, because its exit is reported separately.
    this.#child.stdin.on('error', () => undefined);
    this.#child.on('error', (error: NodeJS.ErrnoException) => {
      const missing = `${program} is not installed, or not on PATH`;
      this.#end(error.code === 'ENOENT' ? missing : `${program}: ${error.message}`);
    });
    this.#child.on('close', (code, by) => {
      const last = this.#said.trim().split('\n').slice(-QUOTED_LINES).join(' / ');
      const memory = by === 'SIGKILL' ? ', possibly because the system ran out of memory' : '';
      const how = code === null ? `it was killed by ${by}${memory}` : `it exited with code ${code}`;
      this.#end(`${how}${last === '' ? '' : `: ${last}`}`);
    });
  }

  async sendRequest<T>(message: Readonly<Record<string, unknown>>, schema: z.ZodType<T>): Promise<T> {
    const line = await this.#exchange(JSON.stringify(message, arraysToLists));
    const parsedReply = parseReply(line);
    const refused = errorSchema.safeParse(parsedReply);
    if (refused.success) throw new BraggError('unsupported', refused.data.error.message);
    const answer = schema.safeParse(parsedReply);
    if (!answer.success) throw new BraggError('unsupported', 'its reply does not follow the protocol');
    return answer.data;
  }

  /** Kills the program. Resolves when it has ended. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null || this.#child.pid === undefined) return;
    const gone = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.kill('SIGKILL');
    await gone;
  }

  #exchange(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#over !== null) return reject(this.#over);
      const timer = setTimeout(() => {
        this.#end(`it took longer than ${this.#mostSeconds} s`);
        this.#child.kill('SIGKILL');
      }, this.#mostSeconds * 1000);
      const settled = (): void => {
        clearTimeout(timer);
        this.#waiting = null;
      };
      this.#waiting = {
        heard: (line) => {
          settled();
          resolve(line);
        },
        failed: (error) => {
          settled();
          reject(error);
        },
      };
      this.#child.stdin.write(`${text}\n`);
    });
  }

  #receive(text: string): void {
    this.#output += text;
    if (this.#output.length > MAX_OUTPUT_BYTES) {
      this.#end(`${this.#program} writes output that does not follow the protocol`);
      this.#child.kill('SIGKILL');
      return;
    }
    const end = this.#output.indexOf('\n');
    if (end < 0) return;
    const line = this.#output.slice(0, end);
    this.#output = this.#output.slice(end + 1);
    this.#waiting?.heard(line);
  }

  #end(why: string): void {
    this.#over ??= new BraggError('unsupported', why);
    this.#waiting?.failed(this.#over);
  }
}
