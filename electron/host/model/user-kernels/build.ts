/**
 * Compiles user kernels: for the CPU to a shared library with the installed C++ compiler, for a GPU to machine code
 * with NVRTC. Candidates in Python are not compiled, but run in the installed interpreter.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, realpath, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { type CompileOptions, flagsFor } from '../../../contract/user-kernels/options.ts';
import { addonFolder, type KernelFolders, type NativeAddon } from '../../io/addon/addon.ts';
import {
  isAbandoned,
  isTemporaryName,
  removeRecursively,
  replaceFolder,
  temporaryPathIn,
} from '../../io/files/write-file.ts';
import type { StartChild } from '../../io/processes/link.ts';
import { pathOutsideArchive } from '../../io/programs.ts';
import { workloadFolder } from '../bench/sources.ts';
import { compilerLimits, runContained } from './contained.ts';
import {
  type CppCompiler,
  compileEntry,
  compileLibrary,
  coreLibrary,
  DEPENDENCIES,
  findCompiler,
  readUserKernelBuild,
  type UserKernelBuild,
  userFlags,
} from './cpp-compiler.ts';
import { hideForeignText, parseDiagnostics } from './diagnostics.ts';
import { codeFileName, kernelExtension, type UserKernel, updateIncludes } from './file.ts';
import type { UserKernelBase } from './problem-folder.ts';
import type { UserKernelCode } from './process/relay.ts';
import { UserKernelProcess } from './process/user-kernel-process.ts';

const names = process.platform === 'win32' ? ['python', 'py'] : ['python3', 'python'];

/** Path of Python by the value of PATH, because a virtual environment that is activated later changes PATH. */
const found = new Map<string, string>();

/**
 * Path of the first Python interpreter that has NumPy. Throws BraggError `unsupported`, with a message that begins with
 * `need`.
 */
export async function findPython(need: string, signal?: AbortSignal): Promise<string> {
  const key = process.env['PATH'] ?? '';
  const known = found.get(key);
  if (known !== undefined) return known;
  const last: string[] = [];
  for (const program of names) {
    const args = ['-c', 'import sys, numpy; print(sys.executable)'];
    const { failed, output } = await runContained({ title: 'Python', program, args, folder: '.', signal }).catch(
      (error: unknown) => {
        if (error instanceof BraggError && error.code === 'unsupported') return { failed: true, output: error.message };
        throw error;
      },
    );
    const line = output.trim().split('\n').at(-1) ?? '';
    if (!failed) {
      found.set(key, line);
      return line;
    }
    last.push(`${program}: ${line}`);
  }
  throw new BraggError('unsupported', `${need}, which needs a Python with NumPy (${last.join('; ')})`);
}

/** Python program that parses a file without running it. If there is an error, it prints one line of JSON. */
const CHECK = `
import ast, json, sys
name, wanted = sys.argv[1], sys.argv[2:]
def wrong(line, column, message):
    print(json.dumps({"line": line, "column": column, "message": message}))
    sys.exit()
try:
    with open(name, "rb") as file:
        tree = ast.parse(file.read(), name)
except (SyntaxError, ValueError) as error:
    wrong(getattr(error, "lineno", None), getattr(error, "offset", None), getattr(error, "msg", str(error)))
made = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name == "run"]
if not made:
    wrong(None, None, "has no function run; allowed: def run(" + ", ".join(wanted) + ")")
of = made[-1].args
least = len(of.posonlyargs) + len(of.args) - len(of.defaults)
most = len(of.posonlyargs) + len(of.args)
if least > len(wanted) or (most < len(wanted) and of.vararg is None):
    wrong(made[-1].lineno, None, f"run has {most} parameters; allowed: " + ", ".join(wanted))
`;

