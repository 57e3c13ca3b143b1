/**
 * Computes reference answers for user problems, by the user's reference programs in separate processes, and caches
 * them.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { addonFolder, type NativeAddon } from '../../io/addon/addon.ts';
import type { TaskProblem } from '../../io/addon/task.ts';
import { replaceFolder, temporaryPathIn } from '../../io/files/write-file.ts';
import { SerialQueue } from '../../io/flow/queues.ts';
import { findNode, pathOutsideArchive } from '../../io/programs.ts';
import { findPython, pruneCache } from './build.ts';
import { ContainedServer, runContained } from './contained.ts';
import { findCompiler, readUserKernelBuild } from './cpp-compiler.ts';
import type { UserKernel } from './file.ts';
import type { IncludedFile } from './includes.ts';

/** Limits for computing one answer. */
const LIMITS = { time_ms: 120_000, memory_bytes: 2 ** 36, file_bytes: 2 ** 33, output_bytes: 2 ** 16 };

/**
 * Python server for references in Python. A request is the folder of a problem. The reference gets NumPy arrays and
 * returns NumPy arrays or PyTorch tensors. It is loaded as a new module for each request, so that no variables remain
 * from the previous one.
 */
const PYTHON = `
import importlib.util, json, os, sys, traceback
import numpy as np
name, word = sys.argv[1:]
def read(one, i):
    kind = one["type"]
    values = np.fromfile(f"{i}.f64").reshape(one["shape"] + ([2] if kind.startswith("complex") else []))
    if kind.startswith("complex"):
        return values.view(np.complex128)[..., 0]
    if kind.startswith("int"):
        return values.astype(np.int64)
    return values.astype(bool) if kind == "bool" else values
def answer():
    with open("problem.json") as file:
        problem = json.load(file)
    spec = importlib.util.spec_from_file_location("reference", name)
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
home = os.getcwd()
requests, sys.stdin = sys.stdin, open(os.devnull)
for folder in requests:
    says = "ok"
    try:
        os.chdir(folder.rstrip("\\n"))
        answer()
    except BaseException as error:
        says = "failed"
        print(error) if isinstance(error, SystemExit) else traceback.print_exc(file=sys.stdout)
    os.chdir(home)
    sys.stderr.flush()
    print(f"\\n{word} {says}", flush=True)
`;

/**
 * JavaScript server for references in JavaScript. The module is evaluated again for each request, because each folder
 * gives it another address.
 */
const SCRIPT = `
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
const [name, word] = process.argv.slice(-2);
async function answer() {
  const { given, returned, axes } = JSON.parse(readFileSync('problem.json', 'utf8'));
  const read = (_, i) => new Float64Array(new Uint8Array(readFileSync(i + '.f64')).buffer);
  const { reference } = await import(pathToFileURL(path.resolve(name)).href);
  const found = reference(...given.map(read), ...axes);
  const all = returned.length === 1 && !(Array.isArray(found) && found.length === 1 && typeof found[0] === 'object') ? [found] : found;
  if (all.length !== returned.length) throw new Error('reference returned ' + all.length + ' arrays; allowed: ' + returned.length);
  const bytes = all.map((values, i) => {
    const one = Float64Array.from(values);
    if (one.length !== returned[i].count) throw new Error(returned[i].name + ' has ' + one.length + ' values; allowed: ' + returned[i].count);
    return new Uint8Array(one.buffer);
  });
  writeFileSync('answer.f64', Buffer.concat(bytes));
}
const home = process.cwd();
for await (const folder of createInterface({ input: process.stdin })) {
  let says = 'ok';
  try {
    process.chdir(folder);
    await answer();
  } catch (error) {
    says = 'failed';
    console.log(error);
  }
  process.chdir(home);
  process.stdout.write('\\n' + word + ' ' + says + '\\n');
}
`;

/**
 * C++ main program for a reference in C++. It reads the inputs, calls `reference` with pointers to double, and writes
 * the results. The sizes of the arrays are its command-line arguments.
 */
