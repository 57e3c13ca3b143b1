/** Expected answer of a kernel, computed by a user's program in Python or TypeScript in a separate process. Cached. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { BraggError } from '../../../contract/errors.ts';
import type { TaskProblem } from '../../io/addon/task.ts';
import { temporaryIn } from '../../io/files/temporary.ts';
import { nodeProgram } from '../../io/node-program.ts';
import { prune } from './build.ts';
import { runContained } from './contained.ts';
import type { UserKernel } from './file.ts';
import { uniformValues, uniformValuesAside } from './made-up.ts';

type AnsweredProblem = Pick<TaskProblem, 'numbers' | 'seed' | 'words'>;

const LIMITS = { time_ms: 120_000, memory_bytes: 2 ** 36, file_bytes: 2 ** 33, output_bytes: 2 ** 16 } as const;

/** NumPy's arrays where it is installed, else Python's own. */
const PYTHON = `
import importlib.util, sys
from array import array
path, count = sys.argv[1], int(sys.argv[2])
def read(name):
    values = array("d")
    with open(name, "rb") as file:
        values.frombytes(file.read())
    try:
        import numpy
        return numpy.array(values)
    except ImportError:
        return values
spec = importlib.util.spec_from_file_location("answer", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
found = array("d", (float(value) for value in module.expected(read("a.f64"), read("b.f64"), count)))
with open("answer.f64", "wb") as file:
    found.tofile(file)
`;

const SCRIPT = `
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
const [, , file, count] = process.argv;
const read = (name) => new Float64Array(new Uint8Array(readFileSync(name)).buffer);
const { expected } = await import(pathToFileURL(path.resolve(file)).href);
writeFileSync('answer.f64', new Uint8Array(Float64Array.from(expected(read('a.f64'), read('b.f64'), Number(count))).buffer));
`;

const python = process.platform === 'win32' ? ['python', 'py'] : ['python3', 'python'];

async function run(folder: string, name: string, count: number, signal?: AbortSignal): Promise<string> {
  const isPython = name.endsWith('.py');
  const runner = isPython ? 'run.py' : 'run.mjs';
  await writeFile(path.join(folder, runner), isPython ? PYTHON : SCRIPT);
  const programs = isPython ? python : [await nodeProgram(name)];
  for (const [i, program] of programs.entries()) {
    const work = { title: name, program, args: [runner, name, String(count)], folder, limits: LIMITS, signal };
    const { failed, output } = await runContained(work).catch((error: unknown) => {
      if (error instanceof BraggError && error.code === 'unsupported') return { failed: true, output: 'not found' };
      throw error;
    });
    if (!failed) return output;
    // The shell that starts it ends with these words.
    if (/not found/.test(output) && i < programs.length - 1) continue;
    throw new BraggError('invalid', `${name} gave no answer: ${output.trim().slice(-1000) || 'it said nothing'}`);
  }
  throw new BraggError('unsupported', `${name} needs Python, and none was found.`);
}

/** The file with the answer, in FP64; null where the kernel has no program for it. Throws a BraggError. */
export async function ownAnswerOf(
  kernel: Pick<UserKernel, 'answer' | 'sha256'>,
  { numbers, seed, words }: AnsweredProblem,
  cache: string,
  signal?: AbortSignal,
): Promise<string | null> {
  const { answer } = kernel;
  if (answer === null) return null;
  const [n, count] = [numbers['n'] ?? 0, numbers['results'] ?? 0];
  const { edge = '' } = words;
  const key = createHash('sha256')
    .update(`${answer.name}\0${answer.text}\0${n} ${count} ${seed} ${edge}`)
    .digest('hex');
  const kept = path.join(cache, 'answers');
  const folder = path.join(kept, key.slice(0, 32));
  const file = path.join(folder, 'answer.f64');
  if (existsSync(file)) {
    await utimes(folder, new Date(), new Date()).catch(() => undefined);
    return file;
  }
  const work = temporaryIn(kept);
  await mkdir(work, { recursive: true });
  try {
    for (const [i, name] of ['a.f64', 'b.f64'].entries()) {
      const asked = { count: n, seed: seed + i, edge };
      // A benchmark has a thread of its own already.
      const values = isMainThread ? await uniformValuesAside(asked) : uniformValues(asked);
      await writeFile(path.join(work, name), new Uint8Array(values.buffer));
    }
    // Runs the trusted text, even if the file has changed since it was read.
    await writeFile(path.join(work, answer.name), answer.text);
    const said = await run(work, answer.name, count, signal);
    const made = await stat(path.join(work, 'answer.f64')).catch(() => null);
    if (made === null || made.size !== 8 * count) {
      const values = made === null ? 'none' : String(made.size / 8);
      throw new BraggError('invalid', `${answer.name} gave ${values} of ${count} results. ${said}`.trim());
    }
    await rm(folder, { recursive: true, force: true });
    await rename(work, folder);
    await prune(kept, folder);
    return file;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
