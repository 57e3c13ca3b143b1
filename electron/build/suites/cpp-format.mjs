import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { capture } from '../setup/command.mjs';
import { root } from '../setup/root.mjs';

export const FILES = ['{native,kernels,test}/**/*.{cpp,hpp,cu,cuh}'];

/** @returns {string | null} path of clang-format in its npm package; null if it has none for this platform */
function clangFormat() {
  try {
    return createRequire(import.meta.url)('clang-format-node').clangFormatPath;
  } catch {
    return null;
  }
}

/** All C++ and CUDA files of the repository, relative to its root. */
const cppFiles = () => globSync(FILES, { cwd: root }).sort();

/** @returns {Promise<{ wrong: string[], unavailable: string | null }>} files that .clang-format would change */
export async function checkFormat() {
  const program = clangFormat();
  if (!program)
    return { wrong: [], unavailable: `clang-format is not available for ${process.platform}-${process.arch}` };
  const { code, output } = await capture(program, ['--dry-run', '-Werror', ...cppFiles()]);
  if (code === 127) return { wrong: [], unavailable: `clang-format does not start (${output.trim()})` };
  const wrong = new Set(
    [...output.matchAll(/^(.+?):\d+:\d+: error: code should be clang-formatted/gm)].map((m) => m[1] ?? ''),
  );
  if (code !== 0 && wrong.size === 0) wrong.add(output.trim());
  return { wrong: [...wrong], unavailable: null };
}

/** Formats all C++ and CUDA files in place. */
export async function writeFormat() {
  const program = clangFormat();
  if (!program) return { code: 1, output: `clang-format is not available for ${process.platform}-${process.arch}.` };
  return capture(program, ['-i', ...cppFiles()]);
}
