/** Finds the imports of source files, and those among them that the rules do not allow. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

/** Imports allowed for the files in some folders and their subfolders. A subfolder with its own rules is excluded. */
type FolderRules = Readonly<{
  /** Allowed folders, as paths from the root. The importing folder itself is always allowed. */
  folders: readonly string[];
  /** Allowed npm packages. Tests and build scripts have no rules: they may import anything. */
  packages: readonly string[];
  /** Whether Node's built-in modules are allowed. */
  node: boolean;
}>;

export type Rules = Readonly<Record<string, FolderRules>>;

/** A deliberate exception to the rules: `to` is a folder, a file or a package. */
export type Exception = Readonly<{ from: string; to: string; reason: string }>;

/** One import: `to` is a path from the root, `npm:name` or `node:name`. */
type Import = Readonly<{ from: string; to: string }>;

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const SPECIFIER = /(?:\bfrom\s*|\bimport\s*\(\s*|^\s*import\s+|\brequire\s*\(\s*)(['"])([^'"\s]+)\1/gm;
const STYLE_SPECIFIER = /@import\s+(?:url\()?(['"])([^'"\s]+)\1/gm;
const INCLUDE = /^\s*#\s*include\s*"([^"]+)"/gm;
const SYSTEM_INCLUDE = /^\s*#\s*include\s*<([^>]+)>/gm;

/** Include roots of native/CMakeLists.txt. */
const INCLUDE_ROOTS = ['kernels', 'native'];

/** Header that CMake generates into the build folder. */
const GENERATED_HEADER = 'build_config.hpp';

export const withoutComments = (text: string): string => text.replace(COMMENT, '');

export function sourceFiles(patterns: readonly string[]): string[] {
  return globSync([...patterns], { cwd: root }).sort();
}

const inside = (file: string, folder: string) => file === folder || file.startsWith(`${folder}/`);

/** Name of the package in an import: `@scope/name` for `@scope/name/part`. */
const packageName = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

export function scriptImports(file: string, text: string): Import[] {
  const pattern = file.endsWith('.css') ? STYLE_SPECIFIER : SPECIFIER;
  return [...withoutComments(text).matchAll(pattern)].map(([, , specifier = '']) => {
    if (specifier.startsWith('.')) return { from: file, to: path.posix.join(path.posix.dirname(file), specifier) };
    if (specifier.startsWith('node:')) return { from: file, to: specifier };
    return { from: file, to: `npm:${packageName(specifier)}` };
  });
}

/** Resolves quoted includes as the compiler does; `<napi.h>` counts as the package that provides it. */
export function includes(file: string, text: string): Import[] {
  const bare = withoutComments(text);
  const quoted = [...bare.matchAll(INCLUDE)].map(([, name = '']) => name);
  const local = quoted
    .filter((name) => name !== GENERATED_HEADER)
    .map((name) => {
      const places = [path.posix.dirname(file), ...INCLUDE_ROOTS].map((folder) => path.posix.join(folder, name));
      return { from: file, to: places.find((place) => existsSync(path.join(root, place))) ?? `npm:${name}` };
    });
  const system = [...bare.matchAll(SYSTEM_INCLUDE)].map(([, name = '']) => name);
  return [...local, ...system.filter((name) => name.includes('.')).map((name) => ({ from: file, to: `npm:${name}` }))];
}

/** The folder whose rules apply to a file: the longest listed path that contains the file. */
export function ruleFolderOf(file: string, rules: Rules): string | null {
  const folders = Object.keys(rules).filter((folder) => inside(file, folder));
  return folders.sort((a, b) => b.length - a.length)[0] ?? null;
}

function isAllowed(entry: Import, rules: Rules): boolean {
  const name = ruleFolderOf(entry.from, rules);
  const room = name === null ? undefined : rules[name];
  if (name === null || !room) return false;
  if (entry.to.startsWith('node:')) return room.node;
  if (entry.to.startsWith('npm:')) return room.packages.includes(entry.to.slice('npm:'.length));
  return [name, ...room.folders].some((folder) => inside(entry.to, folder));
}

const covers = (exception: Exception, entry: Import) =>
  inside(entry.from, exception.from) && inside(entry.to.replace(/^npm:/, ''), exception.to);

type Verdict = Readonly<{ violations: string[]; unused: Exception[] }>;

export function checkImports(imports: readonly Import[], rules: Rules, exceptions: readonly Exception[]): Verdict {
  const broken = imports.filter((entry) => !isAllowed(entry, rules));
  return {
    violations: broken
      .filter((entry) => !exceptions.some((exception) => covers(exception, entry)))
      .map((entry) => `${entry.from} imports ${entry.to}`),
    unused: exceptions.filter((exception) => !broken.some((entry) => covers(exception, entry))),
  };
}

/**
 * Finds import cycles: the largest sets of files in which each file reaches every other, including by `import type`.
 */
export function importCycles(imports: readonly Import[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
  const order = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): number => {
    const own = order.size;
    order.set(file, own);
    open.push(file);
    let low = own;
    for (const to of next.get(file) ?? []) {
      if (!order.has(to)) low = Math.min(low, visit(to));
      else if (open.includes(to)) low = Math.min(low, order.get(to) ?? own);
    }
    if (low === own) {
      const members = open.splice(open.indexOf(file));
      if (members.length > 1 || (next.get(file) ?? []).includes(file)) found.push(members.sort());
    }
    return low;
  };
  for (const file of [...next.keys()].sort()) if (!order.has(file)) visit(file);
  return found;
}

export const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
