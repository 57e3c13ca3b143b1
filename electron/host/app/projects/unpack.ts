/**
 * Unpacks a project, on a thread. What is in the archive is from somebody else: names lead nowhere out of the library,
 * contents are those of the manifest, and nothing that is there is written over.
 */
import { createHash } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import {
  type Came,
  type ProjectManifest,
  type ProjectPart,
  projectManifestSchema,
} from '../../../contract/projects/project.ts';
import { timelineNotesSchema } from '../../../contract/projects/timeline-notes.ts';
import { studyIdSchema } from '../../../contract/study/calls.ts';
import { type PlanHead, type PointResult, planHeadSchema, pointResultSchema } from '../../../contract/study/index.ts';
import { studyViewsSchema } from '../../../contract/study/views.ts';
import { MOST_ENTRIES, unpackZip } from '../../io/archive/zip.ts';
import { aside } from '../../io/aside/task.ts';
import { checkKey } from '../../io/files/library.ts';
import { readPlain } from '../../io/files/plain-file.ts';
import { writeAtomically } from '../../io/files/write-file.ts';
import { isStudyFolder, StudyFolder } from '../../model/studies/folder.ts';
import { writeViews } from '../../model/studies/views.ts';
import { NOTES_ENDING, NOTES_FOLDER, notesFileSchema } from '../timelines/notes.ts';

interface UnpackRequest {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly library: string;
}

/** Four times what may be packed: results of studies are text. */
const MOST_BYTES = 4 * 2 ** 30;
const MOST_OF_A_NAME = 999;

type Entries = ReadonlyMap<string, Uint8Array>;

const text = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes);

function parsed<T>(bytes: Uint8Array | undefined, parse: (value: unknown) => T, what: string): T {
  try {
    if (bytes === undefined) throw new Error('it is missing');
    return parse(JSON.parse(text(bytes)));
  } catch (error) {
    throw new BraggError('foreign-file', `${what} is damaged, or of a newer version.`, [], { cause: error });
  }
}

