/**
 * Finds the programs that the host starts: bundles outside of a packaged archive, and Node.js. A packaged Electron
 * cannot run as Node.js. Also decodes the output of child processes.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { BraggError } from '../../contract/errors.ts';

/** Path of a file outside of the packaged application's archive; the same path if there is no archive. */
export const pathOutsideArchive = (file: string): string => file.replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked');

/**
 * Path of a program for a thread or process: the bundle `name` (such as `user-kernel-child`) in dist/workers, or in
 * development its source, a path from the host's folder. In a packaged application the bundle is outside of the
 * archive, because threads and processes need not read archives then. `BRAGGBENCH_BUNDLES` names a folder of bundles
 * built from the present sources, as in the tests: a bundle starts in a third of the time.
 */
export function programPath(name: string, source: string): string {
  const here = import.meta.dirname;
  const folders = [process.env['BRAGGBENCH_BUNDLES'] ?? '', path.join(here, '..', 'workers')];
  const bundles = folders
    .filter((folder) => folder !== '')
    .map((folder) => pathOutsideArchive(path.join(folder, `${name}.js`)));
  return bundles.find((file) => existsSync(file)) ?? path.join(here, '..', source);
}

/** Path of Node.js. Throws BraggError `unsupported` if there is none; `what` is the subject of the message. */
export async function findNode(what: string): Promise<string> {
  if (process.versions['electron'] === undefined) return process.execPath;
  await promisify(execFile)('node', ['--version']).catch(() => {
    throw new BraggError('unsupported', `${what} needs Node, but none was found.`);
  });
  return 'node';
}

/**
 * Calls the listener with the output of a process, decoded as a UTF-8 stream: a character split between two chunks is
 * passed on once, when it is complete.
 */
export function listenToOutput(
  { stdout, stderr }: { readonly [name in 'stdout' | 'stderr']: NodeJS.ReadableStream | null },
  listener: (text: string) => void,
): void {
  for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', listener);
}

/**
 * Path of the WebAssembly file of a decoder: in dist/decoders next to the bundle, or in `installed`, a folder in
 * node_modules of a checkout. Throws BraggError `unsupported` if it is not installed.
 */
export function decoderPath(name: string, installed: string): string {
  const here = import.meta.dirname;
  const places = [
    pathOutsideArchive(path.join(here, '..', 'decoders', name)),
    // The folder node_modules is two levels above a bundle in dist, and three above this source.
    ...['../..', '../../..'].map((root) => path.join(here, root, 'node_modules', installed, name)),
  ];
  const found = places.find((file) => existsSync(file));
  if (found === undefined) throw new BraggError('unsupported', `The decoder ${name} is not installed. Run: npm ci`);
  return found;
}
