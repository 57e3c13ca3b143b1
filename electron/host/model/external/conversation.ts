/** A program of the registry at work: what is said both ways. assets/external/README.md describes it. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import type { Baseline } from './registry.ts';

export const PROTOCOL = 2;
/** A program that says more than this at once says nothing that belongs to the protocol. */
const MOST_OUTPUT_BYTES = 16e6;
/** Lines of what a failed program wrote that its reason quotes. */
const QUOTED_LINES = 3;
/** Compiling what torch.compile or Numba compiles takes minutes on a loaded machine. */
const MOST_SECONDS = 300;

const seconds = z.number().nonnegative();
const parts = z.record(z.string(), seconds).default({});
const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

export const openedSchema = z.object({
  protocol: z.literal(PROTOCOL),
  device: z.string(),
  precision: z.string(),
  versions: z.record(z.string(), z.string()),
  threads: z.number().int().positive().nullable().default(null),
});
export const preparedSchema = z.object({ setup_s: seconds, parts });
export const sampledSchema = z.object({
  repetitions: z.number().int().positive(),
  device_s: seconds.nullable(),
  host_s: seconds,
});
export const ranSchema = z.object({
  setup_s: seconds,
  parts,
  device_s: seconds.nullable(),
  host_s: seconds,
  wall_s: seconds,
  hash: z.string(),
});
export const answeredSchema = z.object({
  arrays: z.array(z.string()).min(1),
  hash: z.string(),
  /** Note for the program's row. */
  note: z.string().nullable().default(null),
  steps: z.number().int().nonnegative().nullable().default(null),
  cell_steps: z.number().nonnegative().nullable().default(null),
  ledger: z.object({ number_error: z.number(), energy_error: z.number() }).nullable().default(null),
});
export type Opened = Readonly<z.infer<typeof openedSchema>>;
export type Answered = Readonly<z.infer<typeof answeredSchema>>;

const lists = (_key: string, value: unknown): unknown =>
  ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

interface ConversationOptions {
  readonly folder: string;
  /** The GPU that it is to see; null for all. */
  readonly gpu: string | null;
  readonly signal?: AbortSignal | undefined;
  readonly mostSeconds?: number;
}

/** One question at a time. Errors are BraggErrors whose message is the reason to show. */
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
    this.#mostSeconds = mostSeconds ?? MOST_SECONDS;
    this.#child = spawn(program, args, {
      cwd: folder,
      // The registry's folder may be read-only, and is not ours to write to.
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ...(gpu === null ? {} : { CUDA_VISIBLE_DEVICES: gpu }) },
      signal,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-10_000);
    });
    // A program that has ended reads no more input: its end is reported instead.
    this.#child.stdin.on('error', () => undefined);
    this.#child.on('error', (error: NodeJS.ErrnoException) => {
      const missing = `${program} is not installed, or not in PATH`;
      this.#end(error.code === 'ENOENT' ? missing : `${program}: ${error.message}`);
    });
    this.#child.on('close', (code, by) => {
      const last = this.#said.trim().split('\n').slice(-QUOTED_LINES).join(' / ');
      const memory = by === 'SIGKILL' ? ', as by a system without free memory' : '';
      const how = code === null ? `it was killed by ${by}${memory}` : `it ended with code ${code}`;
      this.#end(`${how}${last === '' ? '' : `: ${last}`}`);
    });
  }

  async ask<T>(message: Readonly<Record<string, unknown>>, schema: z.ZodType<T>): Promise<T> {
    const line = await this.#exchange(JSON.stringify(message, lists));
    const said = parse(line);
    const refused = errorSchema.safeParse(said);
    if (refused.success) throw new BraggError('unsupported', refused.data.error.message);
    const answer = schema.safeParse(said);
    if (!answer.success) throw new BraggError('unsupported', 'its answer is not of the protocol');
    return answer.data;
  }

  /** Ends the program; resolves when it is gone. */
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

  #hear(text: string): void {
    this.#output += text;
    if (this.#output.length > MOST_OUTPUT_BYTES) {
      this.#end(`${this.#program} writes what is not of the protocol`);
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
