/** The answer that the reference of a user's problem gives, in a process of its own; cached by content. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { type NativeAddon, nativeFolder } from '../../io/addon/addon.ts';
import type { TaskProblem } from '../../io/addon/task.ts';
import { temporaryIn } from '../../io/files/temporary.ts';
import { nodeProgram } from '../../io/node-program.ts';
import { onDisk } from '../../io/on-disk.ts';
import { prune } from './build.ts';
import { runContained } from './contained.ts';
import { findCompiler, readUserKernelBuild } from './cpp-compiler.ts';
import type { UserKernel } from './file.ts';
import type { Included } from './includes.ts';
import { ownAnswerOf } from './own-answer.ts';

const LIMITS = { time_ms: 120_000, memory_bytes: 2 ** 36, file_bytes: 2 ** 33, output_bytes: 2 ** 16 } as const;

/** Arrays as NumPy has them; what the reference returns may be a tensor of PyTorch. */
const PYTHON = `
import importlib.util, json, sys
import numpy as np
with open("problem.json") as file:
    problem = json.load(file)
def read(one, i):
    kind = one["type"]
    values = np.fromfile(f"{i}.f64").reshape(one["shape"] + ([2] if kind.startswith("complex") else []))
    if kind.startswith("complex"):
        return values.view(np.complex128)[..., 0]
    if kind.startswith("int"):
        return values.astype(np.int64)
    return values.astype(bool) if kind == "bool" else values
spec = importlib.util.spec_from_file_location("reference", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
given = [read(one, i) for i, one in enumerate(problem["given"])]
found = module.reference(*given, *problem["axes"])
wanted = problem["returned"]
if len(wanted) == 1 and not isinstance(found, (tuple, list, dict)):
    found = [found]
if isinstance(found, dict):
    found = [found[one["name"]] for one in wanted]
if len(wanted) == 1 and len(found) != 1:
    found = [found]
if len(found) != len(wanted):
    sys.exit(f"reference returned {len(found)} arrays; allowed: {len(wanted)}, in the order of the problem")
with open("answer.f64", "wb") as file:
    for one, values in zip(wanted, found):
        if hasattr(values, "detach"):
            values = values.detach().cpu().numpy()
        values = np.asarray(values)
        if list(values.shape) != one["shape"]:
            sys.exit(f"{one['name']} has the shape {list(values.shape)}; allowed: {one['shape']}")
        kind = np.complex128 if one["type"].startswith("complex") else np.float64
        file.write(np.ascontiguousarray(values.astype(kind)).tobytes())
`;

const SCRIPT = `
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
const { given, returned, axes } = JSON.parse(readFileSync('problem.json', 'utf8'));
const read = (_, i) => new Float64Array(new Uint8Array(readFileSync(i + '.f64')).buffer);
const { reference } = await import(pathToFileURL(path.resolve(process.argv[2])).href);
const found = reference(...given.map(read), ...axes);
const all = returned.length === 1 && !(Array.isArray(found) && found.length === 1 && typeof found[0] === 'object') ? [found] : found;
if (all.length !== returned.length) throw new Error('reference returned ' + all.length + ' arrays; allowed: ' + returned.length);
const bytes = all.map((values, i) => {
  const one = Float64Array.from(values);
  if (one.length !== returned[i].count) throw new Error(returned[i].name + ' has ' + one.length + ' values; allowed: ' + returned[i].count);
  return new Uint8Array(one.buffer);
});
writeFileSync('answer.f64', Buffer.concat(bytes));
`;

/** Reads the inputs, calls `reference` with pointers to FP64, and writes the results. */
function cppMain(name: string, text: string, { given, returned, axes }: Handed): string {
  const counts = [...given, ...returned].map(({ count }) => `std::vector<double>(${count})`);
  const pointers = [...given, ...returned].map((_, i) => `all[${i}].data()`);
  return `#include <cstdio>
#include <string>
#include <vector>
#line 1 "${name}"
${text}
int main() {
  std::vector<std::vector<double>> all{${counts.join(', ')}};
  for (std::size_t i = 0; i < ${given.length}; ++i) {
    std::FILE* file = std::fopen((std::to_string(i) + ".f64").c_str(), "rb");
    if (file == nullptr || std::fread(all[i].data(), 8, all[i].size(), file) != all[i].size()) return 1;
    std::fclose(file);
  }
  reference(${[...pointers, ...axes].join(', ')});
  std::FILE* file = std::fopen("answer.f64", "wb");
  for (std::size_t i = ${given.length}; i < all.size(); ++i) std::fwrite(all[i].data(), 8, all[i].size(), file);
  return std::fclose(file);
}
`;
}

interface HandedArray {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly number[];
  readonly count: number;
}

interface Handed {
  readonly given: readonly HandedArray[];
  readonly returned: readonly HandedArray[];
  readonly axes: readonly number[];
}

