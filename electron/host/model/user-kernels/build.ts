/** Makes a user kernel's code: a shared library by the installed C++ compiler, or a GPU's machine code by NVRTC. */

import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, realpath, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import { type CompileOptions, flagsFor } from '../../../contract/user-kernels/options.ts';
import { type KernelFolders, type NativeAddon, nativeFolder } from '../../io/addon/addon.ts';
import { onDisk } from '../../io/on-disk.ts';
import type { StartChild } from '../../io/processes/link.ts';
import { workloadFolder } from '../bench/sources.ts';
import type { UserKernelBase } from './base.ts';
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
import { diagnosticsOf, quotable } from './diagnostics.ts';
import { codeFileOf, extensionOf, type UserKernel } from './file.ts';
import { presentIncludes } from './moved.ts';
import type { UserKernelCode } from './process/messages.ts';
import { UserKernelProcess } from './process/user-kernel-process.ts';
import { checkPython, findPython } from './python.ts';

export interface Built {
  /** Null if it does not compile. */
  readonly code: UserKernelCode | null;
  /** The compiler's errors and warnings at the lines of the file. */
  readonly issues: readonly Issue[];
}

export interface BuildOptions {
  readonly addon: NativeAddon;
  readonly folders: KernelFolders;
  readonly startChild: StartChild;
  /** Ends the compiler. */
  readonly signal?: AbortSignal | undefined;
}

/** Limit of all cached libraries together; a typical one has one to three megabytes. */
const KEPT_BYTES = 256 * 2 ** 20;
/** Memory of NVRTC's process above what it starts with. */
const NVRTC_MEMORY_BYTES = 4 * 2 ** 30;
/** NVRTC takes seconds, of the largest of our files ten. */
const NVRTC_MS = 120_000;
/** For the compiler's messages where no GPU says for what. */
const USUAL_ARCHITECTURE = 90;

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.size;
  const sizes = await Promise.all((await readdir(file)).map((name) => sizeOf(path.join(file, name))));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/** The least recently used go until the rest takes at most `most_bytes`; `newest` stays. */
export async function prune(folder: string, newest: string, most_bytes: number = KEPT_BYTES): Promise<void> {
  const all = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const file = path.join(folder, name);
      return { file, bytes: await sizeOf(file), at: (await stat(file).catch(() => null))?.mtimeMs ?? 0 };
    }),
  );
  let left = most_bytes;
  for (const { file, bytes } of all.sort((a, b) => b.at - a.at)) {
    left -= bytes;
    if (left < 0 && file !== newest) await rm(file, { recursive: true, force: true });
  }
}

