/** Finds the source files of a variant, and the kernels that they launch. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Variant } from '../../../contract/capabilities.ts';
import { BraggError } from '../../../contract/errors.ts';
import type { KernelResources } from '../../../contract/launches.ts';

interface SourceFile {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly text: string;
}

const INCLUDE = /^\s*#\s*include\s*"([^"]+)"/gm;

/** Pattern for an id in a registry entry: `.id = "cuda-fused"`, or the first argument of a call. */
const registryPattern = (id: string): RegExp => new RegExp(`(\\.id = |[({])"${id}"`);

/**
 * Finds the file with a variant's registry entry. If several files contain the id, the file that also names the
 * benchmark is used, and preferably the one with the name of `source`.
 */
async function findVariantFile(
  folder: string,
  names: readonly string[],
  { id, bench, source }: Pick<Variant, 'id' | 'bench' | 'source'>,
): Promise<string> {
  const { name: stem } = path.parse(source);
  const entries = [registryPattern(id), ...(bench === '' ? [] : [registryPattern(bench)])];
  const sameFirst = [...names].sort(
    (a, b) => Number(path.parse(b).name === stem) - Number(path.parse(a).name === stem),
  );
  for (const name of sameFirst.filter((one) => one.endsWith('.cpp'))) {
    const text = await readFile(path.join(folder, name), 'utf8');
    if (entries.every((entry) => entry.test(text))) return name;
  }
  throw new BraggError('not-found', `The source of ${id} is missing in ${folder}.`);
}

/**
 * Returns a function from a header of operators to the files with the loops that use it. These files are
 * compiled once for each instruction set.
 */
async function findLoopFiles(folder: string, names: readonly string[]): Promise<(header: string) => readonly string[]> {
  const compiled = names.filter((name) => name.endsWith('.simd.cpp'));
  const texts = await Promise.all(compiled.map((name) => readFile(path.join(folder, name), 'utf8')));
  return (header) => {
    const quoted = `"${path.posix.basename(header)}"`;
    return header.endsWith('_ops.hpp') ? compiled.filter((_, i) => texts[i]?.includes(quoted) === true) : [];
  };
}

/** Name of a workload's folder in the kernels' folder; it is also the workload's C++ namespace. */
export const workloadFolder = ({ source }: Pick<Variant, 'source'>): string => source.split('/')[1] ?? '';

/** Folder with the code that runs variants. Its files are not part of any variant. */
const RUN_FOLDER = 'run';

/**
 * Source files of a variant: its registry file, the file with its kernels, and breadth first all files of the workload
 * that these include. For each header the files that implement it are included too. `sources` is the folder with the
 * kernels of all workloads.
 */
export async function readVariantSources(sources: string, variant: Pick<Variant, 'id' | 'bench' | 'source'>) {
  const workload = workloadFolder(variant);
  const folder = path.join(sources, workload);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw new BraggError('not-found', `The kernel sources are missing in ${sources}. Run npm run build`);
  });
  const names = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)).replaceAll(path.sep, '/'));
  const loops = await findLoopFiles(folder, names);
  const present = new Set(names.filter((name) => path.posix.dirname(name) !== RUN_FOLDER));
  const queue = [
    await findVariantFile(folder, names, variant),
    path.posix.relative(`kernels/${workload}`, variant.source),
  ];
  const files: SourceFile[] = [];
  for (const name of queue) {
    if (!present.delete(name)) continue;
    const text = await readFile(path.join(folder, name), 'utf8');
    files.push({ path: `kernels/${workload}/${name}`, text });
    // Includes without a folder are in the folder of the including file. Of includes with a folder, only those of the
    // same workload are followed.
    const included = [...text.matchAll(INCLUDE)].flatMap(([, file = '']) => {
      if (!file.includes('/')) return [path.posix.join(path.posix.dirname(name), file)];
      return file.startsWith(`${workload}/`) ? [file.slice(workload.length + 1)] : [];
    });
    const implementing = [name, ...included].flatMap((file) => [
      ...['.cpp', '.simd.cpp'].map((ending) => file.replace(/\.hpp$/, ending)),
      ...loops(file),
    ]);
    queue.push(...included, ...implementing);
  }
  return files;
}

/**
 * Selects the kernels that the files name in quotes. The quoted name may lack the suffixes for precision and stepping,
 * or be a prefix that ends in `_`.
 */
export function kernelsNamedIn(files: readonly SourceFile[], all: KernelResources): KernelResources {
  const quoted = new Set(
    files.flatMap(({ text }) => [...text.matchAll(/"([a-z][a-z0-9_]+)"/g)].map(([, name = '']) => name)),
  );
  const prefixes = [...quoted].filter((name) => /_.*_$/.test(name));
  const kernels = all.kernels.filter(({ name }) => {
    const base = name.replace(/_f(32|64)$/, '');
    return (
      quoted.has(base) ||
      quoted.has(base.replace(/_(path|depth)$/, '')) ||
      prefixes.some((prefix) => name.startsWith(prefix))
    );
  });
  return { compiler: all.compiler, kernels };
}
