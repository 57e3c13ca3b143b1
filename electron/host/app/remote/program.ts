/**
 * Copies the program to another machine as a folder, with Node and the addon. The copy needs neither root nor a
 * toolkit. The folder's name contains version and digest, so each version has its own folder.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { z } from 'zod';
import { BraggError, messageOf } from '../../../contract/errors.ts';
import { formatBytes } from '../../../domain/values/units.ts';
import { toFileError } from '../../io/files/plain-file.ts';
import { pathOutsideArchive } from '../../io/programs.ts';
import { quoteForShell } from '../studies/slurm/task.ts';
import type { ProbeResult } from './probe.ts';
import type { Ssh } from './ssh.ts';

/** Files and folders of the program to copy; source maps are left out. */
const PARTS = [
  ...[
    'package.json',
    'LICENSE',
    'assets',
    'dist/host',
    'dist/workers',
    'dist/renderer',
    'dist/kernels',
    'dist/decoders',
  ],
  ...['dist/native/braggbench.node', 'dist/native/libbraggbench_core.a', 'dist/native/include'],
];
const REQUIRED_FILES = ['dist/host/cli.js', 'dist/native/braggbench.node'];

/** Node's cache of compiled modules. Every process adds to it, so it is excluded from the digest. */
const COMPILED_FOLDER = 'dist/host/compiled';

/** Script that starts the program. One file per process marks the folder as in use. */
const WRAPPER_SCRIPT = `#!/bin/sh
here=$(cd -- "$(dirname -- "$0")" && pwd -P) || exit
mkdir -p "$here/use" 2>/dev/null && : > "$here/use/$(uname -n).$$"
exec "$here/node" "$here/dist/host/cli.js" "$@"
`;

/** Manifest of a packed program, which `braggbench connect --pack` writes next to the archive. */
const manifestSchema = z.strictObject({
  version: z.string().regex(/^[\w.+-]{1,40}$/),
  digest: z.string().regex(/^[0-9a-f]{12}$/),
  platform: z.string().regex(/^[\w-]{1,40}$/),
  unpacked_bytes: z.number().int().positive(),
});
type PackedProgram = Readonly<z.infer<typeof manifestSchema>>;

/** Name of the program's folder on the remote machine. */
export const folderName = ({ version, digest }: PackedProgram): string => `${version}-${digest}`;

export interface Source {
  readonly program: PackedProgram;
  /** Returns the compressed archive. `ended` resolves with the reason of a failure, or null. */
  archive(): Promise<{ readonly stream: Readable; readonly ended: Promise<string | null> }>;
}