/** Files outside `folders` that a compilation has read, from its makefile of dependencies. */
async function foreignOf(work: string, folders: readonly string[]): Promise<readonly string[]> {
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

interface Tools {
  readonly compiler: CppCompiler;
  readonly build: UserKernelBuild;
  /** The library of all of ours. */
  readonly core: string;
  readonly includes: readonly string[];
  /** Parts of the cache key that identify the compiler, the base kernel and the core library. */
  readonly identity: readonly string[];
}

async function toolsFor({ base, description }: UserKernel, folders: KernelFolders): Promise<Tools> {
  const sources = onDisk(folders.sources);
  const native = onDisk(nativeFolder());
  const build = await readUserKernelBuild(native);
  const compiler = await findCompiler(build);
  const core = path.join(native, coreLibrary(compiler.style));
  const found = await stat(core).catch(() => {
    throw new BraggError('unsupported', `${core} does not exist: user kernels are linked with it. Run: npm run build`);
  });
  return {
    compiler,
    build,
    core,
    includes: [
      path.join(sources, path.posix.relative('kernels', path.posix.dirname(description.replaces))),
      sources,
      path.join(onDisk(folders.images), 'include'),
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

/** The file that gives a library its one exported function. */
export function entryText(base: UserKernelBase): string {
  const kernels = workloadFolder(base);
  // A problem's name is the user's: the engine has one benchmark for all of them.
  const bench = base.workload === USER_PROBLEM ? '' : base.bench;
  return `#include "${kernels}/user_kernel.hpp"\nBB_USER_KERNEL(${kernels}, "${bench}", "${base.id}")\n`;
}

/** Made once for a base, whatever is made from it. Several may make it at once: the last one stays. */
async function entryFor(
  { base }: UserKernel,
  tools: Tools,
  kept: string,
  { work, signal }: { readonly work: string; readonly signal: AbortSignal | undefined },
): Promise<string> {
  const object = path.join(kept, `entry-${keyOf(tools.identity)}${tools.compiler.style === 'msvc' ? '.obj' : '.o'}`);
  if (existsSync(object)) return object;
  await writeFile(path.join(work, 'entry.cpp'), entryText(base));
  const made = path.basename(object);
  const { failed, output } = await compileEntry(tools.compiler, 'entry.cpp', made, {
    folder: work,
    includes: tools.includes,
    signal,
  });
  if (failed)
    throw new BraggError('unsupported', `Our kernel headers do not compile here: ${output.trim().slice(-1000)}`);
  await rename(path.join(work, made), object);
  return object;
}

/** Compiles a text once for each set of inputs; the compiler's messages are cached next to the library. */
async function buildLibrary(kernel: UserKernel, { addon, folders, signal }: BuildOptions): Promise<Built> {
  const { whole, description } = kernel;
  const id = codeFileOf(kernel);
  const tools = await toolsFor(kernel, folders);
  const more = flagsFor(tools.compiler.style, description.compile);
  const isa = description.replaces.endsWith('.simd.cpp') ? addon.machine().isa : null;
  const kept = path.join(folders.cache, 'user-kernels');
  const key = keyOf([...tools.identity, whole, id, description.replaces, isa ?? '', ...userFlags(), ...more]);
  const folder = path.join(kept, key);
  const library = `${id}${process.platform === 'win32' ? '.dll' : '.so'}`;
  const code: UserKernelCode = { kind: 'library', file: path.join(folder, library) };
  const said = await readFile(path.join(folder, 'output.txt'), 'utf8').catch(() => null);
  if (said !== null && existsSync(code.file)) {
    const now = new Date();
    await utimes(folder, now, now).catch(() => undefined);
    return { code, issues: diagnosticsOf(said, id, tools.includes) };
  }

  const named = path.join(kept, `work-${process.pid}-${randomBytes(4).toString('hex')}`);
  await mkdir(named, { recursive: true });
  // Compilers name headers relative to the real folder, where the cache folder is a link.
  const work = await realpath(named);
  try {
    // Compiles the trusted text, with its includes in their places.
    const [beside = '', sources = '', ...engine] = tools.includes;
    const present = presentIncludes(whole, { beside, sources, workload: workloadFolder(kernel.base), engine });
    await writeFile(path.join(work, id), present);
    const entry = await entryFor(kernel, tools, kept, { work, signal });
    const { compiler, build, includes, core } = tools;
    const what = { folder: work, source: id, entry, library, includes, core, isa, flags: more, signal };
    const { failed, output } = await compileLibrary(compiler, build, what);
    const issues = diagnosticsOf(output, id, includes);
    if (failed) return { code: null, issues: issues.length > 0 ? issues : [unplaced(id, quotable(output, includes))] };
    const [foreign] = await foreignOf(work, includes);
    if (foreign !== undefined) {
      const says = `${foreign} was included, which is neither in the folder of the kernel, nor shipped, nor of the system`;
      return { code: null, issues: [unplaced(id, says)] };
    }
    await writeFile(path.join(work, 'output.txt'), output);
    await rm(folder, { recursive: true, force: true });
    await rename(work, folder);
    await prune(kept, folder);
    return { code, issues };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Compiler output without a message at a line. */
function unplaced(id: string, output: string): Issue {
  const message = `does not compile: ${output.trim().slice(-1000)}`;
  return { severity: 'error', file: id, path: '', line: null, column: null, message, value: null, allowed: null };
}

/** Under compute-sanitizer places of the source are wanted whatever the description says. */
const whereSanitized = (compile: CompileOptions): CompileOptions =>
  process.env['BRAGGBENCH_SANITIZED'] === '1' ? { ...compile, lineinfo: true } : compile;

/** NVRTC runs in a process of its own too: a text can make it hang. */
async function compileKernels(kernel: UserKernel, { folders, startChild, signal }: BuildOptions): Promise<Built> {
  const { base, whole, description } = kernel;
  const id = codeFileOf(kernel);
  const root = onDisk(folders.sources);
  const placeOf = (file: string): string => path.join(root, path.posix.relative('kernels', file));
  // A header is compiled as part of the file with the variant's kernels.
  const main = description.replaces.endsWith('.cu') ? description.replaces : base.source;
  const request = {
    main: placeOf(main),
    root,
    replaced: placeOf(description.replaces),
    text: presentIncludes(whole, {
      beside: path.dirname(placeOf(description.replaces)),
      sources: root,
      workload: workloadFolder(base),
      engine: [],
    }),
    name: id,
    cache: folders.cache,
    options: flagsFor('cuda', whereSanitized(description.compile)),
    architecture: USUAL_ARCHITECTURE,
  };
  const process = await UserKernelProcess.start(id, startChild);
  const cancel = (): void => process.close();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const { image, log } = await process.within(
      NVRTC_MS,
      'was not compiled',
      process.compile(request, NVRTC_MEMORY_BYTES),
    );
    return {
      code: { kind: 'kernels', workload: workloadFolder(base), name: id, image },
      issues: diagnosticsOf(log, id, [root]),
    };
  } catch (error) {
    const { log } = error as { log?: string | null };
    if (typeof log !== 'string' || !(error instanceof BraggError)) throw error;
    const issues = diagnosticsOf(log, id, [root]);
    return { code: null, issues: issues.length > 0 ? issues : [unplaced(id, quotable(log, [root]))] };
  } finally {
    signal?.removeEventListener('abort', cancel);
    process.close();
  }
}

/** Python compiles when it runs; what can be known before is checked, and the text is saved as it was trusted. */
async function buildPython(kernel: UserKernel, { folders, signal }: BuildOptions): Promise<Built> {
  const { whole, candidate } = kernel;
  const id = codeFileOf(kernel);
  const python = await findPython(`${id} is in Python`, signal);
  const kept = path.join(folders.cache, 'user-kernels');
  const folder = path.join(kept, keyOf(['python', id, whole]));
  const file = path.join(folder, id);
  await mkdir(folder, { recursive: true });
  await writeFile(file, whole);
  const { axes = [], arrays = [] } = candidate?.definition ?? {};
  const parameters = [...arrays, ...axes].map(({ name }) => name);
  const issue = await checkPython({ python, folder, id, parameters, signal });
  if (issue !== null) return { code: null, issues: [issue] };
  await prune(kept, folder);
  const runner = path.join(onDisk(folders.sources), 'user_problem', 'runner.py');
  return { code: { kind: 'python', id, python, runner, file }, issues: [] };
}

/** Runs nothing of the variant. Throws a BraggError where this machine cannot compile it. */
export async function buildUserKernel(kernel: UserKernel, options: BuildOptions): Promise<Built> {
  if (kernel.refused.length > 0) return { code: null, issues: kernel.refused };
  if (extensionOf(kernel.base) === '.py') return buildPython(kernel, options);
  return kernel.base.device === 'cuda' ? compileKernels(kernel, options) : buildLibrary(kernel, options);
}

/** The code, or a BraggError `invalid` with the compiler's messages. */
export async function codeOf(kernel: UserKernel, options: BuildOptions): Promise<UserKernelCode> {
  const { code, issues } = await buildUserKernel(kernel, options);
  if (code !== null) return code;
  const errors = issues.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const place = first?.line == null ? kernel.id : `${kernel.id}:${first.line}`;
  throw new BraggError('invalid', `${place}: ${first?.message ?? 'does not compile'}`, errors);
}
