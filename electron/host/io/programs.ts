/**
 * Programs that the host starts: the path of a bundle outside of the packaged archive, Node itself, and the output of a
 * child process as text. A packaged Electron cannot run as Node.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { BraggError } from '../../contract/errors.ts';

/** Path of the file outside the archive; the same path if there is no archive. */
export const pathOnDisk = (file: string): string => file.replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked');

/**
 * Bundle in dist/workers, next to the program's folder; in development its source. In a package, the file outside of
 * the archive, so that threads and processes need not read archives. `BRAGGBENCH_BUNDLES` names a folder of bundles
 * built from the present sources, as in the tests: a bundle starts in a third of the time.
 * @param name of the bundle, such as `user-kernel-child`
 * @param source from the host's folder
 */
export function startedFile(name: string, source: string): string {
  const here = import.meta.dirname;
  const folders = [process.env['BRAGGBENCH_BUNDLES'] ?? '', path.join(here, '..', 'workers')];
  const bundles = folders
    .filter((folder) => folder !== '')
    .map((folder) => pathOnDisk(path.join(folder, `${name}.js`)));
  return bundles.find((file) => existsSync(file)) ?? path.join(here, '..', source);
}

/** Path of Node. Throws BraggError `unsupported` if there is none. `what`: subject of the error message. */
export async function nodeProgram(what: string): Promise<string> {
  if (process.versions['electron'] === undefined) return process.execPath;
  await promisify(execFile)('node', ['--version']).catch(() => {
    throw new BraggError('unsupported', `${what} needs Node, but none was found.`);
  });
  return 'node';
}

/** Decodes UTF-8 as a stream: a character split between two chunks is reported when it is complete. */
export function listenToOutput(
  { stdout, stderr }: { readonly [name in 'stdout' | 'stderr']: NodeJS.ReadableStream | null },
  listener: (text: string) => void,
): void {
  for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', listener);
}

/**
 * Path of a decoder of a package: in dist/decoders next to the bundle, and in node_modules of a checkout. Throws
 * BraggError `unsupported` if it is not installed.
 * @param installed folder of the file from node_modules
 */
export function decoderFile(name: string, installed: string): string {
  const here = import.meta.dirname;
  const places = [
    pathOnDisk(path.join(here, '..', 'decoders', name)),
    // Folders of packages, as seen from a bundle in dist and from this source.
    ...['../..', '../../..'].map((root) => path.join(here, root, 'node_modules', installed, name)),
  ];
  const found = places.find((file) => existsSync(file));
  if (found === undefined) throw new BraggError('unsupported', `The decoder ${name} is not installed. Run: npm ci`);
  return found;
}