async function filesBelow(root: string, part: string): Promise<readonly string[]> {
  const at = path.join(root, part);
  if (!existsSync(at)) return [];
  if (!(await stat(at)).isDirectory()) return [part];
  const entries = await readdir(at, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .filter((name) => !name.startsWith(`${COMPILED_FOLDER}/`));
}

/** Packs the running program. Throws BraggError `unsupported` if it cannot run on another machine. */
async function localSource(root: string, nodeFile: string): Promise<Source> {
  const missing = REQUIRED_FILES.find((file) => !existsSync(path.join(root, file)));
  if (missing !== undefined) {
    throw new BraggError(
      'unsupported',
      `${path.join(root, missing)} does not exist: build the program first with npm run build.`,
    );
  }
  const files = (await Promise.all(PARTS.map((part) => filesBelow(root, part)))).flat().sort();
  const digest = createHash('sha256').update(WRAPPER_SCRIPT);
  let unpacked_bytes = 0;
  for (const [name, file] of [['node', nodeFile], ...files.map((each) => [each, path.join(root, each)])] as const) {
    const content = await readFile(file);
    unpacked_bytes += content.length;
    digest.update(`${name}\0${content.length}\0`).update(content);
  }
  const { version } = z
    .looseObject({ version: z.string() })
    .parse(JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')));
  const program = manifestSchema.parse({
    ...{ version, digest: digest.digest('hex').slice(0, 12), unpacked_bytes },
    platform: `${process.platform}-${process.arch}`,
  });
  return {
    program,
    archive: async () => {
      const extra = await mkdtemp(path.join(tmpdir(), 'braggbench-pack-'));
      await writeFile(path.join(extra, 'braggbench'), WRAPPER_SCRIPT);
      await chmod(path.join(extra, 'braggbench'), 0o755);
      const there = PARTS.filter((part) => existsSync(path.join(root, part)));
      await copyFile(nodeFile, path.join(extra, 'node'));
      const words = [
        '--exclude=*.map',
        `--exclude=${COMPILED_FOLDER}`,
        '-cf',
        '-',
        '-C',
        extra,
        'braggbench',
        'node',
        '-C',
        root,
        ...there,
      ];
      const tar = spawn('tar', words, { stdio: ['ignore', 'pipe', 'pipe'] });
      // Use the fastest level: it already reduces the size to a third, and slower levels would make this processor the
      // bottleneck.
      const stream = tar.stdout.pipe(createGzip({ level: constants.Z_BEST_SPEED }));
      let says = '';
      tar.stderr.setEncoding('utf8').on('data', (piece: string) => {
        says = `${says}${piece}`.slice(-2000);
      });
      const ended = new Promise<string | null>((resolve) => {
        tar.on('error', (error) => resolve(error.message));
        tar.on('close', (code) => resolve(code === 0 ? null : says || `tar exited with code ${code}`));
      }).finally(() => rm(extra, { recursive: true, force: true }));
      return { stream, ended };
    },
  };
}

const ARCHIVE = 'braggbench-remote.tar.gz';
const MANIFEST = 'braggbench-remote.json';

/** Returns the archive for other machines that an installed package contains. Null if there is none. */
async function packedSource(folder: string): Promise<Source | null> {
  const [archive, manifest] = [ARCHIVE, MANIFEST].map((name) => pathOutsideArchive(path.join(folder, name)));
  if (archive === undefined || manifest === undefined || !existsSync(archive) || !existsSync(manifest)) return null;
  const program = manifestSchema.parse(JSON.parse(await readFile(manifest, 'utf8')));
  return { program, archive: async () => ({ stream: createReadStream(archive), ended: Promise.resolve(null) }) };
}

/** Path of the Node binary to copy: in Electron that of the checkout, otherwise that of this process. */
function nodeBinaryFor(root: string): string | null {
  if (process.versions['electron'] === undefined) return process.execPath;
  const pinned = path.join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  return existsSync(pinned) ? pinned : null;
}

/**
 * Returns the program to copy. `root`: folder with `assets` and `dist`. Throws BraggError `unsupported` if there is no
 * program for other machines.
 */
export async function programSource(root: string): Promise<Source> {
  const node = process.platform === 'linux' ? nodeBinaryFor(root) : null;
  // A checkout has a Node binary, so copy its last build. Only a package contains an archive.
  if (node !== null) return localSource(root, node);
  const packed = await packedSource(path.join(root, 'dist', 'remote'));
  if (packed !== null) return packed;
  throw new BraggError(
    'unsupported',
    `This program for ${process.platform} does not include the Linux program: on Linux run braggbench connect --pack FOLDER, and put ${ARCHIVE} and ${MANIFEST} into ${path.join(root, 'dist', 'remote')}.`,
  );
}

/** Writes the archive and its manifest into `folder`. Throws BraggError. */
export async function packProgram(root: string, folder: string): Promise<PackedProgram> {
  const { program, archive } = await localSource(root, process.execPath);
  await mkdir(folder, { recursive: true });
  const { stream, ended } = await archive();
  const file = path.join(folder, ARCHIVE);
  await pipeline(stream, createWriteStream(file)).catch(async (error: unknown) => {
    await rm(file, { force: true });
    throw toFileError(error, file);
  });
  const failed = await ended;
  if (failed !== null) throw new BraggError('io', `tar could not pack the program: ${failed}.`);
  await writeFile(path.join(folder, MANIFEST), `${JSON.stringify(program, null, 2)}\n`);
  return program;
}

interface InstallOptions {
  readonly ssh: Ssh;
  readonly probed: ProbeResult;
  readonly source: Source;
  readonly onCopied: (done_bytes: number) => void;
}

/** Space needed while unpacking, as a multiple of the unpacked size. */
const REQUIRED_SPACE = 1.05;
const COPY_TIMEOUT_MS = 60 * 60_000;

/**
 * Script that removes unused versions of the program, and partial copies by processes that have ended. A version is
 * unused if no process on any machine uses it.
 */
const tidyScript = (folder: string): string =>
  [
    `cd ${quoteForShell(path.posix.dirname(folder))} || exit 0`,
    'for d in *; do',
    `if [ "$d" = ${quoteForShell(path.posix.basename(folder))} ]; then continue; fi`,
    `k=; case "$d" in *.part.*) kill -0 "\${d##*.}" 2>/dev/null && k=1;; esac`,
    `for u in "$d"/use/*; do if [ -e "$u" ]; then b=\${u##*/}; case "$b" in "$(uname -n)".*) if kill -0 "\${b##*.}" 2>/dev/null; then k=1; else rm -f "$u"; fi;; *) k=1;; esac; fi; done`,
    '[ -n "$k" ] || rm -rf -- "$d"',
    'done',
  ]
    .join('; ')
    .replaceAll('do; ', 'do ');

/**
 * Copies the program to the remote machine unless it is there, and returns its folder. Throws BraggError with one
 * sentence.
 */
export async function installProgram({ ssh, probed, source, onCopied }: InstallOptions): Promise<string> {
  const { program } = source;
  const { machine, base, free_bytes, glibc } = probed;
  const folder = `${base}/programs/${folderName(program)}`;
  const there = await ssh.run(`if [ -x ${quoteForShell(`${folder}/braggbench`)} ]; then echo yes; else echo no; fi`);
  if (there.trim() === 'yes') return folder;
  const refuse = (why: string): BraggError => new BraggError('unsupported', `${ssh.host}: ${why}.`);
  if (machine.platform !== program.platform) {
    throw refuse(`it is ${machine.platform}, but this program is for ${program.platform}`);
  }
  if (glibc === null && program.platform.startsWith('linux')) {
    throw refuse('its C library is not glibc, which the program needs');
  }
  if (free_bytes !== null && free_bytes < REQUIRED_SPACE * program.unpacked_bytes) {
    const [need, free] = [formatBytes(REQUIRED_SPACE * program.unpacked_bytes), formatBytes(free_bytes)];
    throw new BraggError('no-space', `${ssh.host}: ${base} has ${free} of free space, but the program needs ${need}.`);
  }
  const { stream, ended } = await source.archive();
  let done = 0;
  const counted = new Transform({
    transform: (piece: Buffer, _encoding, pass) => {
      done += piece.length;
      onCopied(done);
      pass(null, piece);
    },
  });
  // If the connection is lost, the copy ends, and the next copy removes the partial files.
  stream.on('error', (error) => counted.destroy(error));
  counted.on('error', () => undefined);
  const unpack = [
    'umask 077',
    `d=${quoteForShell(folder)}.part.$$`,
    'mkdir -p -- "$d"',
    `tar -xzf - -C "$d" && mv -T -- "$d" ${quoteForShell(folder)}`,
    'c=$?',
    `if [ $c != 0 ]; then rm -rf -- "$d"; fi; [ -x ${quoteForShell(`${folder}/braggbench`)} ] || exit $c`,
  ].join('; ');
  await ssh.run(unpack, { input: stream.pipe(counted), timeout_ms: COPY_TIMEOUT_MS });
  const failed = await ended;
  if (failed !== null) throw new BraggError('io', `tar could not pack the program: ${failed}.`);
  // Load the solver and query the GPUs, to check that this build works on the remote machine.
  await ssh.run(`${quoteForShell(`${folder}/braggbench`)} variants --json >/dev/null`).catch(async (error: unknown) => {
    await ssh.run(`rm -rf -- ${quoteForShell(folder)}`).catch(() => undefined);
    const why = messageOf(error);
    throw new BraggError(
      'unsupported',
      `${why.replace(/\.$/, '')}: the copied program does not run there. A build for every processor and GPU may run: build with BRAGGBENCH_EVERY_MACHINE=1.`,
      [],
      { cause: error },
    );
  });
  await ssh.run(tidyScript(folder)).catch(() => undefined);
  return folder;
}
