/** Packs files, studies and notes into one archive, on a thread. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { PROJECT_FORMAT, type ProjectManifest, type ProjectPart } from '../../../contract/projects/project.ts';
import { validateScenario, valueAt } from '../../../contract/scenario/index.ts';
import type { PlanHead } from '../../../contract/study/index.ts';
import { parseConfigured, withoutSuffix } from '../../../contract/tuning/configured.ts';
import {
  isUserKernelFile,
  USER_KERNEL_TEXT_MOST,
  userKernelDescriptionSchema,
} from '../../../contract/user-kernels.ts';
import { packZip } from '../../io/archive/zip.ts';
import { aside } from '../../io/aside/task.ts';
import { exists } from '../../io/files/access.ts';
import { fileError } from '../../io/files/errors.ts';
import { checkedParts } from '../../io/files/library.ts';
import { readPlainAtMost } from '../../io/files/plain-file.ts';
import { parseJson } from '../../io/text/json.ts';
import { plainValue } from '../../io/text/source.ts';
import { parseYaml } from '../../io/text/yaml.ts';
import { linesText, StudyFolder } from '../../model/studies/folder.ts';
import { readViews, viewsText } from '../../model/studies/views.ts';
import { descriptionFile } from '../../model/user-kernels/file.ts';
import { readClosure } from '../../model/user-kernels/includes.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { kindOf } from '../library/facts.ts';
import { NOTES_ENDING } from '../timelines/notes.ts';

// The files of a user kernel, from its folder. The recipient decides again whether they are trusted.

/** The code file that a variant's name means; null: it is a shipped one. */
function kernelFileOf(variant: unknown): string | null {
  if (typeof variant !== 'string') return null;
  const id = parseConfigured(variant)?.variant ?? withoutSuffix(variant);
  return isUserKernelFile(id) ? id : null;
}

/** Names of the code, its description, what it includes from its folder, and its answer; none where it is not there. */
async function kernelFiles(id: string, folder: string): Promise<readonly string[]> {
  const file = path.join(folder, id);
  const code = await textAt(file);
  if (code === null) return [];
  // One that includes what it may not is not compiled here either.
  const { included } = await readClosure(file, code).catch(() => ({ included: [] }));
  const description = descriptionFile(id);
  return [
    id,
    description,
    ...included.map(({ name }) => name),
    ...answerOf(await textAt(path.join(folder, description))),
  ];
}

const textAt = async (file: string): Promise<string | null> =>
  (await readPlainAtMost(file, USER_KERNEL_TEXT_MOST).catch(() => null))?.toString('utf8') ?? null;

function answerOf(description: string | null): readonly string[] {
  try {
    const { answer } = userKernelDescriptionSchema.parse(JSON.parse(description ?? ''));
    return answer === '' ? [] : [answer];
  } catch {
    return [];
  }
}

export interface PackedFile {
  readonly name: string;
  /** Path of a file on this machine, or what is in none. */
  readonly from: string | Uint8Array;
  /** Folder of the files that it references, if it is not a file itself. */
  readonly folder?: string;
}

export interface PackRequest {
  readonly name: string;
  readonly program: string;
  readonly files: readonly PackedFile[];
  /** Folders of studies, by the names that they get. */
  readonly studies: readonly { readonly name: string; readonly folder: string }[];
  /** Folder of notes on timelines; null: none are packed. */
  readonly notesFolder: string | null;
}

/** Largest archive: one transfer to a page, and no need for ZIP64. */
const MOST_BYTES = 2 ** 30;

const FOLDERS: Readonly<Record<ProjectPart, string>> = {
  scenario: 'scenarios',
  run: 'runs',
  session: 'sessions',
  study: 'studies',
  notes: 'notes',
  beside: 'beside',
};

class Packing {
  readonly #entries = new Map<string, { readonly bytes: Uint8Array; readonly packed: boolean }>();
  readonly #told: ProjectManifest['entries'][number][] = [];
  #bytes = 0;