interface PythonCheck {
  readonly python: string;
  readonly folder: string;
  /** Name of the Python file in the folder. */
  readonly id: string;
  readonly parameters: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** Error in a Python file; null if the file can be parsed and its function `run` has the problem's parameters. */
async function checkPython({ python, folder, id, parameters, signal }: PythonCheck): Promise<Issue | null> {
  const work = { title: 'Python', program: python, args: ['-c', CHECK, id, ...parameters], folder, signal };
  const { failed, output } = await runContained({ ...work, limits: compilerLimits });
  const text = output.trim();
  const usual = { severity: 'error', file: id, path: '', value: null, allowed: null } as const;
  if (failed) return { ...usual, line: null, column: null, message: `cannot be parsed: ${text.slice(-1000)}` };
  if (text === '') return null;
  const { line, column, message } = JSON.parse(text) as Pick<Issue, 'line' | 'column' | 'message'>;
  return { ...usual, line, column, message };
}

export interface BuildResult {
  /** Compiled code; null if the kernel has errors. */
  readonly code: UserKernelCode | null;
  /** Errors and warnings of the compiler, at lines of the user's file. */
  readonly issues: readonly Issue[];
}

export interface BuildOptions {
  readonly addon: NativeAddon;
  readonly folders: KernelFolders;
  readonly startChild: StartChild;
  /** Signal that ends the compiler. */
  readonly signal?: AbortSignal | undefined;
  /** CUDA architecture to compile for: `sm_90` or `compute_90`. By default that of the GPU in this machine. */
  readonly target?: string;
}

/** Maximum size of all cached libraries together. A typical library has one to three megabytes. */
const CACHE_BYTES = 256 * 2 ** 20;
/** Memory that the process with NVRTC may use, in addition to its memory at the start. */
const NVRTC_MEMORY_BYTES = 4 * 2 ** 30;
/** Time limit of NVRTC in ms. It needs up to ten seconds for our largest file. */
const NVRTC_MS = 120_000;
/** Compute capability to compile for if there is no GPU, so that the user still sees the compiler's messages. */
const DEFAULT_ARCHITECTURE = 90;

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.size;
  const names = await readdir(file).catch(() => []);
  const sizes = await Promise.all(names.map((name) => sizeOf(path.join(file, name))));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * Deletes the least recently used entries of a cache, until the others need at most `most_bytes`. `newest` is never
 * deleted, and neither are folders in which a living process builds. Other processes may rename or delete entries at
 * the same time.
 */
export async function pruneCache(folder: string, newest: string, most_bytes: number = CACHE_BYTES): Promise<void> {
  const all = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      if (isTemporaryName(name) && !(await isAbandoned(folder, name))) return [];
      const file = path.join(folder, name);
      return [{ file, bytes: await sizeOf(file), at: (await stat(file).catch(() => null))?.mtimeMs ?? 0 }];
    }),
  );
  let left = most_bytes;
  for (const { file, bytes } of all.flat().sort((a, b) => b.at - a.at)) {
    left -= bytes;
    if (left < 0 && file !== newest) await removeRecursively(file);
  }
}

/** Files outside of `folders` that the compiler has read, from the dependency file that it wrote. */
async function filesReadOutside(work: string, folders: readonly string[]): Promise<readonly string[]> {
  const text = await readFile(path.join(work, DEPENDENCIES), 'utf8').catch(() => '');
  const files =
    text
      .replace(/\\\r?\n/g, ' ')
      .replace(/^[^:]*:/, '')
      .match(/(?:\\.|\S)+/g) ?? [];
  return files
    .map((file) => path.resolve(work, file.replace(/\\(.)/g, '$1').replaceAll('$$', '$')))
    .filter((file) => ![work, ...folders].some((folder) => file.startsWith(folder + path.sep)));
}

interface BuildTools {
  readonly compiler: CppCompiler;
  readonly build: UserKernelBuild;
  /** Path of the engine's static library. */
  readonly core: string;
  readonly includes: readonly string[];
  /** Parts of the cache key: compiler, base variant and static library. */
  readonly identity: readonly string[];
}

async function findBuildTools({ base, description }: UserKernel, folders: KernelFolders): Promise<BuildTools> {
  const sources = pathOutsideArchive(folders.sources);
  const native = pathOutsideArchive(addonFolder());
  const build = await readUserKernelBuild(native);
  const compiler = await findCompiler(build);
  const core = path.join(native, coreLibrary(compiler.style));
  const found = await stat(core).catch(() => {
    throw new BraggError(
      'unsupported',
      `${core} does not exist, but user kernels are linked with it. Run npm run build`,
    );
  });
  return {
    compiler,
    build,
    core,
    includes: [
      path.join(sources, path.posix.relative('kernels', path.posix.dirname(description.replaces))),
      sources,
      path.join(pathOutsideArchive(folders.images), 'include'),
      path.join(native, 'include'),
    ],
    identity: [
      ...[compiler.program, compiler.version, workloadFolder(base), base.bench, base.id],
      ...[core, `${found.size} ${found.mtimeMs}`],
    ],
  };
}

function keyOf(parts: readonly string[]): string {
  const key = createHash('sha256');
  for (const part of parts) key.update(part).update('\0');
  return key.digest('hex').slice(0, 32);
}