function manifestOf(entries: Entries, name: string): ProjectManifest {
  if (!entries.has('project.json'))
    throw new BraggError('foreign-file', `${name} is no project: there is no project.json in it.`);
  const manifest = parsed(
    entries.get('project.json'),
    (value) => projectManifestSchema.parse(value),
    `${name}: project.json`,
  );
  for (const { path: at, sha256 } of manifest.entries) {
    const bytes = entries.get(at);
    if (bytes === undefined || createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw new BraggError('foreign-file', `${name} is damaged: ${at} is not what project.json says.`);
  }
  return manifest;
}

/** A path within a folder, each part a plain name. Throws BraggError `foreign-file`. */
function within(folder: string, name: string, what: string): string {
  const parts = name.split(/[/\\]/);
  if (parts.some((part) => part === '' || part === '.' || part === '..' || /[<>:"|?*\p{Cc}]/u.test(part)))
    throw new BraggError(
      'foreign-file',
      `${what} holds a file named ${JSON.stringify(name)}, which is no place in a folder.`,
    );
  return path.join(folder, ...parts);
}

/** Nothing in the library's own folders is a file beside a scenario, nor is what is hidden. */
function besidePlace(library: string, name: string): string {
  const parts = name.split(/[/\\]/);
  if ([NOTES_FOLDER, 'studies'].includes(parts[0] ?? '') || parts.some((part) => part.startsWith('.')))
    throw new BraggError(
      'foreign-file',
      `The project holds a file named ${JSON.stringify(name)}, which no scenario names.`,
    );
  return within(library, name, 'the project');
}

const contentAt = (file: string): Promise<Buffer | null> => readPlain(file).catch(() => null);

/** Under its name, or with a number where another file has that. */
async function placeFile(folder: string, name: string, bytes: Uint8Array): Promise<Pick<Came, 'as' | 'how'>> {
  const ending = /(\.session|\.task)?\.[^.]+$/i.exec(name)?.[0] ?? '';
  const stem = name.slice(0, name.length - ending.length);
  for (let i = 1; i <= MOST_OF_A_NAME; i += 1) {
    const called = i === 1 ? name : `${stem} ${i}${ending}`;
    const file = within(folder, called, 'the project');
    const there = await contentAt(file);
    if (there?.equals(bytes) === true) return { as: called, how: 'there' };
    if (there !== null) continue;
    await mkdir(path.dirname(file), { recursive: true });
    await writeAtomically(file, bytes, 'refuse');
    return { as: called, how: 'new' };
  }
  throw new BraggError('exists', `There are ${MOST_OF_A_NAME} other files named ${name}.`);
}

/** Scenarios name it: it has this name or does not come. */
async function placeBeside(folder: string, name: string, bytes: Uint8Array): Promise<Pick<Came, 'as' | 'how'>> {
  const file = besidePlace(folder, name);
  const there = await contentAt(file);
  if (there !== null) return { as: name, how: there.equals(bytes) ? 'there' : 'kept' };
  await mkdir(path.dirname(file), { recursive: true });
  await writeAtomically(file, bytes, 'refuse');
  return { as: name, how: 'new' };
}

/** Notes of both sides stay. */
async function placeNotes(folder: string, name: string, bytes: Uint8Array): Promise<Pick<Came, 'as' | 'how'>> {
  if (!new RegExp(`^[0-9a-f]{24}\\${NOTES_ENDING}$`).test(name))
    throw new BraggError('foreign-file', `The project holds notes named ${JSON.stringify(name)}, as none are.`);
  const came = parsed(bytes, (value) => notesFileSchema.parse(value), name);
  const file = path.join(folder, NOTES_FOLDER, name);
  const before = await contentAt(file);
  const mine = before === null ? [] : parsed(before, (value) => notesFileSchema.parse(value), file).notes;
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
  const head = parsed(files.get('plan.json'), (value) => planHeadSchema.parse(value), `${what}: plan.json`);
  const lines = files.get('points.jsonl');
  if (lines === undefined || createHash('sha256').update(lines).digest('hex') !== head.sha256)
    throw new BraggError('foreign-file', `${what}: points.jsonl is not what its plan says.`);
  const results = text(files.get('results.jsonl') ?? new Uint8Array())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) =>
      parsed(
        new TextEncoder().encode(line),
        (value) => pointResultSchema.parse(value) as PointResult,
        `${what}: a result`,
      ),
    );
  return { head, lines, results, files };
}

/** Beside itself first, so that a study is there whole or not at all. */
async function writeStudy(folder: string, { head, lines, results, files }: StudyParts): Promise<void> {
  const part = `${folder}.part`;
  await rm(part, { recursive: true, force: true });
  await mkdir(part, { recursive: true });
  for (const [name, bytes] of files) {
    if (!name.startsWith('beside/')) continue;
    const file = within(part, name, 'the study');
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
  for (const result of results) await opened.write(result);
  const views = files.get('views.json');
  if (views !== undefined)
    await writeViews(
      part,
      parsed(views, (value) => studyViewsSchema.parse(value), 'its views'),
    );
  const best = files.get('best.json');
  if (best !== undefined) await writeAtomically(path.join(part, 'best.json'), best, 'refuse');
  await rename(part, folder);
}

/** The same plan takes up what it lacks; another study of the name gets a number. */
async function placeStudy(library: string, id: string, study: StudyParts): Promise<Pick<Came, 'as' | 'how'>> {
  for (let i = 1; i <= MOST_OF_A_NAME; i += 1) {
    const called = i === 1 ? id : `${id} ${i}`;
    const folder = path.join(library, 'studies', `${called}.study`);
    if (!(await isStudyFolder(folder))) {
      await writeStudy(folder, study);
      return { as: called, how: 'new' };
    }
    const there = await StudyFolder.open(folder);
    if (there.head.sha256 !== study.head.sha256) continue;
    const ended = await there.ended();
    for (const result of study.results) if (ended.get(result.id) !== 'done') await there.write(result);
    return { as: called, how: 'there' };
  }
  throw new BraggError('exists', `There are ${MOST_OF_A_NAME} other studies named ${id}.`);
}

export const unpackProject = aside(
  'unpack a project',
  async ({ name, bytes, library }: UnpackRequest): Promise<{ name: string; came: readonly Came[] }> => {
    const entries = unpackZip(bytes, name, { bytes: MOST_BYTES, entries: MOST_ENTRIES });
    const manifest = manifestOf(entries, name);
    const of = (part: ProjectPart) => manifest.entries.filter((entry) => entry.part === part);
    const bytesOf = (at: string): Uint8Array => entries.get(at) ?? new Uint8Array();
    const studies = Map.groupBy(of('study'), (entry) => entry.name.split(/[/\\]/)[0] ?? '');
    // Everything is looked at before anything is written.
    const read = [...studies].map(([id, files]) => {
      if (!studyIdSchema.safeParse(id).success)
        throw new BraggError('foreign-file', `${name} holds a study named ${JSON.stringify(id)}, as none is.`);
      const inside = files.map((entry) => [entry.name.split(/[/\\]/).slice(1).join('/'), bytesOf(entry.path)] as const);
      return { id, study: studyOf(id, new Map(inside)) };
    });
    for (const part of ['scenario', 'run', 'session'] as const) for (const entry of of(part)) checkKey(entry.name);
    for (const entry of of('beside')) besidePlace(library, entry.name);
    const came: Came[] = [];
    await mkdir(library, { recursive: true });
    for (const entry of of('beside'))
      came.push({ part: 'beside', name: entry.name, ...(await placeBeside(library, entry.name, bytesOf(entry.path))) });
    for (const part of ['scenario', 'run', 'session'] as const)
      for (const entry of of(part))
        came.push({ part, name: entry.name, ...(await placeFile(library, entry.name, bytesOf(entry.path))) });
    for (const { id, study } of read) came.push({ part: 'study', name: id, ...(await placeStudy(library, id, study)) });
    for (const entry of of('notes'))
      came.push({ part: 'notes', name: entry.name, ...(await placeNotes(library, entry.name, bytesOf(entry.path))) });
    return { name: manifest.name, came };
  },
);
