/**
 * Opens a file as a timeline; the format is recognized by its first bytes, not by its name.
 *
 * Packed files whose reader needs a complete file on disk: unpacked piece by piece, up to a limit.
 *
 * A unique temporary folder for converting a file to a database.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { BraggError } from '../../../contract/errors.ts';
import { formatBytes } from '../../../domain/values/units.ts';
import { fileError, openPlain, readPlain } from '../../io/files/plain-file.ts';
import { cudaTool } from '../../model/machine-code/tools.ts';
import { ChromeImport } from '../../model/timeline/import/chrome.ts';
import { importNsight } from '../../model/timeline/import/nsight.ts';
import { importRun } from '../../model/timeline/import/run.ts';
import { spanCount, type Trace } from '../../model/timeline/trace.ts';
import { runContained } from '../../model/user-kernels/contained.ts';
import { timelineOf } from '../../workloads/index.ts';
import { readRun, sessionFileOf } from '../run-files/tasks.ts';

export const scratchFolder = (): string =>
  path.join(tmpdir(), `braggbench-timeline-${process.pid}-${randomBytes(6).toString('hex')}`);

const CHUNK_BYTES = 2 ** 20;
/** Databases of hours of tracing have some gigabytes; a larger one may be malicious. */
const MAX_BYTES = 16 * 2 ** 30;

/** Plain message for a zlib error of a damaged file; other errors are returned unchanged. */
function gzipError(error: unknown, read_bytes: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'Z_BUF_ERROR') {
    return new BraggError('foreign-file', `its compressed data end too early, after ${read_bytes} bytes`);
  }
  return code.startsWith('Z_') ? new BraggError('foreign-file', 'its compressed data are damaged') : error;
}

/** First bytes of the unpacked file. Empty for a damaged file, which its reader reports. */
async function unpackedHead(file: string, bytes: number): Promise<Buffer> {
  const source = createReadStream(file, { end: 16 * 1024 });
  const unpacked = createGunzip();
  source.on('error', (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  try {
    for await (const chunk of unpacked) return (chunk as Buffer).subarray(0, bytes);
  } catch {
    // The stream was truncated by `end` above, or the file is incomplete.
  } finally {
    source.destroy();
    unpacked.destroy();
  }
  return Buffer.alloc(0);
}

/** Throws BraggError `foreign-file` for a damaged file, `memory` for one that is too large. */
export async function unpack(
  file: string,
  target: string,
  progress: (read_bytes: number) => void,
  most_bytes: number = MAX_BYTES,
): Promise<void> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  let bytes = 0;
  const counted = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      bytes += chunk.length;
      progress(source.bytesRead);
      const says = `it is larger than ${formatBytes(most_bytes)} when decompressed, the maximum`;
      done(bytes > most_bytes ? new BraggError('memory', says) : null, chunk);
    },
  });
  try {
    await pipeline(
      source,
      createGunzip({ chunkSize: CHUNK_BYTES }),
      counted,
      createWriteStream(target, { flags: 'wx' }),
    );
  } catch (error) {
    throw gzipError(error, source.bytesRead);
  }
}

/** Reports in the format of Nsight Systems: its program nsys converts them to a database, if it is installed. */
const PROGRAM = process.platform === 'win32' ? 'nsys.exe' : 'nsys';
/** Reports of several hours need minutes. */
const LIMITS = { time_ms: 1_800_000, memory_bytes: 2 ** 50, file_bytes: 2 ** 40, output_bytes: 2 ** 20 } as const;

/** Folders of NVIDIA's installers, each with one folder per version. */
function installFolders(environment: NodeJS.ProcessEnv): readonly string[] {
  if (process.platform !== 'win32') return ['/opt/nvidia/nsight-systems', '/opt/nvidia/nsight-systems-cli'];
  return [path.join(environment['ProgramFiles'] ?? 'C:\\Program Files', 'NVIDIA Corporation')];
}

async function findInstalled(environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const within = process.platform === 'win32' ? 'target-windows-x64' : 'bin';
  const folders = await Promise.all(
    installFolders(environment).map(async (folder) =>
      (await readdir(folder).catch(() => [])).map((version) => path.join(folder, version, within, PROGRAM)),
    ),
  );
  // The newest version is the last in alphabetical order.
  return folders.flatMap((places) => places.toSorted().reverse());
}

/** Path of `nsys`; null if it is not installed. */
export async function findNsys(environment: NodeJS.ProcessEnv = process.env): Promise<string | null> {
  return cudaTool('nsys', environment) ?? (await findInstalled(environment)).find((place) => existsSync(place)) ?? null;
}

/**
 * Creates the database `target`. `folder`: scratch folder. Throws BraggError `foreign-file` with the message of nsys.
 */
async function convertReport(file: string, target: string, folder: string): Promise<void> {
  const program = await findNsys();
  if (program === null) {
    throw new BraggError(
      'foreign-file',
      'the format of Nsight Systems is proprietary, and its program nsys was not found here: on a machine with nsys, run nsys export --type sqlite',
    );
  }
  // nsys requires this file extension, which an uploaded file lacks.
  const report = path.join(folder, 'report.nsys-rep');
  await link(file, report).catch(() => copyFile(file, report));
  const args = ['export', '--type=sqlite', '--force-overwrite=true', `--output=${target}`, report];
  const { failed, output } = await runContained({ title: 'nsys', program, args, folder, limits: LIMITS });
  if (failed || !existsSync(target)) {
    const says = output.trim().replace(/\s+/g, ' ').slice(-300);
    throw new BraggError('foreign-file', `nsys could not convert it: ${says === '' ? 'no error message' : says}`);
  }
}