/** Source text of the only exported function of a user kernel's library. */
export function entrySource(base: UserKernelBase): string {
  const kernels = workloadFolder(base);
  // In the engine all user problems belong to one benchmark without a name; only the workbench names them.
  const bench = base.workload === USER_PROBLEM ? '' : base.bench;
  return `#include "${kernels}/user_kernel.hpp"\nBB_USER_KERNEL(${kernels}, "${bench}", "${base.id}")\n`;
}

/**
 * Path of the object file with the exported function. It is compiled once for each base variant. If several processes
 * compile it at the same time, the last file is used.
 */
async function compiledEntry(
  { base }: UserKernel,
  tools: BuildTools,
  kept: string,
  { work, signal }: { readonly work: string; readonly signal: AbortSignal | undefined },
): Promise<string> {
  const object = path.join(kept, `entry-${keyOf(tools.identity)}${tools.compiler.style === 'msvc' ? '.obj' : '.o'}`);
  if (existsSync(object)) return object;
  await writeFile(path.join(work, 'entry.cpp'), entrySource(base));
  const made = path.basename(object);
  const { failed, output } = await compileEntry(tools.compiler, 'entry.cpp', made, {
    folder: work,
    includes: tools.includes,
    signal,
  });
  if (failed)
    throw new BraggError(
      'unsupported',
      `The shipped kernel headers do not compile on this machine: ${output.trim().slice(-1000)}`,
    );
  await rename(path.join(work, made), object);
  return object;
}

/**
 * Compiles a kernel for the CPU, or returns the cached library. The compiler's messages are cached next to the library.
 */
