/** Finds the installed C++ compiler, and compiles user kernels for the CPU. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { BraggError } from '../../../contract/errors.ts';
import { runContained } from './contained.ts';

/** Compiler and flags with which the addon was built. CMake writes the file next to the addon. */
const buildSchema = z.strictObject({
  compiler: z.string(),
  version: z.string(),
  isas: z.record(z.string(), z.string()),
  simd: z.string(),
});
export type UserKernelBuild = z.infer<typeof buildSchema>;

export async function readUserKernelBuild(nativeFolder: string): Promise<UserKernelBuild> {
  const file = path.join(nativeFolder, 'include', 'user_kernel_build.json');
  try {
    return buildSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    throw new BraggError('unsupported', `${file} cannot be read, but user kernels need it. Run npm run build`);
  }
}

export interface CppCompiler {
  readonly program: string;
  /** First line of the version text of the compiler, which is part of the cache key of a build. */
  readonly version: string;
  readonly style: 'gnu' | 'msvc';
}

async function tryCompiler(program: string, style: CppCompiler['style']): Promise<CppCompiler | null> {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, style === 'gnu' ? ['--version'] : [], {
      timeout: 20_000,
    });
    const [version = ''] = (stdout || stderr).split('\n');
    return { program, version: version.trim(), style };
  } catch {
    return null;
  }
}

/**
 * Finds a compiler whose objects can be linked with the engine's library: MSVC or clang-cl if MSVC built the library,
 * otherwise any other. $CXX is tried first.
 */
