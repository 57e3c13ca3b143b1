/**
 * Kernels lie in rooms, where they once lay side by side, and some of the engine's headers lie with the kernels that use
 * them. A user kernel that was copied before names files as they were: they are found by their own names, each of which
 * a workload has once.
 */
import { existsSync, globSync } from 'node:fs';
import path from 'node:path';

const INCLUDE = /^([ \t]*#[ \t]*include[ \t]*")([^"\n]+)(")/gm;

/** `file` where it is one of `allowed`; else the one of `allowed` with its name, of the same workload. */
export function presentFile(file: string, allowed: readonly string[]): string {
  const workload = file.split('/').slice(0, 2).join('/');
  const same = (one: string) =>
    one.startsWith(`${workload}/`) && path.posix.basename(one) === path.posix.basename(file);
  return allowed.includes(file) ? file : (allowed.find(same) ?? file);
}

interface IncludeFolders {
  /** The folder whose file the text replaces. */
  readonly beside: string;
  /** The kernels of all workloads. */
  readonly sources: string;
  /** Name of the workload's folder among them. */
  readonly workload: string;
  /** The engine's headers. */
  readonly engine: readonly string[];
}

/** The text with includes that would find nothing turned to where their files are now. Lines stay where they are. */
export function presentIncludes(text: string, { beside, sources, workload, engine }: IncludeFolders): string {
  const found = (folder: string, pattern: string) =>
    globSync(pattern, { cwd: folder }).map((one) => one.replaceAll('\\', '/'));
  const roots = [beside, sources, ...engine];
  return text.replace(INCLUDE, (line, start: string, name: string, end: string) => {
    if (roots.some((root) => existsSync(path.join(root, name)))) return line;
    const kernel = found(sources, `${workload}/**/${path.posix.basename(name)}`);
    const [now] =
      kernel.length > 0 ? kernel : engine.flatMap((folder) => found(folder, `**/${path.posix.basename(name)}`));
    return now === undefined ? line : `${start}${now}${end}`;
  });
}
