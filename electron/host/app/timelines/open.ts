/**
 * Opens a file as a timeline. The format is recognized by the first bytes, not by the name.
 *
 * Also unpacks files whose reader needs the complete file on disk, in chunks and up to a size limit, and converts
 * Nsight Systems reports.
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
import { openRegularFile, readRegularFile, toFileError } from '../../io/files/plain-file.ts';
import { findCudaTool } from '../../model/machine-code/tools.ts';
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
/** Maximum size of an unpacked database. Hours of tracing need some gigabytes; a larger file may be malicious. */
const MAX_BYTES = 16 * 2 ** 30;

/** Replaces a zlib error by a plain message that the file is damaged. Returns other errors unchanged. */
function gzipError(error: unknown, read_bytes: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'Z_BUF_ERROR') {
    return new BraggError('foreign-file', `its compressed data end too early, after ${read_bytes} bytes`);
  }
  return code.startsWith('Z_') ? new BraggError('foreign-file', 'its compressed data are damaged') : error;
}

/** Returns the first bytes of the unpacked file. Empty if the file is damaged, which its reader then reports. */
async function unpackedHead(file: string, bytes: number): Promise<Buffer> {
  const source = createReadStream(file, { end: 16 * 1024 });
  const unpacked = createGunzip();
  source.on('error', (error) => unpacked.destroy(error));
  source.pipe(unpacked);
  try {
    for await (const chunk of unpacked) return (chunk as Buffer).subarray(0, bytes);
  } catch {
    // Unpacking fails because `end` truncates the stream, or because the file is incomplete.
  } finally {
    source.destroy();
    unpacked.destroy();
  }
  return Buffer.alloc(0);
}

/** Unpacks a gzip file. Throws BraggError `foreign-file` if it is damaged, `memory` if it is too large. */
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

/**
 * Program that converts reports of Nsight Systems to SQLite databases, if it is installed. Their format is proprietary.
 */
const PROGRAM = process.platform === 'win32' ? 'nsys.exe' : 'nsys';
/** Limits for nsys. Converting a report of several hours needs minutes. */
const LIMITS = { time_ms: 1_800_000, memory_bytes: 2 ** 50, file_bytes: 2 ** 40, output_bytes: 2 ** 20 } as const;

/** Folders that NVIDIA's installers use. Each contains one folder per version. */
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
  // The newest version is last in alphabetical order, so reverse it.
  return folders.flatMap((places) => places.toSorted().reverse());
}

/** Returns the path of `nsys`. Null if it is not installed. */
export async function findNsys(environment: NodeJS.ProcessEnv = process.env): Promise<string | null> {
  return (
    findCudaTool('nsys', environment) ?? (await findInstalled(environment)).find((place) => existsSync(place)) ?? null
  );
}

/**
 * Converts a report to the database `target`. `folder`: temporary folder. Throws BraggError `foreign-file` with the
 * message of nsys.
 */
async function convertReport(file: string, target: string, folder: string): Promise<void> {
  const program = await findNsys();
  if (program === null) {
    throw new BraggError(
      'foreign-file',
      'the format of Nsight Systems is proprietary, and its program nsys was not found here: on a machine with nsys, run nsys export --type sqlite',
    );
  }
  // Uploaded files have no extension, but nsys requires this one.
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

type TraceFormat = 'json' | 'gzip' | 'sqlite' | 'run' | 'nsys';

const DATABASE = Buffer.from('SQLite format 3\0');
const SIGNATURES: readonly (readonly [TraceFormat, string])[] = [
  ['gzip', '1f8b'],
  ['sqlite', DATABASE.toString('hex')],
  ['run', '894844460d0a1a0a'],
];
/** Number of bytes that suffices for signatures and for the format name of a session. */
const HEAD_BYTES = 256;

const NSYS = /\.(nsys-rep|qdrep)$/i;

/** Names of related files that are not timelines, with advice on each. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/\.qdstrm$/i, 'it is a recording that Nsight Systems has not imported yet: run QdstrmImporter on it'],
  [/\.ncu-rep$/i, 'it is an Nsight Compute report, which has no timeline'],
  [/\.(pftrace|perfetto-trace|pb)$/i, 'it is a Perfetto trace in its native format: convert it with traceconv json'],
  [/\.zip$/i, 'it is a ZIP archive: unpack it first'],
];

const isDatabase = (head: Buffer): boolean => head.subarray(0, DATABASE.length).equals(DATABASE);

function formatOf(head: Buffer, name: string): TraceFormat {
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
      'it is not a timeline; allowed: Chrome Trace JSON, an SQLite export of Nsight Systems (both also .gz), an Nsight Systems report (.nsys-rep), a run (.h5, or .json for a measurement)',
  );
}

async function readHead(file: string, name: string): Promise<Buffer> {
  const handle = await openRegularFile(file, name);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Reads Chrome Trace JSON. If the first events use another clock than the recorded work, reads the file again with the
 * clock of the work.
 */
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
      progress({ read_bytes: source.bytesRead, total_bytes, spans: trace.spanCount });
    }
  } catch (error) {
    throw gzipError(error, source.bytesRead);
  } finally {
    source.destroy();
    chunks.destroy();
  }
  trace.end();
  const other = base_us === null ? trace.betterBase_us : null;
  return other === null ? trace.finish(name) : importChrome(file, name, packed, total_bytes, progress, other);
}

/** Prefixes errors in the content with the file's name. */
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
 * Opens a timeline. `name`: file name for messages. `scratch`: temporary folder, created on demand and removed
 * afterwards. Code that ends this thread early must remove it. Throws BraggError with one sentence that contains the
 * name.
 */
export async function openTrace(
  file: string,
  name: string,
  progress: (progress: ReadProgress) => void = () => undefined,
  scratch: string = scratchFolder(),
): Promise<Trace> {
  try {
    const { size } = await stat(file);
    const head = await readHead(file, name);
    const kind = await withFileName(name, () => formatOf(head, name));
    const reportProgress = (read_bytes: number, spans: number): void =>
      progress({ read_bytes, total_bytes: size, spans });
    const importDatabase = (from: string): Trace => importNsight(from, name, (spans) => reportProgress(0, spans));
    const made = path.join(scratch, 'made.sqlite');
    reportProgress(0, 0);
    // Errors from `readRun` already contain the file name, so it is called outside of `withFileName`.
    const run = kind === 'run' ? await readRun(await readRegularFile(file, name), name) : null;
    return await withFileName(name, async () => {
      if (run !== null) {
        const trace = importRun(timelineOf(run));
        if (spanCount(trace) > 0) return trace;
        throw new BraggError('foreign-file', 'no times were recorded');
      }
      switch (kind) {
        case 'sqlite':
          return importDatabase(file);
        case 'nsys':
          await mkdir(scratch, { mode: 0o700 });
          await convertReport(file, made, scratch);
          return importDatabase(made);
        case 'gzip':
          if (!isDatabase(await unpackedHead(file, HEAD_BYTES)))
            return await importChrome(file, name, true, size, progress);
          await mkdir(scratch, { mode: 0o700 });
          await unpack(file, made, (read_bytes) => reportProgress(read_bytes, 0));
          return importDatabase(made);
        default:
          return await importChrome(file, name, false, size, progress);
      }
    });
  } catch (error) {
    throw toFileError(error, name);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
