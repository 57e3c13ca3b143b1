/**
 * Unpacks a project on a worker thread. The archive is not trusted: names and links must not lead out of the library,
 * and contents must match the manifest. No existing file is replaced.
 */
import { createHash } from 'node:crypto';
import { lstat, mkdir, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import {
  type ProjectManifest,
  type ProjectPart,
  projectManifestSchema,
  type UnpackedPart,
} from '../../../contract/projects/project.ts';
import { timelineNotesSchema } from '../../../contract/projects/timeline-notes.ts';
import { studyIdSchema, studyViewsSchema } from '../../../contract/study/calls.ts';
import { type PlanHead, type PointResult, planHeadSchema, pointResultSchema } from '../../../contract/study/index.ts';
import { ZipArchive } from '../../io/archive/zip.ts';
import { checkKey, splitCheckedPath } from '../../io/files/library.ts';
import { readRegularFile } from '../../io/files/plain-file.ts';
import { writeAtomically } from '../../io/files/write-file.ts';
import { defineThreadTask } from '../../io/threads/task.ts';
import { isStudyFolder, StudyFolder } from '../../model/studies/folder.ts';
import { writeViews } from '../../model/studies/folder-state.ts';
import { NOTES_ENDING, NOTES_FOLDER, notesFileSchema } from '../timelines/notes.ts';

interface UnpackRequest {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly library: string;
}

const MAX_NAME_LENGTH = 999;
/**
 * Folders of the library that must not receive data files of scenarios, in lower case, because Windows and macOS ignore
 * case.
 */
const RESERVED_NAMES = new Set([NOTES_FOLDER, 'studies']);

type Entries = ReadonlyMap<string, Uint8Array>;

const decodeText = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes);

function parseEntry<T>(bytes: Uint8Array | undefined, parse: (value: unknown) => T, what: string): T {
  try {
    if (bytes === undefined) throw new Error('it is missing');
    return parse(JSON.parse(decodeText(bytes)));
  } catch (error) {
    throw new BraggError('foreign-file', `${what} is damaged, or from a newer version.`, [], { cause: error });
  }
}

function manifestOf(archive: ZipArchive, name: string): ProjectManifest {
  const refuse = (why: string): BraggError => new BraggError('foreign-file', `${name} ${why}`);
  if (!archive.has('project.json')) throw refuse('is not a project: it contains no project.json.');
  const manifest = parseEntry(
    archive.read(new Set(['project.json'])).get('project.json'),
    (value) => projectManifestSchema.parse(value),
    `${name}: project.json`,
  );
  // Each archive entry may be used only once, because otherwise a small archive could fill a disk.
  const seen = new Set<string>();
  for (const { part, path: at, name: called } of manifest.entries) {
    for (const key of [`at ${at}`, `${part} ${called}`]) {
      if (seen.has(key)) throw refuse(`is damaged: project.json lists ${JSON.stringify(called)} twice.`);
      seen.add(key);
    }
  }
  return manifest;
}

function entriesOf(archive: ZipArchive, manifest: ProjectManifest, name: string): Entries {
  const entries = archive.read(new Set(manifest.entries.map(({ path: at }) => at)));
  for (const { path: at, sha256 } of manifest.entries) {
    const bytes = entries.get(at);
    if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw new BraggError('foreign-file', `${name} is damaged: ${at} does not match project.json.`);
  }
  return entries;
}

/** Path of a scenario's data file in the library. Throws BraggError if the path is in a reserved folder. */
function dataFilePath(library: string, name: string): string {
  const parts = splitCheckedPath(name);
  if (RESERVED_NAMES.has((parts[0] ?? '').normalize('NFC').toLowerCase()))
    throw new BraggError('foreign-file', `The project contains a file ${JSON.stringify(name)} that no scenario uses.`);
  return path.join(library, ...parts);
}