async function buildLibrary(kernel: UserKernel, { addon, folders, signal }: BuildOptions): Promise<BuildResult> {
  const { expandedText, description } = kernel;
  const id = codeFileName(kernel);
  const tools = await findBuildTools(kernel, folders);
  const more = flagsFor(tools.compiler.style, description.compile);
  const isa = description.replaces.endsWith('.simd.cpp') ? addon.machine().isa : null;
  const kept = path.join(folders.cache, 'user-kernels');
  const key = keyOf([...tools.identity, expandedText, id, description.replaces, isa ?? '', ...userFlags(), ...more]);
  const folder = path.join(kept, key);
  const library = `${id}${process.platform === 'win32' ? '.dll' : '.so'}`;
  const code: UserKernelCode = { kind: 'library', file: path.join(folder, library) };
  const savedOutput = await readFile(path.join(folder, 'output.txt'), 'utf8').catch(() => null);
  if (savedOutput !== null && existsSync(code.file)) {
    const now = new Date();
    await utimes(folder, now, now).catch(() => undefined);
    return { code, issues: parseDiagnostics(savedOutput, id, tools.includes) };
  }

  const named = temporaryPathIn(kept);
  await mkdir(named, { recursive: true });
  // Symbolic links in the folder's path are resolved, because compilers do the same in the names of headers.
  const work = await realpath(named);
  try {
    // The text that the user trusted is compiled; its includes are already expanded.
    const [beside = '', sources = '', ...engine] = tools.includes;
    const present = updateIncludes(expandedText, { beside, sources, workload: workloadFolder(kernel.base), engine });
    await writeFile(path.join(work, id), present);
    const entry = await compiledEntry(kernel, tools, kept, { work, signal });
    const { compiler, build, includes, core } = tools;
    const what = { folder: work, source: id, entry, library, includes, core, isa, flags: more, signal };
    const { failed, output } = await compileLibrary(compiler, build, what);
    const issues = parseDiagnostics(output, id, includes);
    if (failed)
      return {
        code: null,
        issues: issues.length > 0 ? issues : [unlocatedIssue(id, hideForeignText(output, includes))],
      };
    const [foreign] = await filesReadOutside(work, includes);
    if (foreign !== undefined) {
      const says = `${foreign} was included, but is neither in the folder of the kernel, nor a shipped or system header`;
      return { code: null, issues: [unlocatedIssue(id, says)] };
    }
    await writeFile(path.join(work, 'output.txt'), output);
    await replaceFolder(work, folder);
    await pruneCache(kept, folder);
    return { code, issues };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Issue without a line, for output of the compiler that states none. */
function unlocatedIssue(id: string, output: string): Issue {
  const message = `does not compile: ${output.trim().slice(-1000)}`;
  return { severity: 'error', file: id, path: '', line: null, column: null, message, value: null, allowed: null };
}

const withLineInfo = (compile: CompileOptions): CompileOptions => ({ ...compile, lineinfo: true });

/** Adds line information if the process runs under compute-sanitizer, which needs it. */
const withLineInfoIfSanitized = (compile: CompileOptions): CompileOptions =>
  process.env['BRAGGBENCH_SANITIZED'] === '1' ? withLineInfo(compile) : compile;

/** Compiles a kernel for a GPU. NVRTC runs in a separate process, because some source texts make it hang. */
async function compileKernels(
  kernel: UserKernel,
  { folders, startChild, signal, target }: BuildOptions,
): Promise<BuildResult> {
  const { base, expandedText, description } = kernel;
  const id = codeFileName(kernel);
  const root = pathOutsideArchive(folders.sources);
  const placeOf = (file: string): string => path.join(root, path.posix.relative('kernels', file));
  // A header cannot be compiled alone: the variant's file with the kernels is compiled, and includes it.
  const main = description.replaces.endsWith('.cu') ? description.replaces : base.source;
  const request = {
    main: placeOf(main),
    root,
    replaced: placeOf(description.replaces),
    text: updateIncludes(expandedText, {
      beside: path.dirname(placeOf(description.replaces)),
      sources: root,
      workload: workloadFolder(base),
      engine: [],
    }),
    name: id,
    cache: folders.cache,
    options: flagsFor(
      'cuda',
      target === undefined ? withLineInfoIfSanitized(description.compile) : withLineInfo(description.compile),
    ),
    architecture: DEFAULT_ARCHITECTURE,
    ...(target !== undefined && { target }),
  };
  const process = await UserKernelProcess.start(id, startChild);
  const cancel = (): void => process.close();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const { image, log } = await process.withTimeLimit(
      NVRTC_MS,
      'was not compiled',
      process.compile(request, NVRTC_MEMORY_BYTES),
    );
    return {
      code: { kind: 'kernels', workload: workloadFolder(base), name: id, image },
      issues: parseDiagnostics(log, id, [root]),
    };
  } catch (error) {
    const { log } = error as { log?: string | null };
    if (typeof log !== 'string' || !(error instanceof BraggError)) throw error;
    const issues = parseDiagnostics(log, id, [root]);
    return { code: null, issues: issues.length > 0 ? issues : [unlocatedIssue(id, hideForeignText(log, [root]))] };
  } finally {
    signal?.removeEventListener('abort', cancel);
    process.close();
  }
}

/** Checks a candidate in Python, which is compiled only when it runs, and saves the text that the user trusted. */
async function buildPython(kernel: UserKernel, { folders, signal }: BuildOptions): Promise<BuildResult> {
  const { expandedText, candidate } = kernel;
  const id = codeFileName(kernel);
  const python = await findPython(`${id} is a Python file`, signal);
  const kept = path.join(folders.cache, 'user-kernels');
  const folder = path.join(kept, keyOf(['python', id, expandedText]));
  const file = path.join(folder, id);
  await mkdir(folder, { recursive: true });
  await writeFile(file, expandedText);
  const { axes = [], arrays = [] } = candidate?.definition ?? {};
  const parameters = [...arrays, ...axes].map(({ name }) => name);
  const issue = await checkPython({ python, folder, id, parameters, signal });
  if (issue !== null) return { code: null, issues: [issue] };
  await pruneCache(kept, folder);
  const runner = path.join(pathOutsideArchive(folders.sources), 'user_problem', 'runner.py');
  return { code: { kind: 'python', id, python, runner, file }, issues: [] };
}

/** Builds a user kernel, without running it. Throws a BraggError if this machine cannot build it. */
export async function buildUserKernel(kernel: UserKernel, options: BuildOptions): Promise<BuildResult> {
  if (kernel.includeErrors.length > 0) return { code: null, issues: kernel.includeErrors };
  if (kernelExtension(kernel.base) === '.py') return buildPython(kernel, options);
  return kernel.base.device === 'cuda' ? compileKernels(kernel, options) : buildLibrary(kernel, options);
}

/** Code of a user kernel. Throws a BraggError `invalid` with the compiler's messages if it has errors. */
export async function buildCode(kernel: UserKernel, options: BuildOptions): Promise<UserKernelCode> {
  const { code, issues } = await buildUserKernel(kernel, options);
  if (code !== null) return code;
  const errors = issues.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const place = first?.line == null ? kernel.id : `${kernel.id}:${first.line}`;
  throw new BraggError('invalid', `${place}: ${first?.message ?? 'does not compile'}`, errors);
}
