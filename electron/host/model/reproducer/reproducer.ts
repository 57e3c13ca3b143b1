/**
 * Writes a reproducer: a folder with a user kernel, its problem and a program that runs it, which CMake builds without
 * Braggbench. The problem file contains the input of the engine, so that the program can read it.
 */
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { flagsFor } from '../../../contract/user-kernels/options.ts';
import { addonFolder, type KernelFolders } from '../../io/addon/addon.ts';
import type { TaskProblem } from '../../io/addon/task.ts';
import { temporaryPathIn } from '../../io/files/write-file.ts';
import { pathOutsideArchive } from '../../io/programs.ts';
import { defineThreadTask } from '../../io/threads/task.ts';
import { workloadFolder } from '../bench/sources.ts';
import { entrySource } from '../user-kernels/build.ts';
import { coreLibrary, readUserKernelBuild, simdFlags, type UserKernelBuild } from '../user-kernels/cpp-compiler.ts';
import { codeFileName, type UserKernel, updateIncludes } from '../user-kernels/file.ts';

/** A problem for a reproducer, described by the problem's workload. */
export interface ReproducedProblem {
  /** Kind of answer; selects how the reproducer's program runs and compares. */
  readonly kind: 'dose' | 'image' | 'task';
  /** The problem as the addon accepts it. It selects the shipped variant on which the kernel is based. */
  readonly problem: unknown;
  /** The problem that the user's reference program answers; absent if there is no such program. */
  readonly referenceProblem?: TaskProblem;
  /** Reference variant and error limit for the check; null if the task defines its own. */
  readonly check: { readonly reference: string; readonly limit: number } | null;
}

interface ProblemFile extends ReproducedProblem {
  readonly title: string;
  readonly kernel: { readonly workload: string; readonly name: string };
}

/**
 * Content of the problem file. It is made on a worker thread, because a map or a list of reflections has millions of
 * numbers.
 */
const problemBytes = defineThreadTask(
  'write a problem',
  ({ kind, problem, check: held, title, kernel }: ProblemFile): Uint8Array => {
    const plain = (_key: string, value: unknown): unknown =>
      ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
    const file = { title, kind, kernel, ...(held ?? {}), problem };
    return new Uint8Array(Buffer.from(`${JSON.stringify(file, plain)}\n`));
  },
);

/** Values for the CMake file of a reproducer. */
interface BuildInputs {
  /** Name of the user's kernel file. */
  readonly name: string;
  /** File to compile: the user's file, or a shipped one that includes it. */
  readonly main: string;
  /** Folder of the shipped file that the user's file replaces. */
  readonly replacedFolder: string;
  readonly device: 'cpu' | 'cuda';
  readonly flags: readonly string[];
}

const quoteWord = (word: string): string => `"${word.replace(/(["\\$;])/g, '\\$1')}"`;

/** CMake file with the variables that the CMakeLists.txt of all reproducers reads. */
function kernelCmake({ name, main, replacedFolder: beside, device, flags }: BuildInputs): string {
  const values: readonly (readonly [string, readonly string[]])[] = [
    ['BB_NAME', [name]],
    ['BB_MAIN', [main]],
    ['BB_BESIDE', [beside]],
    ['BB_DEVICE', [device]],
    ['BB_FLAGS', flags],
  ];
  return `${values.map(([key, words]) => `set(${[key, ...words.map(quoteWord)].join(' ')})`).join('\n')}\n`;
}

const CUDA = `
## In cuda-gdb

    cmake -B build -DDEBUG_KERNEL=ON && cmake --build build
    cuda-gdb --args ./bin/reproduce --once

## Under compute-sanitizer

    compute-sanitizer ./bin/reproduce --once
    compute-sanitizer --tool racecheck ./bin/reproduce --once

Without a GPU on this machine, name the architecture to compile for: \`cmake -B build -DGPU_ARCH=sm_90\`.
`;

const CPU = `
## In a debugger, and under sanitizers

    cmake -B build -DCMAKE_BUILD_TYPE=Debug && cmake --build build
    gdb --args ./bin/reproduce --once
    valgrind ./bin/reproduce --once
`;

interface ReproducerFacts {
  readonly name: string;
  readonly title: string;
  readonly base: string;
  readonly replaces: string;
  readonly device: 'cpu' | 'cuda';
  readonly version: string;
}

function readmeText({ name, title, base, replaces, device, version }: ReproducerFacts): string {
  return `# ${title}

\`${name}\` on one problem, outside of Braggbench ${version}. It replaces \`${replaces}\` in ${base}.

    cmake -B build && cmake --build build
    ./bin/reproduce

The program prepares the problem, checks the result, and times it. It exits with code 1 if the result is wrong. With
\`--no-check\` nothing is compared, and \`--once\` does it once without a check: for debuggers.
${device === 'cuda' ? CUDA : CPU}
## Contents

| File | What it is |
| --- | --- |
| \`${name}\` | the kernel: change it here, and build again |
| \`problem.json\` | the problem in the form of the engine: arrays, grid, launch and seed of synthetic inputs |
| \`scenario.json\` | the same problem in the form of the workbench |
| \`program\` | reads the problem and runs the kernel |
| \`kernels\`, \`include\` | our kernels and headers, which it includes |
| \`lib\` | our engine, compiled for this system |
`;
}