function cppMain(name: string, text: string, { given, returned, axes }: PassedArrays): string {
  const arrays = given.length + returned.length;
  const pointers = Array.from({ length: arrays }, (_, i) => `all[${i}].data()`);
  const values = axes.map((_, i) => `size(${arrays + i})`);
  return `#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#line 1 "${name}"
${text}
int main(int, char** sizes) {
  const auto size = [sizes](int i) { return std::atoll(sizes[i + 1]); };
  std::vector<std::vector<double>> all;
  for (int i = 0; i < ${arrays}; ++i) all.emplace_back(size(i));
  for (std::size_t i = 0; i < ${given.length}; ++i) {
    std::FILE* file = std::fopen((std::to_string(i) + ".f64").c_str(), "rb");
    if (file == nullptr || std::fread(all[i].data(), 8, all[i].size(), file) != all[i].size()) return 1;
    std::fclose(file);
  }
  reference(${[...pointers, ...values].join(', ')});
  std::FILE* file = std::fopen("answer.f64", "wb");
  for (std::size_t i = ${given.length}; i < all.size(); ++i) std::fwrite(all[i].data(), 8, all[i].size(), file);
  return std::fclose(file);
}
`;
}

interface PassedArray {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly number[];
  readonly count: number;
}

interface PassedArrays {
  readonly given: readonly PassedArray[];
  readonly returned: readonly PassedArray[];
  readonly axes: readonly number[];
}

