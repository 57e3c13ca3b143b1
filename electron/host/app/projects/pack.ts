/** Packs files, studies and notes into one archive on a worker thread. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { PROJECT_FORMAT, type ProjectManifest, type ProjectPart } from '../../../contract/projects/project.ts';
import { validateScenario, valueAt } from '../../../contract/scenario/index.ts';
import { USER_PROBLEM } from '../../../contract/scenario/user-problem/index.ts';
import type { PlanHead } from '../../../contract/study/index.ts';
import { parseConfigured, variantOfLabel } from '../../../contract/tuning/configured.ts';
import { isUserKernelFile, USER_KERNEL_TEXT_MAX } from '../../../contract/user-kernels.ts';
import { packZip } from '../../io/archive/zip.ts';
import { isReadableFile } from '../../io/files/access.ts';
import { splitCheckedPath } from '../../io/files/library.ts';
import { readRegularFileUpTo, toFileError } from '../../io/files/plain-file.ts';
import { parseJson } from '../../io/text/json.ts';
import { parseYaml, plainValue } from '../../io/text/source.ts';
import { defineThreadTask } from '../../io/threads/task.ts';
import { linesText, StudyFolder } from '../../model/studies/folder.ts';
import { readViews, viewsText } from '../../model/studies/folder-state.ts';
import { descriptionFile } from '../../model/user-kernels/file.ts';
import { expandIncludes } from '../../model/user-kernels/includes.ts';
import { candidateFiles, problemFileIn, readProblemFolder } from '../../model/user-kernels/problem-folder.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { kindOf } from '../library/facts.ts';
import { NOTES_ENDING } from '../timelines/notes.ts';

// The next functions find the files of a user kernel in its folder. The recipient of a project must trust them again.

/** Returns the name of the code file if `variant` is a user kernel. Null for a shipped variant. */
function kernelFileOf(variant: unknown): string | null {
  if (typeof variant !== 'string') return null;
  const id = parseConfigured(variant)?.variant ?? variantOfLabel(variant);
  return isUserKernelFile(id) ? id : null;
}

/** Names of a kernel's code, description and included files in the folder. Empty if the code is missing. */
async function kernelFiles(id: string, folder: string): Promise<readonly string[]> {
  const file = path.join(folder, id);
  const code = await textAt(file);
  if (code === null) return [];
  // Code with forbidden includes does not compile anyway, so do not pack its includes.
  const { included } = await expandIncludes(file, code).catch(() => ({ included: [] }));
  // Candidates of a problem share the description of the problem.
  const described = problemFileIn(folder) === null ? [descriptionFile(id)] : [];
  return [id, ...described, ...included.map(({ name }) => name)];
}

/** Names of the files in a problem folder: document, reference and all candidates. Empty for other folders. */
async function problemFiles(folder: string): Promise<readonly string[]> {
  const problem = await readProblemFolder(folder);
  if (problem === null) return [];
  const codes = [problem.definition.reference, ...(await candidateFiles(problem))];
  const files = await Promise.all(codes.map((code) => kernelFiles(code, folder)));
  return [path.basename(problem.file), ...files.flat()];
}

const textAt = async (file: string): Promise<string | null> =>
  (await readRegularFileUpTo(file, USER_KERNEL_TEXT_MAX).catch(() => null))?.toString('utf8') ?? null;

export interface PackedFile {
  readonly name: string;
  /** Path on this machine, or the content itself. */
  readonly from: string | Uint8Array;
  /** Base folder of the files that the content references. Needed only if `from` is not a path. */
  readonly folder?: string | undefined;
}

export interface PackRequest {
  readonly name: string;
  readonly program: string;
  readonly files: readonly PackedFile[];
  /** Folders of studies with their names in the project. */
  readonly studies: readonly { readonly name: string; readonly folder: string }[];
  /** Folder of notes on timelines. Null if none are packed. */
  readonly notesFolder: string | null;
}

/** Maximum size of an archive in bytes. It fits into one transfer to a page and needs no ZIP64. */
const MAX_BYTES = 2 ** 30;

const FOLDERS: Readonly<Record<ProjectPart, string>> = {
  scenario: 'scenarios',
  run: 'runs',
  session: 'sessions',
  study: 'studies',
  notes: 'notes',
  beside: 'beside',
};

class ProjectPacker {
  readonly #entries = new Map<string, { readonly bytes: Uint8Array; readonly packed: boolean }>();
  readonly #manifestEntries: ProjectManifest['entries'][number][] = [];
  #bytes = 0;