  /** The same content twice is one entry; another of the same name gets a number. */
  add(part: ProjectPart, name: string, bytes: Uint8Array): void {
    // Refused here, where the file can be renamed, and not only where the project is unpacked.
    if (part === 'beside') checkedParts(name);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const { dir, name: stem, ext } = path.posix.parse(name);
    for (let i = 1; ; i += 1) {
      const called = i === 1 ? name : path.posix.join(dir, `${stem} ${i}${ext}`);
      const known = this.#told.find((one) => one.part === part && one.name === called);
      if (known?.sha256 === sha256) return;
      if (known !== undefined) continue;
      this.#bytes += bytes.length;
      if (this.#bytes > MOST_BYTES)
        throw new BraggError('unsupported', `A project holds at most ${MOST_BYTES / 2 ** 20} MiB. Pack fewer runs.`);
      const at = `${FOLDERS[part]}/${called}`;
      this.#entries.set(at, { bytes, packed: /\.(h5|gz|zip|png)$/i.test(called) });
      this.#told.push({ part, path: at, name: called, bytes: bytes.length, sha256 });
      return;
    }
  }

  whole(name: string, program: string): Uint8Array {
    const created = new Date().toISOString();
    const manifest = { format: PROJECT_FORMAT, version: 1, name, created, program, entries: this.#told };
    const text = new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`);
    return packZip(new Map([['project.json', { bytes: text, packed: false }], ...this.#entries]));
  }
}

async function read(file: string): Promise<Uint8Array> {
  const bytes = await readPlainAtMost(file, MOST_BYTES).catch((error: unknown) => {
    throw fileError(error, file);
  });
  if (bytes === null) throw new BraggError('unsupported', `${file} is too large for a project.`);
  return bytes;
}

/** Files that a scenario names, from its folder, and those of user kernels; such as lie elsewhere stay there. */
async function besidesOf(
  document: unknown,
  folder: string,
  variants: readonly unknown[] = [],
): Promise<readonly (readonly [string, Uint8Array])[]> {
  const { filled } = validateScenario(document);
  const data = filled === null ? [] : hostWorkloads[filled.kind].scenario.files(filled);
  const named = [valueAt(document, ['solver', 'variant']), ...variants].flatMap((one) => kernelFileOf(one) ?? []);
  const kernels = await Promise.all([...new Set(named)].map((id) => kernelFiles(id, folder)));
  const names = [...new Set([...data, ...kernels.flat()])];
  const found = names.map(async (name): Promise<readonly (readonly [string, Uint8Array])[]> => {
    const full = path.resolve(folder, name);
    const inside = path.relative(folder, full);
    if (inside === '' || inside.startsWith('..') || path.isAbsolute(inside)) return [];
    // Files that the scenario lacks here are skipped.
    const bytes = await read(full).catch(() => null);
    return bytes === null ? [] : [[inside.split(path.sep).join('/'), bytes]];
  });
  return (await Promise.all(found)).flat();
}

const text = (written: string): Uint8Array => new TextEncoder().encode(written);

async function addStudy(packing: Packing, name: string, at: string): Promise<void> {
  const folder = await StudyFolder.open(at);
  const add = (file: string, bytes: Uint8Array): void => packing.add('study', path.posix.join(name, file), bytes);
  const lines = await folder.lines();
  for (const [i, base] of folder.head.bases.entries()) {
    if (base.folder === null) continue;
    const variants = lines
      .filter((line) => line.base === i)
      .flatMap(({ settings }) => settings.map(({ value }) => value));
    for (const [file, bytes] of await besidesOf(base.document, base.folder, variants))
      add(path.posix.join('beside', `${i}`, file), bytes);
  }
  // The folder of a base's data files is set again when the project is unpacked.
  const head: PlanHead = {
    ...folder.head,
    bases: folder.head.bases.map((base) => ({ ...base, folder: null })),
  };
  add('plan.json', text(`${JSON.stringify(head, null, 2)}\n`));
  add('points.jsonl', text(linesText(lines)));
  // One file for all results: archives hold fewer files than studies have points.
  const results: string[] = [];
  for (const [id, state] of await folder.ended()) {
    const result = await folder.result(id, state);
    if (result !== null) results.push(`${JSON.stringify(result)}\n`);
  }
  add('results.jsonl', text(results.join('')));
  const views = await readViews(at);
  if (views.length > 0) add('views.json', text(viewsText(views)));
  const best = await read(path.join(at, 'best.json')).catch(() => null);
  if (best !== null) add('best.json', best);
}

/** The code of a user kernel that is given by its code or by its description; null of other files. */
async function kernelIn(name: string, file: string): Promise<string | null> {
  if (isUserKernelFile(name)) return name;
  if (!name.endsWith('.json')) return null;
  const { root } = parseJson(new TextDecoder().decode(await read(file)));
  const document = root === null ? null : plainValue(root);
  if (typeof document !== 'object' || document === null || Reflect.get(document, 'kind') !== 'variant') return null;
  const codes = ['.cu', '.cpp'].map((ending) => name.replace(/\.json$/, ending));
  for (const code of codes) if (await exists(path.join(path.dirname(file), path.basename(code)))) return code;
  return null;
}

export const packProject = aside('pack a project', async (request: PackRequest): Promise<Uint8Array> => {
  const packing = new Packing();
  for (const { name, from, folder } of request.files) {
    const kernel = typeof from === 'string' ? await kernelIn(name, from) : null;
    if (kernel !== null && typeof from === 'string') {
      const own = path.dirname(from);
      for (const file of await kernelFiles(kernel, own)) packing.add('beside', file, await read(path.join(own, file)));
      continue;
    }
    const bytes = typeof from === 'string' ? await read(from) : from;
    const part = name.endsWith(NOTES_ENDING) ? 'notes' : kindOf(name);
    packing.add(part, name, bytes);
    const beside = folder ?? (typeof from === 'string' ? path.dirname(from) : null);
    if (part !== 'scenario' || beside === null) continue;
    const written = new TextDecoder().decode(bytes);
    const parsed = /\.ya?ml$/i.test(name) ? parseYaml(written) : parseJson(written);
    const document = parsed.root === null ? null : plainValue(parsed.root);
    for (const [file, content] of await besidesOf(document, beside)) packing.add('beside', file, content);
  }
  for (const { name, folder } of request.studies) await addStudy(packing, name, folder);
  const { notesFolder } = request;
  if (notesFolder !== null) {
    for (const name of await readdir(notesFolder).catch(() => []))
      if (name.endsWith(NOTES_ENDING)) packing.add('notes', name, await read(path.join(notesFolder, name)));
  }
  return packing.whole(request.name, request.program);
});
