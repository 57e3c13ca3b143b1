/** Makes an own variant's code: a shared library by the installed C++ compiler, or a GPU's machine code by NVRTC. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError, type Issue } from '../../../contract/errors.ts';
import { type KernelFolders, type NativeAddon, nativeFolder } from '../../io/addon/addon.ts';
import { workloadFolder } from '../bench/sources.ts';
import {
  type CppCompiler,
  compileEntry,
  compileLibrary,
  findCompiler,
  type OwnBuild,
  readOwnBuild,
  userFlags,
} from './cpp-compiler.ts';
import { diagnosticsOf } from './diagnostics.ts';
import type { OwnVariant } from './file.ts';
import { presentIncludes } from './moved.ts';
import type { StartChild } from './process/link.ts';
import type { OwnCode } from './process/messages.ts';
import { OwnProcess } from './process/own-process.ts';

export interface Built {
  /** Null where it does not compile. */
  readonly code: OwnCode | null;
  /** The compiler's errors and warnings at the lines of the file. */
  readonly issues: readonly Issue[];
}

export interface BuildOptions {
  readonly addon: NativeAddon;
  readonly folders: KernelFolders;
  readonly startChild: StartChild;
}

/** Libraries that are kept; one has one to three megabytes. */
const KEPT = 64;
/** NVRTC takes seconds, of the largest of our files ten. */
const NVRTC_MS = 120_000;
/** For the compiler's messages where no GPU says for what. */
const USUAL_ARCHITECTURE = 90;

/** Compilers read the files themselves, which they cannot within an archive. */
const onDisk = (file: string): string => file.replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked');

async function prune(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= KEPT) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(path.join(folder, name)).catch(() => null))?.mtimeMs ?? 0 })),
  );
  const oldest = aged.sort((a, b) => b.at - a.at).slice(KEPT);
  await Promise.all(oldest.map(({ name }) => rm(path.join(folder, name), { recursive: true, force: true })));
}

interface Tools {
  readonly compiler: CppCompiler;
  readonly build: OwnBuild;
  /** The library of all of ours. */
  readonly core: string;
  readonly includes: readonly string[];
  /** What both of it and of the compiler a build is known by. */
  readonly identity: readonly string[];
}

