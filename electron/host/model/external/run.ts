/** Runs one program of the registry on a problem. assets/external/README.md describes what is said both ways. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import { precisionSchema } from '../../../contract/run.ts';
import type { TransportProblem } from '../../io/addon/addon.ts';
import { readNpz } from './npz.ts';
import type { Baseline } from './registry.ts';

const PROTOCOL = 1;
/** A program that says more than this says nothing that belongs to the protocol. */
const MOST_OUTPUT_BYTES = 16e6;
/** Lines of what a failed program wrote that its reason quotes. */
const QUOTED_LINES = 3;

const answerSchema = z.object({
  protocol: z.literal(PROTOCOL),
  device: z.string(),
  precision: precisionSchema,
  runs: z.array(z.object({ device_s: z.number().nullable(), wall_s: z.number(), warmup: z.boolean() })),
  tables_s: z.number(),
  solver_setup_s: z.array(z.number()),
  steps: z.number().int().nonnegative(),
  cell_steps: z.number(),
  ledger: z.object({ number_error: z.number(), energy_error: z.number() }),
  versions: z.record(z.string(), z.string()),
});
const errorSchema = z.object({
  protocol: z.literal(PROTOCOL),
  error: z.object({ code: z.string(), message: z.string() }),
});

export type ExternalAnswer = Readonly<z.infer<typeof answerSchema>> & { readonly dose: Float64Array };

export interface ExternalRequest {
  readonly baseline: Baseline;
  readonly folder: string;
  readonly scenario: unknown;
  readonly problem: TransportProblem;
  readonly stepsMax: number;
  readonly warmups: number;
  readonly repeats: number;
  readonly timeout_s: number;
  readonly signal?: AbortSignal | undefined;
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly said: string;
  readonly timedOut: boolean;
}

function converse(request: ExternalRequest, input: string): Promise<Ended> {
  const [program = '', ...args] = request.baseline.command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: request.folder,
      // The registry's folder may be read-only, and is not ours to write to.
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
      signal: request.signal,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let [output, said, timedOut] = ['', '', false];
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, request.timeout_s * 1000);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length > MOST_OUTPUT_BYTES) child.kill('SIGKILL');
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-10_000);
    });
    // A program that ends before it has read everything is judged by what it answered.
    child.stdin.on('error', () => undefined);
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      const missing = `${program} is not installed, or not in PATH`;
      reject(new BraggError('unsupported', error.code === 'ENOENT' ? missing : `${program}: ${error.message}`));
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output, said, timedOut });
    });
    child.stdin.end(input);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Throws a BraggError whose message is the reason to show: no interpreter, no package, a failure, nonsense. */
export async function runExternal(request: ExternalRequest): Promise<ExternalAnswer> {
  const { baseline, scenario, problem, stepsMax, warmups, repeats, timeout_s } = request;
  const scratch = await mkdtemp(join(tmpdir(), 'braggbench-external-'));
  try {
    const dose_file = join(scratch, 'dose.npz');
    const known = { protocol: PROTOCOL, style: baseline.style, warmups, repeats, steps_max: stepsMax, dose_file };
    const lists = (_key: string, value: unknown): unknown =>
      ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
    const ended = await converse(request, JSON.stringify({ ...known, scenario, problem }, lists));
    if (ended.timedOut) throw new BraggError('unsupported', `it took longer than ${timeout_s} s`);
    const said = parse(ended.output);
    const refusal = errorSchema.safeParse(said);
    if (refusal.success) throw new BraggError('unsupported', refusal.data.error.message);
    const answer = answerSchema.safeParse(said);
    if (ended.code !== 0 || !answer.success) {
      const last = ended.said.trim().split('\n').slice(-QUOTED_LINES).join(' / ');
      const why = ended.code === 0 ? 'its answer is not of the protocol' : `it ended with code ${ended.code}`;
      throw new BraggError('unsupported', last === '' ? why : `${why}: ${last}`);
    }
    const { shape, values } = readNpz(await readFile(dose_file), 'dose');
    const { nz, nx } = problem.grid;
    if (shape.join() !== [nz, nx].join()) {
      throw new BraggError('unsupported', `its dose has the shape ${shape.join(' × ')}, not ${nz} × ${nx}`);
    }
    return { ...answer.data, dose: values };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