  /** Adds a file. Equal content is stored once; different content under an existing name gets a number. */
  add(part: ProjectPart, name: string, bytes: Uint8Array): void {
    // Check the name here, where the user can still rename the file, instead of only when unpacking.
    if (part === 'beside') splitCheckedPath(name);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { dir, name: stem, ext } = path.posix.parse(name);
    for (let i = 1; ; i += 1) {
      const called = i === 1 ? name : path.posix.join(dir, `${stem} ${i}${ext}`);
      const known = this.#manifestEntries.find((one) => one.part === part && one.name === called);
      if (known?.sha256 === sha256) return;
      if (known !== undefined) continue;
      this.#bytes += bytes.length;
      if (this.#bytes > MAX_BYTES)
        throw new BraggError('unsupported', `A project can have at most ${MAX_BYTES / 2 ** 20} MiB. Pack fewer runs.`);
      const at = `${FOLDERS[part]}/${called}`;
      this.#entries.set(at, { bytes, packed: /\.(h5|gz|zip|png)$/i.test(called) });
      this.#manifestEntries.push({ part, path: at, name: called, bytes: bytes.length, sha256 });
      return;
    }
  }

  whole(name: string, program: string): Uint8Array {
    const created = new Date().toISOString();
    const manifest = { format: PROJECT_FORMAT, version: 1, name, created, program, entries: this.#manifestEntries };
    const text = new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`);
    return packZip(new Map([['project.json', { bytes: text, packed: false }], ...this.#entries]));
  }
}

async function readPackedFile(file: string): Promise<Uint8Array> {
  const bytes = await readRegularFileUpTo(file, MAX_BYTES).catch((error: unknown) => {
    throw toFileError(error, file);
  });
  if (bytes === null) throw new BraggError('unsupported', `${file} is too large for a project.`);
  return bytes;
}

/** Reads the files that a scenario uses in its folder, including user kernels. Files elsewhere are not packed. */
async function companionFilesOf(
  document: unknown,
  folder: string,
  variants: readonly unknown[] = [],
): Promise<readonly (readonly [string, Uint8Array])[]> {
  const { filled } = validateScenario(document);
  const data = filled === null ? [] : hostWorkloads[filled.kind].scenario.files(filled);
  const named = [valueAt(document, ['solver', 'variant']), ...variants].flatMap((one) => kernelFileOf(one) ?? []);
  const kernels = await Promise.all([...new Set(named)].map((id) => kernelFiles(id, folder)));
  const problem = filled?.kind === USER_PROBLEM ? await problemFiles(folder) : [];
  const names = [...new Set([...data, ...problem, ...kernels.flat()])];
  const found = names.map(async (name): Promise<readonly (readonly [string, Uint8Array])[]> => {
    const full = path.resolve(folder, name);
    const inside = path.relative(folder, full);
    if (inside === '' || inside.startsWith('..') || path.isAbsolute(inside)) return [];
    // Missing files are skipped.
    const bytes = await readPackedFile(full).catch(() => null);
    return bytes === null ? [] : [[inside.split(path.sep).join('/'), bytes]];
  });
  return (await Promise.all(found)).flat();
}

const encodeText = (written: string): Uint8Array => new TextEncoder().encode(written);

async function addStudy(packing: ProjectPacker, name: string, at: string): Promise<void> {
  const folder = await StudyFolder.open(at);
  const add = (file: string, bytes: Uint8Array): void => packing.add('study', path.posix.join(name, file), bytes);
  const lines = await folder.readLines();
  for (const [i, base] of folder.head.bases.entries()) {
    if (base.folder === null) continue;
    const variants = lines
      .filter((line) => line.base === i)
      .flatMap(({ settings }) => settings.map(({ value }) => value));
    for (const [file, bytes] of await companionFilesOf(base.document, base.folder, variants))
      add(path.posix.join('beside', `${i}`, file), bytes);
  }
  // The folder is valid only on this machine; unpacking sets it again.
  const head: PlanHead = {
    ...folder.head,
    bases: folder.head.bases.map((base) => ({ ...base, folder: null })),
  };
  add('plan.json', encodeText(`${JSON.stringify(head, null, 2)}\n`));
  add('points.jsonl', encodeText(linesText(lines)));
  // Write all results into one file, because an archive can contain fewer files than a study has points.
  const results: string[] = [];
  for (const [id, state] of await folder.finishedPoints()) {
    const result = await folder.readResult(id, state);
    if (result !== null) results.push(`${JSON.stringify(result)}\n`);
  }
  add('results.jsonl', encodeText(results.join('')));
  const views = await readViews(at);
  if (views.length > 0) add('views.json', encodeText(viewsText(views)));
  const best = await readPackedFile(path.join(at, 'best.json')).catch(() => null);
  if (best !== null) add('best.json', best);
}

/** Returns the code file of a user kernel, given its code or its description. Null for other files. */
async function codeFileOf(name: string, file: string): Promise<string | null> {
  if (isUserKernelFile(name)) return name;
  if (!name.endsWith('.json')) return null;
  const { root } = parseJson(new TextDecoder().decode(await readPackedFile(file)));
  const document = root === null ? null : plainValue(root);
  if (typeof document !== 'object' || document === null || Reflect.get(document, 'kind') !== 'variant') return null;
  const codes = ['.cu', '.cpp'].map((ending) => name.replace(/\.json$/, ending));
  for (const code of codes) if (await isReadableFile(path.join(path.dirname(file), path.basename(code)))) return code;
  return null;
}

/**
 * Adds a scenario with the files that it names. A problem is packed as a folder. In the library's own folder, every
 * user kernel would become a candidate.
 */
async function addScenario(packing: ProjectPacker, { name, from, folder }: PackedFile, problems: Map<string, string>) {
  const bytes = typeof from === 'string' ? await readPackedFile(from) : from;
  const beside = folder ?? (typeof from === 'string' ? path.dirname(from) : null);
  const written = new TextDecoder().decode(bytes);
  const parsed = /\.ya?ml$/i.test(name) ? parseYaml(written) : parseJson(written);
  const document = parsed.root === null ? null : plainValue(parsed.root);
  const besides = beside === null ? [] : await companionFilesOf(document, beside);
  const found = beside === null || valueAt(document, ['kind']) !== USER_PROBLEM ? null : problemFileIn(beside);
  // Other documents in a problem's folder are ordinary scenarios.
  const problem = typeof from === 'string' && found !== null && path.relative(found, from) !== '' ? null : found;
  if (problem === null || beside === null) {
    packing.add('scenario', name, bytes);
    for (const [file, content] of besides) packing.add('beside', file, content);
    return;
  }
  const [inside, at] = [path.basename(path.resolve(beside)), path.resolve(beside)];
  const before = problems.get(inside) ?? at;
  if (before !== at)
    throw new BraggError('invalid', `${before} and ${at} are problems with the same name. Rename one of the folders.`);
  problems.set(inside, at);
  const own = path.basename(problem);
  packing.add('beside', `${inside}/${own}`, bytes);
  for (const [file, content] of besides) if (file !== own) packing.add('beside', `${inside}/${file}`, content);
}

export const packProject = defineThreadTask('pack a project', async (request: PackRequest): Promise<Uint8Array> => {
  const packing = new ProjectPacker();
  const problems = new Map<string, string>();
  for (const one of request.files) {
    const { from, folder } = one;
    const kernel = typeof from === 'string' ? await codeFileOf(one.name, from) : null;
    const own = typeof from === 'string' ? path.dirname(from) : null;
    // A candidate needs its problem, so pack both.
    const solved = kernel === null || own === null ? null : problemFileIn(own);
    if (solved !== null) {
      await addScenario(packing, { name: path.basename(solved), from: solved }, problems);
      continue;
    }
    if (kernel !== null && own !== null) {
      for (const file of await kernelFiles(kernel, own))
        packing.add('beside', file, await readPackedFile(path.join(own, file)));
      continue;
    }
    const part = one.name.endsWith(NOTES_ENDING) ? 'notes' : kindOf(one.name);
    if (part === 'scenario') await addScenario(packing, { ...one, folder: folder ?? own ?? undefined }, problems);
    else packing.add(part, one.name, typeof from === 'string' ? await readPackedFile(from) : from);
  }
  for (const { name, folder } of request.studies) await addStudy(packing, name, folder);
  const { notesFolder } = request;
  if (notesFolder !== null) {
    for (const name of await readdir(notesFolder).catch(() => []))
      if (name.endsWith(NOTES_ENDING)) packing.add('notes', name, await readPackedFile(path.join(notesFolder, name)));
  }
  return packing.whole(request.name, request.program);
});