/** Parses the problem's list of arrays, which has one array per line. */
function parsePassedArrays({ numbers, words }: Pick<TaskProblem, 'numbers' | 'words'>): PassedArrays {
  const lines = (words['arrays'] ?? '').split('\n').map((line) => line.split(' '));
  const of = (wanted: readonly string[]): readonly PassedArray[] =>
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

const hash = (parts: unknown): string => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

interface AnswerRequest {
  readonly folder: string;
  readonly reference: IncludedFile;
  readonly handed: PassedArrays;
}

/** Cache key of an answer: hash of everything that determines it. */
function keyOf(reference: IncludedFile, { numbers, seed, words }: TaskProblem): string {
  return hash([reference.name, reference.text, words['arrays'], words['axes'], words['edge'] ?? '', seed, numbers]);
}

interface ReferenceProgramsOptions {
  /** Addon, which generates the inputs. */
  readonly addon: Pick<NativeAddon, 'createTask'>;
  readonly cache: string;
  /** Signal that ends all processes. */
  readonly signal?: AbortSignal | undefined;
  readonly limits?: typeof LIMITS;
}

/**
 * Runs reference programs. For a reference in Python or JavaScript, one process answers problems one after another. A
 * reference in C++ is compiled once.
 */
export class ReferencePrograms {
  readonly #options: ReferenceProgramsOptions;
  readonly #servers = new Map<string, ContainedServer>();
  readonly #inOrder = new Map<string, SerialQueue>();

  constructor(options: ReferenceProgramsOptions) {
    this.#options = options;
  }

  /** Path of the file with the reference answer in FP64; null if the kernel has no reference. Throws a BraggError. */
  async answer(
    { referenceProgram: reference }: Pick<UserKernel, 'referenceProgram'>,
    problem: TaskProblem,
  ): Promise<string | null> {
    if (reference === null) return null;
    const kept = path.join(this.#options.cache, 'answers');
    const folder = path.join(kept, keyOf(reference, problem));
    const file = path.join(folder, 'answer.f64');
    if (existsSync(file)) {
      await utimes(folder, new Date(), new Date()).catch(() => undefined);
      return file;
    }
    const handed = parsePassedArrays(problem);
    const work = temporaryPathIn(kept);
    await mkdir(work, { recursive: true });
    try {
      const inputs = (await this.#options.addon.createTask({ ...problem, variant: 'problem-cpu' }).inputs()) ?? [];
      for (const [i, values] of inputs.entries()) {
        await writeFile(path.join(work, `${i}.f64`), new Uint8Array(values.buffer));
      }
      const runOutput = await this.#computeAnswer({ folder: work, reference, handed });
      const wanted = 8 * handed.returned.reduce((sum, { count }) => sum + count, 0);
      const made = await stat(path.join(work, 'answer.f64')).catch(() => null);
      if (made === null || made.size !== wanted) {
        const values = made === null ? 'none' : String(made.size / 8);
        throw new BraggError(
          'invalid',
          `${reference.name} returned ${values} of ${wanted / 8} results. ${runOutput}`.trim(),
        );
      }
      // The inputs are deleted from the folder, so that a kernel cannot find them there; only the answer remains.
      for (const name of await readdir(work)) {
        if (name !== 'answer.f64') await rm(path.join(work, name), { recursive: true, force: true });
      }
      await replaceFolder(work, folder);
      await pruneCache(kept, folder);
      return file;
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  }

  async #computeAnswer(work: AnswerRequest): Promise<string> {
    const { folder, reference, handed } = work;
    const { name, text } = reference;
    const { limits = LIMITS, signal } = this.#options;
    if (name.endsWith('.cpp')) {
      const program = await this.#compileReference(work);
      const args = [...handed.given, ...handed.returned].map(({ count }) => count).concat(handed.axes);
      return outputOrThrow(
        name,
        await runContained({ title: name, program, args: args.map(String), folder, limits, signal }),
      );
    }
    await writeFile(path.join(folder, 'problem.json'), JSON.stringify(handed));
    // The text that the user trusted is written and run, even if the file has changed since.
    await writeFile(path.join(folder, name), text);
    const key = hash([name, text]);
    const inOrder = this.#inOrder.get(key) ?? new SerialQueue();
    this.#inOrder.set(key, inOrder);
    return inOrder.do(async () => {
      const server = await this.#serverFor(key, name);
      const hasServed = server.answeredCount > 0;
      const outcome = await server.request(folder);
      if (!outcome.failed || !hasServed) return outputOrThrow(name, outcome);
      // The failure may be due to memory or variables of earlier answers, so the request is repeated in a new process.
      server.close();
      return outputOrThrow(name, await (await this.#serverFor(key, name)).request(folder));
    });
  }

  async #serverFor(key: string, name: string): Promise<ContainedServer> {
    const known = this.#servers.get(key);
    if (known?.isUsable === true) return known;
    const { cache, limits = LIMITS, signal } = this.#options;
    const [program, args] = name.endsWith('.py')
      ? [await findPython(name, signal), ['-c', PYTHON]]
      : [await findNode(name), ['--input-type=module', '--eval', SCRIPT, '--']];
    const folder = path.join(cache, 'answers');
    const server = new ContainedServer({ title: name, program, args: [...args, name], folder, limits, signal });
    this.#servers.set(key, server);
    return server;
  }

  /**
   * Path of the compiled program of a reference in C++. It is cached by the text and by the numbers of arrays and axes.
   */
  async #compileReference({ folder, reference: { name, text }, handed }: AnswerRequest): Promise<string> {
    const main = cppMain(name, text, handed);
    const kept = path.join(this.#options.cache, 'references');
    const at = path.join(kept, hash([process.platform, main]));
    const made = path.join(at, 'main.exe');
    if (existsSync(made)) {
      await utimes(at, new Date(), new Date()).catch(() => undefined);
      return made;
    }
    await writeFile(path.join(folder, 'main.cpp'), main);
    const { program, style } = await findCompiler(await readUserKernelBuild(pathOutsideArchive(addonFolder())));
    const args =
      style === 'gnu'
        ? ['-std=c++20', '-O2', '-ffp-contract=off', 'main.cpp', '-o', 'main.exe']
        : ['/nologo', '/std:c++20', '/O2', '/EHsc', 'main.cpp', '/Femain.exe'];
    const { limits = LIMITS, signal } = this.#options;
    outputOrThrow(name, await runContained({ title: name, program, args, folder, limits, signal }));
    // The program is moved in one step, within a new folder, so that two processes can compile it at the same time.
    const part = temporaryPathIn(kept);
    await mkdir(part, { recursive: true });
    await rename(path.join(folder, 'main.exe'), path.join(part, 'main.exe'));
    await replaceFolder(part, at);
    await pruneCache(kept, at);
    return made;
  }
}

/** Output of a reference that succeeded. Otherwise throws a BraggError that ends with the output. */
function outputOrThrow(
  name: string,
  { failed, output }: { readonly failed: boolean; readonly output: string },
): string {
  if (!failed) return output;
  if (/No module named '(numpy|torch)'/.test(output)) {
    throw new BraggError('unsupported', `${name} needs a Python with NumPy: ${output.trim().split('\n').at(-1)}`);
  }
  throw new BraggError('invalid', `${name} returned no result: ${output.trim().slice(-1000) || 'it printed nothing'}`);
}