/** Rejects a path that leads out of the folder through a link. Checks the nearest parent folder that exists. */
async function checkInside(folder: string, file: string): Promise<void> {
  let above = path.dirname(file);
  while (above !== folder && (await lstat(above).catch(() => null)) === null) above = path.dirname(above);
  const [root, real] = await Promise.all([folder, above].map((each) => realpath(each).catch(() => null)));
  if (above === folder || (root != null && real?.startsWith(`${root}${path.sep}`))) return;
  throw new BraggError(
    'foreign-file',
    `${file} is behind a link to a location outside of ${folder}; nothing is written there.`,
  );
}

/**
 * Reads a file if it has this length. Returns an empty array for another length, and null if there is no regular file.
 */
async function contentAt(file: string, length: number): Promise<Uint8Array | null> {
  const size = await stat(file).then(
    (found) => (found.isFile() ? found.size : null),
    () => null,
  );
  if (size === null) return null;
  return size === length ? readRegularFile(file).catch(() => null) : new Uint8Array();
}

/** Writes new files, and removes them again if the project cannot be unpacked completely. */
class ProjectWriter {
  readonly #written: string[] = [];
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Writes a new file. Throws the reason of the abort signal after a cancellation. */
  async file(file: string, bytes: Uint8Array): Promise<void> {
    this.#signal.throwIfAborted();
    await mkdir(path.dirname(file), { recursive: true });
    await writeAtomically(file, bytes, 'refuse');
    this.#written.push(file);
  }

  /** Records that a complete folder was created. */
  folder(folder: string): void {
    this.#written.push(folder);
  }