export async function findCompiler(
  build: UserKernelBuild,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<CppCompiler> {
  const style = build.compiler === 'MSVC' ? 'msvc' : 'gnu';
  const requested = environment['CXX'];
  const usual = style === 'msvc' ? ['cl', 'clang-cl'] : ['c++', 'g++', 'clang++'];
  const names = requested === undefined || requested === '' ? usual : [requested];
  for (const name of names) {
    const found = await tryCompiler(name, style);
    if (found !== null) return found;
  }
  const looked = names.join(', ');
  throw new BraggError('unsupported', `User kernels for the CPU need a C++ compiler, but none of ${looked} was found.`);
}

/**
 * Name of the dependency file, next to the object. It lists the files that the compiler read, except system headers, in
 * makefile syntax.
 */
export const DEPENDENCIES = 'kernel.d';

interface Compilation {
  readonly signal?: AbortSignal | undefined;
  /** Folder of the source and object files. Messages show file names without it. */
  readonly folder: string;
  readonly source: string;
  readonly library: string;
  /** Object file with the exported function, made by `compileEntry`. */
  readonly entry: string;
  readonly includes: readonly string[];
  readonly core: string;
  /** Instruction set, for a file that is compiled once for each instruction set; null for other files. */
  readonly isa: string | null;
  /** Compiler flags of the kernel, which override all others. */
  readonly flags: readonly string[];
}

function splitWords(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/**
 * Flags from the user's environment variable CXXFLAGS. They follow ours, because the last of two conflicting flags
 * takes effect.
 */
export const userFlags = (environment: NodeJS.ProcessEnv = process.env): readonly string[] =>
  splitWords(environment['CXXFLAGS'] ?? '');

const common = {
  gnu: ['-std=c++20', '-O3', '-DNDEBUG', '-fPIC', '-fvisibility=hidden', '-fvisibility-inlines-hidden'],
  msvc: ['/nologo', '/std:c++20', '/O2', '/EHsc', '/MD', '/DNDEBUG', '/DNOMINMAX', '/D_USE_MATH_DEFINES', '/utf-8'],
} as const;

const foldersOf = ({ style }: CppCompiler, includes: readonly string[]): readonly string[] =>
  includes.map((folder) => `${style === 'gnu' ? '-I' : '/I'}${folder}`);

/** Compiler flags for an instruction set, for files that are compiled once for each instruction set. */
export function simdFlags(style: CppCompiler['style'], build: UserKernelBuild, isa: string): readonly string[] {
  const macro = style === 'msvc' ? `/DBB_ISA=${isa}` : `-DBB_ISA=${isa}`;
  return [...splitWords(build.isas[isa] ?? ''), ...splitWords(build.simd), macro];
}

/** Name of the static library of the engine, which is in the folder of the addon. */
export const coreLibrary = (style: CppCompiler['style']): string =>
  style === 'msvc' ? 'braggbench_core.lib' : 'libbraggbench_core.a';

/** Name of the assembly file that GNU-style compilers make from the user's code. */
const ASSEMBLY = 'kernel.s';

/** Character constants, strings and C comments in assembly. They cannot contain directives. */
const QUOTED_TEXT = /'(?:\\.|.)|"(?:\\.|[^"\\\n])*"|\/\*[\s\S]*?\*\//g;
/** Assembler directives that read a file, or that could construct such a directive. Compilers emit none of them. */
const READS_FILES = /\.(?:incbin|include|macro|altmacro|irpc?|rept?)\b/i;

/** First assembler directive that may read a file which the user did not trust; null if there is none. */
export function fileDirective(assembly: string): string | null {
  return READS_FILES.exec(assembly.replace(QUOTED_TEXT, ' '))?.[0] ?? null;
}

/**
 * Flags for the instruction set, then those of the user, then those of the kernel. Later flags override earlier ones.
 */
function overridingFlags(
  compiler: CppCompiler,
  build: UserKernelBuild,
  { isa, flags }: Compilation,
): readonly string[] {
  const simd = isa === null ? null : simdFlags(compiler.style, build, isa);
  return [...(simd ?? (compiler.style === 'msvc' ? [] : ['-ffp-contract=off'])), ...userFlags(), ...flags];
}

/**
 * Command that compiles the user's file. GNU-style compilers make assembly, so that its directives can be checked.
 * Visual C++ has no inline assembly and makes an object.
 */
function compileCommand(compiler: CppCompiler, build: UserKernelBuild, what: Compilation): readonly string[] {
  const { source, includes } = what;
  const own = overridingFlags(compiler, build, what);
  const folders = foldersOf(compiler, includes);
  if (compiler.style === 'msvc') {
    const says = ['/permissive-', '/W3', '/diagnostics:column'];
    return [...common.msvc, ...says, ...folders, ...own, '/c', source, '/Fokernel.obj'];
  }
  const says = ['-Wall', '-Wextra', '-fdiagnostics-color=never', '-fno-diagnostics-show-caret'];
  return [
    ...common.gnu,
    ...says,
    ...folders,
    ...own,
    ...['-MMD', '-MF', DEPENDENCIES],
    // Link-time optimization is switched off: it would give bytecode, in which directives cannot be seen.
    ...['-fno-lto', '-S', source, '-o', ASSEMBLY],
  ];
}

/**
 * Command that links the library. If the user file lacks functions of the original file, they come from the engine's
 * library.
 */
function linkCommand({ style }: CppCompiler, { entry, core, library }: Compilation): readonly string[] {
  return style === 'msvc'
    ? ['/nologo', '/LD', '/MD', 'kernel.obj', entry, core, `/Fe${library}`]
    : ['-shared', 'kernel.o', entry, core, '-o', library, '-pthread'];
}

/** Compiles a generated source file to the object with the exported function. */
export function compileEntry(
  compiler: CppCompiler,
  source: string,
  object: string,
  { folder, includes, signal }: Pick<Compilation, 'folder' | 'includes' | 'signal'>,
): Promise<{ readonly failed: boolean; readonly output: string }> {
  const out = compiler.style === 'msvc' ? ['/c', source, `/Fo${object}`] : ['-O1', '-c', source, '-o', object];
  const args = [...common[compiler.style], ...foldersOf(compiler, includes), ...out];
  return runContained({ program: compiler.program, args, folder, signal });
}

/** Symbols that an object or library defines; empty if the program `nm` is missing. */
async function definedSymbols({ program }: CppCompiler, file: string, dynamic: boolean): Promise<readonly string[]> {
  try {
    const { stdout: nm } = await promisify(execFile)(program, ['-print-prog-name=nm']);
    const flags = ['--defined-only', '-P', '-g', ...(dynamic ? ['-D'] : [])];
    const { stdout } = await promisify(execFile)(nm.trim(), [...flags, file], { maxBuffer: 2 ** 26 });
    return stdout.split('\n').flatMap((line) => {
      const [name = '', type = ''] = line.split(' ');
      // Weak symbols are skipped: they are templates and inline functions, of which every object has a copy.
      return dynamic || /^[TDBRSGC]$/.test(type) ? [name.replace(/@.*$/, '')] : [];
    });
  } catch {
    return [];
  }
}

const systemNames = new Map<string, Promise<ReadonlySet<string>>>();

/** Symbols that the C and C++ standard libraries define, such as functions for clocks, memory and threads. */
function systemSymbols(compiler: CppCompiler): Promise<ReadonlySet<string>> {
  const { program } = compiler;
  const read = async (): Promise<ReadonlySet<string>> => {
    const all = ['libc.so.6', 'libm.so.6', 'libstdc++.so.6', 'libc++.so.1'].map(async (library) => {
      const { stdout } = await promisify(execFile)(program, [`-print-file-name=${library}`]);
      return path.isAbsolute(stdout.trim()) ? definedSymbols(compiler, stdout.trim(), true) : [];
    });
    return new Set((await Promise.all(all)).flat());
  };
  const known = systemNames.get(program) ?? read();
  systemNames.set(program, known);
  return known;
}

/** Pattern for mangled names in the namespaces of the engine. NVIDIA_NAMES matches functions of NVIDIA's libraries. */
const ENGINE_NAMES = /^_ZN?K?(?:TV|TI|TS)?N?K?2bb(?:6engine|3cpu|4cuda|7binding|5tasks|12user_problem(?!4callE))/;
const NVIDIA_NAMES = /^(?:cu|cuda|cublas|nvml|nvrtc)[A-Z]/;

/**
 * First symbol in an object that would replace a function or variable of the engine, of the system or of NVIDIA's
 * libraries; null if there is none.
 */
async function findReplacedSymbol(compiler: CppCompiler, object: string): Promise<string | null> {
  const mine = await definedSymbols(compiler, object, false);
  const system = await systemSymbols(compiler);
  const found = mine.find((name) => ENGINE_NAMES.test(name) || NVIDIA_NAMES.test(name) || system.has(name));
  if (found === undefined) return null;
  const { stdout } = await promisify(execFile)('c++filt', [found]).catch(() => ({ stdout: found }));
  return stdout.trim();
}

/** Compiles, assembles and links the library. The returned output also contains warnings. */
export async function compileLibrary(
  compiler: CppCompiler,
  build: UserKernelBuild,
  what: Compilation,
): Promise<{ readonly failed: boolean; readonly output: string }> {
  const { folder, signal } = what;
  const perform = (args: readonly string[]) => runContained({ program: compiler.program, args, folder, signal });
  const compiled = await perform(compileCommand(compiler, build, what));
  if (compiled.failed) return compiled;
  let output = compiled.output;
  if (compiler.style === 'gnu') {
    const directive = fileDirective(await readFile(path.join(folder, ASSEMBLY), 'utf8'));
    if (directive !== null) {
      const reason = 'it may read files that are not part of the kernel; allowed: #include';
      return { failed: true, output: `the assembler directive ${directive} is not allowed: ${reason}` };
    }
    const assembled = await perform([...overridingFlags(compiler, build, what), '-c', ASSEMBLY, '-o', 'kernel.o']);
    output += assembled.output;
    if (assembled.failed) return { failed: true, output };
    const replaced = await findReplacedSymbol(compiler, path.join(folder, 'kernel.o'));
    if (replaced !== null) {
      const reason = 'which a kernel must not replace; give it another name or make it static';
      return { failed: true, output: `${what.source}:1:1: error: defines ${replaced}, ${reason}` };
    }
  }
  const linked = await perform(linkCommand(compiler, what));
  return { failed: linked.failed, output: output + linked.output };
}
