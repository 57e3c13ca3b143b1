/** The installed C++ compiler, and how an own variant for the CPU is made with it. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { BraggError } from '../../contract/errors.ts';

/** A copy of the largest of our files takes seconds. */
const COMPILE_MS = 120_000;
const OUTPUT_MOST = 2 ** 20;

/** Written by CMake beside the addon: what its objects were compiled with. */
const buildSchema = z.strictObject({
  compiler: z.string(),
  version: z.string(),
  isas: z.record(z.string(), z.string()),
  simd: z.string(),
});
export type OwnBuild = z.infer<typeof buildSchema>;

export async function readOwnBuild(nativeFolder: string): Promise<OwnBuild> {
  const file = path.join(nativeFolder, 'include', 'own_build.json');
  try {
    return buildSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    throw new BraggError('unsupported', `${file} cannot be read: own variants need it. Run: npm run build`);
  }
}

export interface CppCompiler {
  readonly program: string;
  /** Its first words about itself; part of what a cached build is known by. */
  readonly version: string;
  readonly style: 'gnu' | 'msvc';
}

const run = promisify(execFile);

async function tryCompiler(program: string, style: CppCompiler['style']): Promise<CppCompiler | null> {
  try {
    const { stdout, stderr } = await run(program, style === 'gnu' ? ['--version'] : [], { timeout: 20_000 });
    const [version = ''] = (stdout || stderr).split('\n');
    return { program, version: version.trim(), style };
  } catch {
    return null;
  }
}

/** $CXX first. What links with our library: MSVC's objects take MSVC or clang-cl, everybody else's the rest. */
export async function findCompiler(
  build: OwnBuild,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<CppCompiler> {
  const style = build.compiler === 'MSVC' ? 'msvc' : 'gnu';
  const asked = environment['CXX'];
  const usual = style === 'msvc' ? ['cl', 'clang-cl'] : ['c++', 'g++', 'clang++'];
  const names = asked === undefined || asked === '' ? usual : [asked];
  for (const name of names) {
    const found = await tryCompiler(name, style);
    if (found !== null) return found;
  }
  const looked = names.join(', ');
  throw new BraggError('unsupported', `Own variants for the CPU need a C++ compiler, and none of ${looked} was found.`);
}

export interface Compilation {
  /** Where the files are; messages name them without a folder. */
  readonly folder: string;
  readonly source: string;
  /** That makes the library's entry. */
  readonly entry: string;
  readonly library: string;
  readonly includes: readonly string[];
  readonly core: string;
  /** Of the instruction set, for a file that is compiled once for each; null for a plain one. */
  readonly isa: string | null;
}

function words(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}

/** The command lines: the user's file, then the library. */
export function commandsOf(compiler: CppCompiler, build: OwnBuild, what: Compilation): readonly (readonly string[])[] {
  const { source, entry, library, includes, core, isa } = what;
  const simd = isa === null ? null : [...words(build.isas[isa] ?? ''), ...words(build.simd)];
  if (compiler.style === 'msvc') {
    const common = ['/nologo', '/std:c++20', '/O2', '/EHsc', '/MD', '/DNDEBUG', '/DNOMINMAX', '/D_USE_MATH_DEFINES'];
    const folders = includes.map((folder) => `/I${folder}`);
    const own = simd === null ? [] : [...simd, `/DBB_ISA=${isa}`];
    return [
      [
        ...common,
        '/permissive-',
        '/utf-8',
        '/W3',
        '/diagnostics:column',
        ...folders,
        ...own,
        '/c',
        source,
        '/Foown.obj',
      ],
      [...common, '/utf-8', ...folders, '/LD', 'own.obj', entry, core, `/Fe${library}`],
    ];
  }
  const common = ['-std=c++20', '-O3', '-DNDEBUG', '-fPIC', '-fvisibility=hidden', '-fvisibility-inlines-hidden'];
  const folders = includes.map((folder) => `-I${folder}`);
  const own = simd === null ? ['-ffp-contract=off'] : [...simd, `-DBB_ISA=${isa}`];
  const says = ['-Wall', '-Wextra', '-fdiagnostics-color=never', '-fno-diagnostics-show-caret'];
  return [
    [...common, ...says, ...folders, ...own, '-c', source, '-o', 'own.o'],
    // What the file leaves out of its original is taken from there.
    [...common, ...folders, '-shared', 'own.o', entry, core, '-o', library, '-pthread'],
  ];
}

function perform(
  program: string,
  args: readonly string[],
  folder: string,
): Promise<{ failed: boolean; output: string }> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(program, [...args], {
      cwd: folder,
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const take = (chunk: Buffer): void => {
      if (output.length < OUTPUT_MOST) output += chunk.toString('utf8');
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new BraggError('invalid', `The compiler did not end within ${COMPILE_MS / 1000} s; it was ended.`));
    }, COMPILE_MS);
    child.on('error', (error) => {
      clearTimeout(late);
      reject(new BraggError('unsupported', `${program} cannot be started: ${error.message}`));
    });
    child.on('close', (code) => {
      clearTimeout(late);
      resolve({ failed: code !== 0, output });
    });
  });
}

/** Runs the commands until one fails; what they said, warnings too. */
export async function compileLibrary(
  compiler: CppCompiler,
  build: OwnBuild,
  what: Compilation,
): Promise<{ readonly failed: boolean; readonly output: string }> {
  let output = '';
  for (const args of commandsOf(compiler, build, what)) {
    const done = await perform(compiler.program, args, what.folder);
    output += done.output;
    if (done.failed) return { failed: true, output };
  }
  return { failed: false, output };
}