  async removeWritten(): Promise<void> {
    for (const file of this.#written) await rm(file, { recursive: true, force: true });
  }
}

/** Writes a file under its name, with a number added if another file has that name. */
async function placeFile(
  placing: ProjectWriter,
  folder: string,
  name: string,
  bytes: Uint8Array,
): Promise<Pick<UnpackedPart, 'as' | 'how'>> {
  const ending = /(\.session|\.task)?\.[^.]+$/i.exec(name)?.[0] ?? '';
  const stem = name.slice(0, name.length - ending.length);
  for (let i = 1; i <= MAX_NAME_LENGTH; i += 1) {
    const called = i === 1 ? name : `${stem} ${i}${ending}`;
    const file = path.join(folder, called);
    const there = await contentAt(file, bytes.length);
    if (there !== null && Buffer.compare(there, bytes) === 0) return { as: called, how: 'there' };
    if (there !== null) continue;
    await placing.file(file, bytes);
    return { as: called, how: 'new' };
  }
  throw new BraggError(
    'exists',
    `The library already has ${MAX_NAME_LENGTH} files named ${name} with a number. Rename or delete some.`,
  );
}

/**
 * Writes a data file, unless one exists at its path. It cannot get another name, because scenarios refer to it by name.
 */
async function placeDataFile(
  placing: ProjectWriter,
  folder: string,
  name: string,
  bytes: Uint8Array,
): Promise<Pick<UnpackedPart, 'as' | 'how'>> {
  const file = dataFilePath(folder, name);
  const there = await contentAt(file, bytes.length);
  if (there !== null) return { as: name, how: Buffer.compare(there, bytes) === 0 ? 'there' : 'kept' };
  await checkInside(folder, file);
  await placing.file(file, bytes);
  return { as: name, how: 'new' };
}

/**
 * Returns the name of the folder for a problem. If another problem has this name, a number is added, so that their
 * candidates stay separate.
 */
async function problemFolder(library: string, folder: string, document: UnpackedPart['name'], bytes: Uint8Array) {
  for (let i = 1; i <= MAX_NAME_LENGTH; i += 1) {
    const called = i === 1 ? folder : `${folder} ${i}`;
    const there = await contentAt(path.join(library, called, document), bytes.length);
    const isFree = there === null && (await lstat(path.join(library, called)).catch(() => null)) === null;
    if (isFree || (there !== null && Buffer.compare(there, bytes) === 0)) return called;
  }
  throw new BraggError(
    'exists',
    `The library already has ${MAX_NAME_LENGTH} folders named ${folder} with a number. Rename or delete some.`,
  );
}

/** Writes notes, or merges them with existing notes of the same name. */
async function placeNotes(folder: string, name: string, bytes: Uint8Array): Promise<Pick<UnpackedPart, 'as' | 'how'>> {
  if (!new RegExp(`^[0-9a-f]{24}\\${NOTES_ENDING}$`).test(name))
    throw new BraggError('foreign-file', `The project contains notes with the invalid name ${JSON.stringify(name)}.`);
  const came = parseEntry(bytes, (value) => notesFileSchema.parse(value), name);
  const file = path.join(folder, NOTES_FOLDER, name);
  const before = await readRegularFile(file).catch(() => null);
  const mine = before === null ? [] : parseEntry(before, (value) => notesFileSchema.parse(value), file).notes;
  const known = new Set(mine.map((note) => JSON.stringify(note)));
  const more = came.notes.filter((note) => !known.has(JSON.stringify(note)));
  if (more.length === 0) return { as: name, how: 'there' };
  const notes = timelineNotesSchema.parse([...mine, ...more].toSorted((a, b) => a.from_ns - b.from_ns));
  await mkdir(path.dirname(file), { recursive: true });
  await writeAtomically(file, `${JSON.stringify({ ...came, notes }, null, 2)}\n`, 'replace');
  return { as: name, how: before === null ? 'new' : 'there' };
}

interface StudyParts {
  readonly head: PlanHead;
  readonly lines: Uint8Array;
  readonly results: readonly PointResult[];
  readonly files: ReadonlyMap<string, Uint8Array>;
}

function studyOf(id: string, files: ReadonlyMap<string, Uint8Array>): StudyParts {
  const what = `the study ${id}`;
  const head = parseEntry(files.get('plan.json'), (value) => planHeadSchema.parse(value), `${what}: plan.json`);
  const lines = files.get('points.jsonl');
  if (lines === undefined || createHash('sha256').update(lines).digest('hex') !== head.sha256)
    throw new BraggError('foreign-file', `${what}: points.jsonl does not match the plan.`);
  const results = decodeText(files.get('results.jsonl') ?? new Uint8Array())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) =>
      parseEntry(
        new TextEncoder().encode(line),
        (value) => pointResultSchema.parse(value) as PointResult,
        `${what}: a result`,
      ),
    );
  return { head, lines, results, files };
}

/** Writes a study into a temporary folder and then renames the folder, so that a partial study never exists. */
async function writeStudy(folder: string, { head, lines, results, files }: StudyParts): Promise<void> {
  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  for (const [name, bytes] of files) {
    if (!name.startsWith('beside/')) continue;
    const file = path.join(part, ...splitCheckedPath(name));
    await mkdir(path.dirname(file), { recursive: true });
    await writeAtomically(file, bytes, 'refuse');
  }
  const bases = head.bases.map((base, i) => ({
    ...base,
    folder: [...files.keys()].some((name) => name.startsWith(`beside/${i}/`))
      ? path.join(folder, 'beside', String(i))
      : null,
  }));
  await writeAtomically(path.join(part, 'points.jsonl'), lines, 'refuse');
  await writeAtomically(path.join(part, 'plan.json'), `${JSON.stringify({ ...head, bases }, null, 2)}\n`, 'refuse');
  const opened = await StudyFolder.open(part);
  for (const result of results) await opened.writeResult(result);
  const views = files.get('views.json');
  if (views !== undefined)
    await writeViews(
      part,
      parseEntry(views, (value) => studyViewsSchema.parse(value), 'its views'),
    );
  const best = files.get('best.json');
  if (best !== undefined) await writeAtomically(path.join(part, 'best.json'), best, 'refuse');
  await rename(part, folder);
}

/**
 * Writes a study. If a study with the same plan exists, only missing results are added. If a different study has its
 * name, a number is added.
 */