async function toolsFor({ base, description }: OwnVariant, folders: KernelFolders): Promise<Tools> {
  const sources = onDisk(folders.sources);
  const native = onDisk(nativeFolder());
  const build = await readOwnBuild(native);
  const compiler = await findCompiler(build);
  const core = path.join(native, compiler.style === 'msvc' ? 'braggbench_core.lib' : 'libbraggbench_core.a');
  const found = await stat(core).catch(() => {
    throw new BraggError('unsupported', `${core} does not exist: own variants are linked with it. Run: npm run build`);
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

/** Of a base once, whatever is made of it. Several may make it at once: the last that is done stays. */
async function entryFor({ base }: OwnVariant, tools: Tools, kept: string, work: string): Promise<string> {
  const object = path.join(kept, `entry-${keyOf(tools.identity)}${tools.compiler.style === 'msvc' ? '.obj' : '.o'}`);
  if (existsSync(object)) return object;
  const kernels = workloadFolder(base);
  const text = `#include "${kernels}/own_variant.hpp"\nBB_OWN_VARIANT(${kernels}, "${base.bench}", "${base.id}")\n`;
  await writeFile(path.join(work, 'entry.cpp'), text);
  const made = path.basename(object);
  const { failed, output } = await compileEntry(tools.compiler, 'entry.cpp', made, {
    folder: work,
    includes: tools.includes,
  });
  if (failed) throw new BraggError('unsupported', `Our own headers do not compile here: ${output.trim().slice(-1000)}`);
  await rename(path.join(work, made), object);
  return object;
}

/** A text is compiled once with everything that matters to it; its messages are kept beside it. */
async function buildLibrary(own: OwnVariant, { addon, folders }: BuildOptions): Promise<Built> {
  const { id, text, description } = own;
  const tools = await toolsFor(own, folders);
  const isa = description.replaces.endsWith('.simd.cpp') ? addon.machine().isa : null;
  const kept = path.join(folders.cache, 'own');
  const key = keyOf([...tools.identity, text, id, description.replaces, isa ?? '', ...userFlags()]);
  const folder = path.join(kept, key);
  const library = `${id}${process.platform === 'win32' ? '.dll' : '.so'}`;
  const code: OwnCode = { kind: 'library', file: path.join(folder, library) };
  const said = await readFile(path.join(folder, 'output.txt'), 'utf8').catch(() => null);
  if (said !== null && existsSync(code.file)) return { code, issues: diagnosticsOf(said, id) };

  const work = path.join(kept, `work-${process.pid}-${randomBytes(4).toString('hex')}`);
  await mkdir(work, { recursive: true });
  try {
    // The text that was read and trusted is what is compiled, and nothing beside the file is seen.
    const [beside = '', sources = '', ...engine] = tools.includes;
    const present = presentIncludes(text, { beside, sources, workload: workloadFolder(own.base), engine });
    await writeFile(path.join(work, id), present);
    const entry = await entryFor(own, tools, kept, work);
    const { compiler, build, includes, core } = tools;
    const what = { folder: work, source: id, entry, library, includes, core, isa };
    const { failed, output } = await compileLibrary(compiler, build, what);
    const issues = diagnosticsOf(output, id);
    if (failed) return { code: null, issues: issues.length > 0 ? issues : [unplaced(id, output)] };
    await writeFile(path.join(work, 'output.txt'), output);
    await rm(folder, { recursive: true, force: true });
    await rename(work, folder);
    await prune(kept);
    return { code, issues };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** What a compiler says that is no message at a line. */
function unplaced(id: string, output: string): Issue {
  const message = `does not compile: ${output.trim().slice(-1000)}`;
  return { severity: 'error', file: id, path: '', line: null, column: null, message, value: null, allowed: null };
}

/** NVRTC runs in a process of its own too: a text can make it hang. */
async function compileKernels(own: OwnVariant, { folders, startChild }: BuildOptions): Promise<Built> {
  const { base, id, text, description } = own;
  const root = onDisk(folders.sources);
  const placeOf = (file: string): string => path.join(root, path.posix.relative('kernels', file));
  // A header is compiled as part of the file with the variant's kernels.
  const main = description.replaces.endsWith('.cu') ? description.replaces : base.source;
  const request = {
    main: placeOf(main),
    root,
    replaced: placeOf(description.replaces),
    text: presentIncludes(text, {
      beside: path.dirname(placeOf(description.replaces)),
      sources: root,
      workload: workloadFolder(base),
      engine: [],
    }),
    name: id,
    cache: folders.cache,
    architecture: USUAL_ARCHITECTURE,
  };
  const process = await OwnProcess.start(id, startChild);
  try {
    const { image, log } = await process.within(NVRTC_MS, 'was not compiled', process.compile(request));
    return {
      code: { kind: 'kernels', workload: workloadFolder(base), name: id, image },
      issues: diagnosticsOf(log, id),
    };
  } catch (error) {
    const { log } = error as { log?: string | null };
    if (typeof log !== 'string' || !(error instanceof BraggError)) throw error;
    const issues = diagnosticsOf(log, id);
    return { code: null, issues: issues.length > 0 ? issues : [unplaced(id, log)] };
  } finally {
    process.close();
  }
}

/** Runs nothing of the variant. Throws a BraggError where this machine cannot compile it. */
export function buildOwn(own: OwnVariant, options: BuildOptions): Promise<Built> {
  return own.base.device === 'cuda' ? compileKernels(own, options) : buildLibrary(own, options);
}

/** The code, or a BraggError `invalid` with the compiler's messages. */
export async function codeOf(own: OwnVariant, options: BuildOptions): Promise<OwnCode> {
  const { code, issues } = await buildOwn(own, options);
  if (code !== null) return code;
  const errors = issues.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  const place = first?.line == null ? own.id : `${own.id}:${first.line}`;
  throw new BraggError('invalid', `${place}: ${first?.message ?? 'does not compile'}`, errors);
}
