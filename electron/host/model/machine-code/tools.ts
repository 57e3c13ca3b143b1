/** Finds and runs programs of the CUDA toolkit that compile or disassemble machine code. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';

/** Path of a program of the CUDA toolkit; null if it is not installed. */
export function findCudaTool(program: string, environment: NodeJS.ProcessEnv = process.env): string | null {
  const name = process.platform === 'win32' ? `${program}.exe` : program;
  const folders = (environment['PATH'] ?? '').split(path.delimiter).filter((one) => one !== '');
  const homes = [environment['CUDA_PATH'], environment['CUDA_HOME'], '/usr/local/cuda'];
  const places = [
    ...folders.map((folder) => path.join(folder, name)),
    ...homes.flatMap((home) =>
      home === undefined || home === '' ? [] : [path.join(home, 'bin', name), path.join(home, program, name)],
    ),
  ];
  return places.find((place) => existsSync(place)) ?? null;
}

const VERSION_PATTERN = /release ([\d.]+), V([\d.]+)/;
const MAX_TOOL_MS = 120_000;
/** Maximum size of a program's output in bytes. The largest listing of our kernels is 3 MB. */
const MAX_OUTPUT_BYTES = 128 * 2 ** 20;

interface ToolOutput {
  readonly folder: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a program and returns its standard output and standard error. Throws a BraggError that ends with its output if
 * it fails.
 */
export async function runTool(
  program: string,
  words: readonly string[],
  { folder, signal }: ToolOutput,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const options = {
      cwd: folder,
      timeout: MAX_TOOL_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
      signal,
      encoding: 'utf8',
    } as const;
    execFile(program, words, options, (error, stdout, stderr) => {
      if (error === null) resolve({ stdout, stderr });
      else {
        const said = `${stderr}${stdout}`.trim().slice(-2000) || error.message;
        reject(new BraggError('invalid', `${path.basename(program)} failed: ${said}`, [], { cause: error }));
      }
    });
  });
}

/** Name and version of a program, such as `nvdisasm 13.0.85`. */
export async function toolVersionText(program: string, called: ToolOutput): Promise<string> {
  const { stdout } = await runTool(program, ['--version'], called);
  return `${path.basename(program, '.exe')} ${VERSION_PATTERN.exec(stdout)?.[2] ?? 'of an unknown version'}`;
}

export const NO_DISASSEMBLER =
  'SASS cannot be shown: nvdisasm was not found on $PATH or in the CUDA folder. It is part of the CUDA toolkit, and available as the package cuda-nvdisasm in the Linux repositories of NVIDIA or nvidia-cuda-nvdisasm for Python. PTX needs no disassembler.';