async function placeStudy(
  placing: ProjectWriter,
  library: string,
  id: string,
  study: StudyParts,
): Promise<Pick<UnpackedPart, 'as' | 'how'>> {
  for (let i = 1; i <= MAX_NAME_LENGTH; i += 1) {
    const called = i === 1 ? id : `${id} ${i}`;
    const folder = path.join(library, 'studies', `${called}.study`);
    if (!(await isStudyFolder(folder))) {
      await writeStudy(folder, study);
      placing.folder(folder);
      return { as: called, how: 'new' };
    }
    const there = await StudyFolder.open(folder);
    if (there.head.sha256 !== study.head.sha256) continue;
    const ended = await there.finishedPoints();
    for (const result of study.results) if (ended.get(result.id) !== 'done') await there.writeResult(result);
    return { as: called, how: 'there' };
  }
  throw new BraggError(
    'exists',
    `The library already has ${MAX_NAME_LENGTH} studies named ${id} with a number. Rename or delete some.`,
  );
}

export const unpackProject = defineThreadTask(
  'unpack a project',
  async (
    { name, bytes, library }: UnpackRequest,
    signal: AbortSignal,
  ): Promise<{ name: string; came: readonly UnpackedPart[] }> => {
    const archive = new ZipArchive(bytes, name);
    const manifest = manifestOf(archive, name);
    const of = (part: ProjectPart) => manifest.entries.filter((entry) => entry.part === part);
    // Check all names before unpacking, and read everything before writing.
    for (const part of ['scenario', 'run', 'session'] as const) for (const entry of of(part)) checkKey(entry.name);
    for (const entry of of('beside')) dataFilePath(library, entry.name);
    const entries = entriesOf(archive, manifest, name);
    const bytesOf = (at: string): Uint8Array => entries.get(at) ?? new Uint8Array();
    const studies = Map.groupBy(of('study'), (entry) => entry.name.split('/')[0] ?? '');
    const read = [...studies].map(([id, files]) => {
      if (!studyIdSchema.safeParse(id).success)
        throw new BraggError('foreign-file', `${name} contains a study with the invalid name ${JSON.stringify(id)}.`);
      const inside = files.map((entry) => [entry.name.split('/').slice(1).join('/'), bytesOf(entry.path)] as const);
      for (const [file] of inside) splitCheckedPath(file);
      return { id, study: studyOf(id, new Map(inside)) };
    });
    const came: UnpackedPart[] = [];
    const placing = new ProjectWriter(signal);
    try {
      await mkdir(library, { recursive: true });
      const folders = new Map<string, string>();
      for (const { name: called, path: at } of of('beside')) {
        const [, folder, document] = /^([^/]+)\/(problem\.(?:json|ya?ml))$/.exec(called) ?? [];
        if (folder !== undefined && document !== undefined)
          folders.set(folder, await problemFolder(library, folder, document, bytesOf(at)));
      }
      for (const { part, name: called, path: at } of of('beside')) {
        const [folder = '', ...rest] = called.split('/');
        const here = rest.length === 0 ? called : [folders.get(folder) ?? folder, ...rest].join('/');
        came.push({ part, name: called, ...(await placeDataFile(placing, library, here, bytesOf(at))) });
      }
      for (const kind of ['scenario', 'run', 'session'] as const)
        for (const { part, name: called, path: at } of of(kind))
          came.push({ part, name: called, ...(await placeFile(placing, library, called, bytesOf(at))) });
      for (const { id, study } of read) {
        signal.throwIfAborted();
        came.push({ part: 'study', name: id, ...(await placeStudy(placing, library, id, study)) });
      }
      for (const { part, name: called, path: at } of of('notes'))
        came.push({ part, name: called, ...(await placeNotes(library, called, bytesOf(at))) });
    } catch (error) {
      await placing.removeWritten();
      throw error;
    }
    return { name: manifest.name, came };
  },
);