/** The arrays as the engine is given them, one a line. */
function handedOf({ numbers, words }: Pick<TaskProblem, 'numbers' | 'words'>): Handed {
  const lines = (words['arrays'] ?? '').split('\n').map((line) => line.split(' '));
  const of = (wanted: readonly string[]): readonly HandedArray[] =>
    lines.flatMap(([role = '', name = '', type = '', dims = '-']) => {
      if (!wanted.includes(role)) return [];
      const shape = dims === '-' ? [] : dims.split(',').map(Number);
      const elements = shape.reduce((all, size) => all * size, 1);
      return [{ name, type, shape, count: type.startsWith('complex') ? 2 * elements : elements }];
    });
  const axes = (words['axes'] ?? '').split(' ').filter((name) => name !== '');
  return {
    given: of(['in', 'inout']),
    returned: of(['out', 'zeroed', 'inout']),
    axes: axes.map((name) => numbers[name] ?? 0),
  };
}

const python = process.platform === 'win32' ? ['python', 'py'] : ['python3', 'python'];

interface Work {
  readonly folder: string;
  readonly reference: Included;
  readonly handed: Handed;
  readonly signal?: AbortSignal | undefined;
}

/** The first of `programs` that is there; what it prints. */
async function contained(programs: readonly string[], args: readonly string[], { folder, reference, signal }: Work) {
  const { name } = reference;
  for (const [i, program] of programs.entries()) {
    const work = { title: name, program, args, folder, limits: LIMITS, signal };
    const { failed, output } = await runContained(work).catch((error: unknown) => {
      if (error instanceof BraggError && error.code === 'unsupported') return { failed: true, output: 'not found' };
      throw error;
    });
    if (!failed) return output;
    // The shell that starts it ends with these words.
    if (/not found/.test(output) && i < programs.length - 1) continue;
    if (/No module named '(numpy|torch)'/.test(output)) {
      throw new BraggError('unsupported', `${name} needs a Python with NumPy: ${output.trim().split('\n').at(-1)}`);
    }
    throw new BraggError('invalid', `${name} gave no answer: ${output.trim().slice(-1000) || 'it printed nothing'}`);
  }
  throw new BraggError('unsupported', `${name} needs Python, and none was found.`);
}

async function run(work: Work): Promise<string> {
  const { folder, reference, handed } = work;
  const { name, text } = reference;
  const write = (file: string, content: string): Promise<void> => writeFile(path.join(folder, file), content);
  if (name.endsWith('.cpp')) {
    await write('main.cpp', cppMain(name, text, handed));
    const { program, style } = await findCompiler(await readUserKernelBuild(onDisk(nativeFolder())));
    const flags =
      style === 'gnu'
        ? ['-std=c++20', '-O2', '-ffp-contract=off', 'main.cpp', '-o', 'main.exe']
        : ['/nologo', '/std:c++20', '/O2', '/EHsc', 'main.cpp', '/Femain.exe'];
    await contained([program], flags, work);
    return contained([path.join(folder, 'main.exe')], [], work);
  }
  await write('problem.json', JSON.stringify(handed));
  // Runs the trusted text, even if the file has changed since it was read.
  await write(name, text);
  const isPython = name.endsWith('.py');
  await write(isPython ? 'run.py' : 'run.mjs', isPython ? PYTHON : SCRIPT);
  return contained(isPython ? python : [await nodeProgram(name)], [isPython ? 'run.py' : 'run.mjs', name], work);
}

interface Answering {
  /** Makes the inputs. */
  readonly addon: Pick<NativeAddon, 'createTask'>;
  readonly cache: string;
  readonly signal?: AbortSignal | undefined;
}

/** Everything that the answer depends on. */
function keyOf(reference: Included, { numbers, seed, words }: TaskProblem): string {
  const parts = [reference.name, reference.text, words['arrays'], words['axes'], words['edge'] ?? '', seed, numbers];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** The file with the answer in FP64; null where the kernel has no reference. Throws a BraggError. */
export async function answerOf(
  kernel: Pick<UserKernel, 'answer' | 'sha256'>,
  problem: TaskProblem,
  { addon, cache, signal }: Answering,
): Promise<string | null> {
  const reference = kernel.answer;
  if (reference === null) return null;
  if (problem.workload !== USER_PROBLEM) return ownAnswerOf(kernel, problem, cache, signal);
  const kept = path.join(cache, 'answers');
  const folder = path.join(kept, keyOf(reference, problem));
  const file = path.join(folder, 'answer.f64');
  if (existsSync(file)) {
    await utimes(folder, new Date(), new Date()).catch(() => undefined);
    return file;
  }
  const handed = handedOf(problem);
  const work = temporaryIn(kept);
  await mkdir(work, { recursive: true });
  try {
    const inputs = (await addon.createTask({ ...problem, variant: 'problem-cpu' }).inputs()) ?? [];
    for (const [i, values] of inputs.entries()) {
      await writeFile(path.join(work, `${i}.f64`), new Uint8Array(values.buffer));
    }
    const said = await run({ folder: work, reference, handed, signal });
    const wanted = 8 * handed.returned.reduce((sum, { count }) => sum + count, 0);
    const made = await stat(path.join(work, 'answer.f64')).catch(() => null);
    if (made === null || made.size !== wanted) {
      const values = made === null ? 'none' : String(made.size / 8);
      throw new BraggError('invalid', `${reference.name} gave ${values} of ${wanted / 8} results. ${said}`.trim());
    }
    // Only the answer is needed again, and a kernel finds no inputs here.
    for (const name of await readdir(work)) {
      if (name !== 'answer.f64') await rm(path.join(work, name), { recursive: true, force: true });
    }
    await rm(folder, { recursive: true, force: true });
    await rename(work, folder);
    await prune(kept, folder);
    return file;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
