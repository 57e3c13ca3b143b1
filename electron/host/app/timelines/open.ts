/** Opens a file as a timeline, whatever it is: by its first bytes, not by its name. */
import { createReadStream, existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { createGunzip } from 'node:zlib';
import { BraggError } from '../../../contract/errors.ts';
import { fileError } from '../../io/files/errors.ts';
import { openPlain, readPlain } from '../../io/files/plain-file.ts';
import { ChromeImport } from '../../model/timeline/import/chrome.ts';
import { importNsight } from '../../model/timeline/import/nsight.ts';
import { importRun } from '../../model/timeline/import/run.ts';
import { spanCount, type Trace } from '../../model/timeline/trace.ts';
import { runContained } from '../../model/user-kernels/contained.ts';
import { readRun, sessionFileOf } from '../run-files/read.ts';
import { scratchFolder } from './scratch.ts';
import { timelineOf } from './timeline-of.ts';
import { gzipFault, unpack, unpackedHead } from './unpack.ts';

/** Reports of Nsight Systems in its own format: its program nsys makes a database of them, where it is installed. */
const PROGRAM = process.platform === 'win32' ? 'nsys.exe' : 'nsys';
/** Reports of hours take minutes. */
const LIMITS = { time_ms: 1_800_000, memory_bytes: 2 ** 50, file_bytes: 2 ** 40, output_bytes: 2 ** 20 } as const;

/** Folders of its installers, each with one folder for a version. */
function installers(environment: NodeJS.ProcessEnv): readonly string[] {
  if (process.platform !== 'win32') return ['/opt/nvidia/nsight-systems', '/opt/nvidia/nsight-systems-cli'];
  return [path.join(environment['ProgramFiles'] ?? 'C:\\Program Files', 'NVIDIA Corporation')];
}

async function installed(environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const within = process.platform === 'win32' ? 'target-windows-x64' : 'bin';
  const folders = await Promise.all(
    installers(environment).map(async (folder) =>
      (await readdir(folder).catch(() => [])).map((version) => path.join(folder, version, within, PROGRAM)),
    ),
  );
  // The newest version last in the alphabet.
  return folders.flatMap((places) => places.toSorted().reverse());
}

/** Path of `nsys`; null if it is not installed. */
export async function findNsys(environment: NodeJS.ProcessEnv = process.env): Promise<string | null> {
  const named = (environment['PATH'] ?? '').split(path.delimiter).filter((one) => one !== '');
  const cuda = [environment['CUDA_PATH'], environment['CUDA_HOME'], '/usr/local/cuda'];
  const homes = cuda.flatMap((home) => (home === undefined || home === '' ? [] : [path.join(home, 'bin')]));
  const places = [
    ...[...named, ...homes].map((folder) => path.join(folder, PROGRAM)),
    ...(await installed(environment)),
  ];
  return places.find((place) => existsSync(place)) ?? null;
}

/** Makes `target`, a database. `folder` is scratch. Throws BraggError `foreign-file` with what nsys says. */
async function convertReport(file: string, target: string, folder: string): Promise<void> {
  const program = await findNsys();
  if (program === null) {
    throw new BraggError(
      'foreign-file',
      'Nsight Systems keeps this format to itself, and its program nsys was not found here: where it is, run nsys export --type sqlite on it',
    );
  }
  // It goes by the ending; a file that came with the page has none.
  const report = path.join(folder, 'report.nsys-rep');
  await link(file, report).catch(() => copyFile(file, report));
  const args = ['export', '--type=sqlite', '--force-overwrite=true', `--output=${target}`, report];
  const { failed, output } = await runContained({ title: 'nsys', program, args, folder, limits: LIMITS });
  if (failed || !existsSync(target)) {
    const says = output.trim().replace(/\s+/g, ' ').slice(-300);
    throw new BraggError('foreign-file', `nsys could not convert it: ${says === '' ? 'it said nothing' : says}`);
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
const CHUNK_BYTES = 2 ** 20;
/** Enough for signatures, and for the name of a session's format. */
const HEAD_BYTES = 256;

const NSYS = /\.(nsys-rep|qdrep)$/i;

/** Files of programs near by, and what to do with them. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/\.qdstrm$/i, 'it is a recording that Nsight Systems has not imported: run QdstrmImporter on it'],
  [/\.ncu-rep$/i, 'it is a report of Nsight Compute, which has no timeline'],
  [/\.(pftrace|perfetto-trace|pb)$/i, 'it is a trace of Perfetto in its own format: convert it with traceconv json'],
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

async function importChrome(
  file: string,
  name: string,
  packed: boolean,
  total_bytes: number,
  progress: (progress: ReadProgress) => void,
): Promise<Trace> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const chunks = packed ? source.pipe(createGunzip({ chunkSize: CHUNK_BYTES })) : source;
  if (packed) source.on('error', (error) => chunks.destroy(error));
  const trace = new ChromeImport();
  try {
    for await (const chunk of chunks) {
      trace.push(chunk as Buffer);
      progress({ read_bytes: source.bytesRead, total_bytes, spans: trace.spans });
    }
  } catch (error) {
    throw gzipFault(error, source.bytesRead);
  } finally {
    source.destroy();
    chunks.destroy();
  }
  return trace.finish(name);
}

/** A run of any workload; a measurement is JSON. */
async function importRunFile(file: string, name: string): Promise<Trace> {
  // The library for HDF5 takes its time to load; only runs need it.
  const trace = importRun(timelineOf(await readRun(await readPlain(file, name), name)));
  if (spanCount(trace) === 0) throw new BraggError('foreign-file', 'nothing of its time was recorded');
  return trace;
}

/**
 * `name` is the file as the user knows it. `scratch` is made where it is needed, and gone afterwards: who ends this
 * thread on its way removes it. Throws BraggError with one sentence that names the file.
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
    const kind = kindOf(head, name);
    const at = (read_bytes: number, spans: number): void => progress({ read_bytes, total_bytes: size, spans });
    const database = (from: string): Trace => importNsight(from, name, (spans) => at(0, spans));
    const made = path.join(scratch, 'made.sqlite');
    at(0, 0);
    switch (kind) {
      case 'sqlite':
        return database(file);
      case 'nsys':
        await mkdir(scratch, { mode: 0o700 });
        await convertReport(file, made, scratch);
        return database(made);
      case 'run':
        return await importRunFile(file, name);
      case 'gzip':
        if (!isDatabase(await unpackedHead(file, HEAD_BYTES)))
          return await importChrome(file, name, true, size, progress);
        await mkdir(scratch, { mode: 0o700 });
        await unpack(file, made, (read_bytes) => at(read_bytes, 0));
        return database(made);
      default:
        return await importChrome(file, name, false, size, progress);
    }
  } catch (error) {
    if (error instanceof BraggError && (error.code === 'foreign-file' || error.code === 'memory')) {
      if (error.message.startsWith(name)) throw error;
      throw new BraggError(error.code, `${name} cannot be opened as a timeline: ${error.message}.`, [], {
        cause: error,
      });
    }
    throw fileError(error, name);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