export interface ReadProgress {
  readonly read_bytes: number;
  readonly total_bytes: number;
  readonly spans: number;
}

type Kind = 'json' | 'gzip' | 'sqlite' | 'run' | 'nsys';

const DATABASE = Buffer.from('SQLite format 3\0');
const SIGNATURES: readonly (readonly [Kind, string])[] = [
  ['gzip', '1f8b'],
  ['sqlite', DATABASE.toString('hex')],
  ['run', '894844460d0a1a0a'],
];
/** Enough for signatures, and for the name of a session's format. */
const HEAD_BYTES = 256;

const NSYS = /\.(nsys-rep|qdrep)$/i;

/** Files of related programs, and advice on each. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/\.qdstrm$/i, 'it is a recording that Nsight Systems has not imported yet: run QdstrmImporter on it'],
  [/\.ncu-rep$/i, 'it is a Nsight Compute report, which has no timeline'],
  [/\.(pftrace|perfetto-trace|pb)$/i, 'it is a Perfetto trace in its native format: convert it with traceconv json'],
  [/\.zip$/i, 'it is a ZIP archive: unpack it first'],
];

const isDatabase = (head: Buffer): boolean => head.subarray(0, DATABASE.length).equals(DATABASE);

function kindOf(head: Buffer, name: string): Kind {
  if (head.length === 0) throw new BraggError('foreign-file', 'it is empty');
  const hex = head.toString('hex');
  const found = SIGNATURES.find(([, signature]) => hex.startsWith(signature));
  if (found !== undefined) return found[0];
  if (sessionFileOf(head) !== null) return 'run';
  if (NSYS.test(name)) return 'nsys';
  const first = head
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart()[0];
  if (first === '{' || first === '[' || first === undefined) return 'json';
  const hint = HINTS.find(([pattern]) => pattern.test(name))?.[1];
  throw new BraggError(
    'foreign-file',
    hint ??
      'it is neither Chrome Trace JSON, nor an SQLite export of Nsight Systems (both also .gz), nor a report of it (.nsys-rep), nor a run (.h5, or .json of a measurement)',
  );
}

async function headOf(file: string, name: string): Promise<Buffer> {
  const handle = await openPlain(file, name);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Reads the file again if its first events use another clock than its work, with the clock of its work. */
async function importChrome(
  file: string,
  name: string,
  packed: boolean,
  total_bytes: number,
  progress: (progress: ReadProgress) => void,
  base_us: number | null = null,
): Promise<Trace> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const chunks = packed ? source.pipe(createGunzip({ chunkSize: CHUNK_BYTES })) : source;
  if (packed) source.on('error', (error) => chunks.destroy(error));
  const trace = new ChromeImport(base_us);
  try {
    for await (const chunk of chunks) {
      trace.push(chunk as Buffer);
      progress({ read_bytes: source.bytesRead, total_bytes, spans: trace.spans });
    }
  } catch (error) {
    throw gzipError(error, source.bytesRead);
  } finally {
    source.destroy();
    chunks.destroy();
  }
  trace.end();
  const other = base_us === null ? trace.otherBase_us : null;
  return other === null ? trace.finish(name) : importChrome(file, name, packed, total_bytes, progress, other);
}

/** Prefixes error messages about the contents with the file's name. */
async function withFileName<T>(name: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof BraggError && (error.code === 'foreign-file' || error.code === 'memory'))) throw error;
    const says = `${name} cannot be opened as a timeline: ${error.message}.`;
    throw new BraggError(error.code, says, [], { cause: error });
  }
}

/**
 * `name`: file name for messages. `scratch`: created on demand and removed afterwards; whoever ends this thread early
 * must remove it. Throws BraggError with one sentence that contains the name.
 */
export async function openTrace(
  file: string,
  name: string,
  progress: (progress: ReadProgress) => void = () => undefined,
  scratch: string = scratchFolder(),
): Promise<Trace> {
  try {
    const { size } = await stat(file);
    const head = await headOf(file, name);
    const kind = await withFileName(name, () => kindOf(head, name));
    const at = (read_bytes: number, spans: number): void => progress({ read_bytes, total_bytes: size, spans });
    const database = (from: string): Trace => importNsight(from, name, (spans) => at(0, spans));
    const made = path.join(scratch, 'made.sqlite');
    at(0, 0);
    // Errors in reading a run already contain the file name. A run that is a measurement is JSON.
    const run = kind === 'run' ? await readRun(await readPlain(file, name), name) : null;
    return await withFileName(name, async () => {
      if (run !== null) {
        const trace = importRun(timelineOf(run));
        if (spanCount(trace) > 0) return trace;
        throw new BraggError('foreign-file', 'no times were recorded');
      }
      switch (kind) {
        case 'sqlite':
          return database(file);
        case 'nsys':
          await mkdir(scratch, { mode: 0o700 });
          await convertReport(file, made, scratch);
          return database(made);
        case 'gzip':
          if (!isDatabase(await unpackedHead(file, HEAD_BYTES)))
            return await importChrome(file, name, true, size, progress);
          await mkdir(scratch, { mode: 0o700 });
          await unpack(file, made, (read_bytes) => at(read_bytes, 0));
          return database(made);
        default:
          return await importChrome(file, name, false, size, progress);
      }
    });
  } catch (error) {
    throw fileError(error, name);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