interface ReproducerOptions {
  readonly kernel: UserKernel;
  readonly problem: ReproducedProblem;
  /** The scenario's document, as the user wrote it. */
  readonly scenario: unknown;
  readonly folders: KernelFolders;
  /** Instruction set of this processor, for files that are compiled once for each instruction set. */
  readonly isa: string;
  readonly version: string;
  /** Path of the file with the expected answer; null if there is no reference program. */
  readonly answer: string | null;
  /** Path of the folder to create, which must not exist yet. */
  readonly folder: string;
}

/** Name of the file with the expected answer, next to the problem file. */
export const ANSWER_FILE = 'answer.f64';

const styleOf = (build: UserKernelBuild): 'msvc' | 'gnu' => (build.compiler === 'MSVC' ? 'msvc' : 'gnu');

const pathInKernels = (file: string): string => path.posix.relative('kernels', file);

/** Compiler flags for a CPU kernel, the same as in Braggbench, so that results match. */
function cpuFlags({ description }: UserKernel, build: UserKernelBuild, isa: string): readonly string[] {
  const style = styleOf(build);
  const simd = description.replaces.endsWith('.simd.cpp');
  const fixed = style === 'msvc' ? [] : ['-ffp-contract=off'];
  const own = simd ? simdFlags(style, build, isa) : fixed;
  return [...(style === 'msvc' ? [] : ['-O3']), ...own, ...flagsFor(style, description.compile)];
}

async function writeReproducerFiles(folder: string, options: ReproducerOptions): Promise<void> {
  const { kernel, problem, scenario, folders, isa, version } = options;
  const { base, description } = kernel;
  const { replaces, title } = description;
  const name = codeFileName(kernel);
  const workload = workloadFolder(base);
  const sources = pathOutsideArchive(folders.sources);
  const images = pathOutsideArchive(folders.images);
  const native = pathOutsideArchive(addonFolder());
  const into = (...parts: readonly string[]): string => path.join(folder, ...parts);

  await cp(sources, into('kernels', 'source'), { recursive: true, filter: (file) => !file.endsWith('.cpp') });
  await cp(path.join(images, 'include'), into('include'), { recursive: true });
  await copyFile(path.join(native, 'include', 'build_config.hpp'), into('include', 'build_config.hpp'));
  await cp(path.join(images, 'reproduce'), into('program'), { recursive: true });
  await mkdir(into('lib'));
  const build = await readUserKernelBuild(native);
  const core = coreLibrary(styleOf(build));
  await copyFile(path.join(native, core), into('lib', core));
  const fatbin = `${workload}.fatbin`;
  if (base.device === 'cuda' && existsSync(path.join(images, fatbin))) {
    await copyFile(path.join(images, fatbin), into('kernels', fatbin));
  }

  const beside = path.posix.join('kernels/source', path.posix.dirname(pathInKernels(replaces)));
  const text = updateIncludes(kernel.expandedText, {
    beside: path.join(sources, path.posix.dirname(pathInKernels(replaces))),
    sources,
    workload,
    engine: [into('include')],
  });
  await writeFile(into(name), text);
  let main = name;
  if (base.device === 'cuda' && !replaces.endsWith('.cu')) {
    // A header cannot be compiled alone: the shipped file with the kernels is compiled, and includes the user's header.
    main = path.posix.join('kernels/source', pathInKernels(base.source));
    const up = path.posix.relative(beside, name);
    await writeFile(into('kernels', 'source', pathInKernels(replaces)), `#include "${up}"\n`);
  }
  const flags = base.device === 'cuda' ? flagsFor('cuda', description.compile) : cpuFlags(kernel, build, isa);
  const told = { name, title, base: base.id, replaces, device: base.device, version };
  await writeFile(into('program', 'entry.cpp'), entrySource(base));
  await rename(into('program', 'CMakeLists.txt'), into('CMakeLists.txt'));
  await writeFile(
    into('kernel.cmake'),
    kernelCmake({ name, main, replacedFolder: beside, device: base.device, flags }),
  );
  await writeFile(into('README.md'), readmeText(told));
  await writeFile(into('scenario.json'), `${JSON.stringify(scenario, null, 2)}\n`);
  if (options.answer !== null) {
    await copyFile(options.answer, into(ANSWER_FILE));
    await writeFile(into(kernel.referenceProgram?.name ?? 'answer'), kernel.referenceProgram?.text ?? '');
  }
  await writeFile(into('problem.json'), await problemBytes({ ...problem, title, kernel: { workload, name } }));
}

/** Writes the complete folder, or nothing if that fails. Throws BraggError `exists` if the folder exists. */
export async function writeReproducer(options: ReproducerOptions): Promise<{ readonly files: number }> {
  const { folder, kernel, folders } = options;
  if (kernel.includeErrors.length > 0)
    throw new BraggError('invalid', kernel.includeErrors[0]?.message ?? '', kernel.includeErrors);
  if (!existsSync(path.join(pathOutsideArchive(folders.images), 'reproduce'))) {
    throw new BraggError('unsupported', 'The sources for reproducers are missing. Run npm run build');
  }
  const taken = (): BraggError => new BraggError('exists', `${folder} already exists. Choose another name.`);
  if (existsSync(folder)) throw taken();
  const made = temporaryPathIn(path.dirname(folder));
  try {
    await mkdir(made, { recursive: true });
    await writeReproducerFiles(made, options);
    await rename(made, folder).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOTEMPTY' || error.code === 'EEXIST' ? taken() : error;
    });
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  return { files: all.filter((one) => one.isFile()).length };
}
