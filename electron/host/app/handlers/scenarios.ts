/** Calls about scenarios and materials. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BraggError } from '../../../contract/errors.ts';
import { allRunEndings } from '../../../contract/exports.ts';
import type { FileRef } from '../../../contract/files.ts';
import type { ScenarioDraft } from '../../../contract/scenario/draft.ts';
import { scenarioTextInSteps } from '../../../contract/scenario/index.ts';
import type { LibraryEntry, Resolved } from '../../../contract/scenarios.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { exists, type FileAccess } from '../../io/files/access.ts';
import type { LibraryFile } from '../../io/files/library.ts';
import type { RecentFiles } from '../../io/files/recent.ts';
import { inTurns } from '../../io/flow/in-turns.ts';
import { readText } from '../../io/text/read.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import { type AnyReading, engineIssue, type ScenarioOrigin, type Scenarios } from '../../workloads/scenarios/index.ts';
import { SESSION_ENDING } from '../benches/stored.ts';
import type { Handlers } from '../service/service.ts';

interface ScenarioParts {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
  readonly files: FileAccess;
  readonly recent: RecentFiles;
  readonly memoryLimit_bytes: number;
}

const SCENARIO_EXTENSIONS = ['.json', '.yaml', '.yml'];

/** Sessions and runs that are JSON too. */
const isOther = ({ key }: LibraryFile): boolean =>
  [SESSION_ENDING, ...allRunEndings].some((ending) => key.endsWith(ending));

/**
 * A draft that a frame can carry: JSON has no infinite numbers, but YAML and 1e400 do. The form shows them as text,
 * with the error.
 */
function carried(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value)) return value.map(carried);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, carried(entry)]));
}

const carriedDraft = (draft: AnyReading['draft']): ScenarioDraft | null =>
  draft === null ? null : (carried(draft) as ScenarioDraft);

type ScenarioHandlers = Pick<Handlers, Extract<keyof Handlers, `scenario.${string}` | 'materials.list'>>;

/** Base folder of a draft's relative paths, and its name in messages. */
export async function placeOf(files: FileAccess, file: FileRef | null): Promise<ScenarioOrigin> {
  if (file === null) return { name: 'this scenario', folder: null };
  // A file that does not exist yet has no tables next to it.
  const found = await files.readable(file).catch(() => null);
  return { name: files.nameOf(file).name, folder: found === null ? null : path.dirname(found.path) };
}

/** Resolved form of a scenario without errors. Throws issues that only the engine finds. */
async function resolve({ addon, memoryLimit_bytes }: ScenarioParts, reading: AnyReading): Promise<Resolved | null> {
  return reading.kind === null ? null : hostWorkloads[reading.kind].resolve({ addon, memoryLimit_bytes }, reading);
}

const NO_FILE = 'none';

/** Hash of the content, which needs no clock. A file that is not there has one too. */
async function stampOf(file: string): Promise<string> {
  const read = await readText(file);
  if (read.ok) return textStamp(read.text);
  // Not to be read as a scenario: there, and no version of the one that was opened.
  return (await exists(file)) ? 'other' : NO_FILE;
}

/** From a turn of its own on: a large one took some milliseconds to come here, too. */
async function textOf(scenario: ScenarioDraft): Promise<string> {
  await nextTurn();
  return inTurns(scenarioTextInSteps(scenario));
}

const textStamp = (text: string): string => createHash('sha256').update(text).digest('hex');

async function libraryEntry(file: LibraryFile, scenarios: Scenarios): Promise<LibraryEntry> {
  const read = await readText(file.path);
  const { draft } = await scenarios.parse(read.ok ? read.text : '', { name: file.key, folder: null });
  const part = (key: 'name' | 'notes'): string => (typeof draft?.[key] === 'string' ? draft[key] : '');
  return {
    file: { kind: 'library', key: file.key },
    fileName: file.key,
    name: part('name'),
    notes: part('notes'),
    readOnly: file.readOnly,
    modified: file.modified.toISOString(),
  };
}

export function scenarioHandlers(parts: ScenarioParts): ScenarioHandlers {
  const { scenarios, files, recent } = parts;
  return {
    'scenario.parse': async ({ text, name }) => {
      const { draft, issues } = await scenarios.parse(text, { name, folder: null });
      return { draft: carriedDraft(draft), issues: [...issues] };
    },
    'scenario.open': async ({ file }) => {
      const found = await files.readable(file);
      const named = files.nameOf(file);
      // Before the text: a change in between is noticed when it is saved.
      const stamp = await stampOf(found.path);
      const read = await readText(found.path);
      // As it is named on its way to a run, so that it is read and checked once.
      const { draft, issues } = read.ok
        ? await scenarios.parse(read.text, { name: named.name, folder: path.dirname(found.path) })
        : await scenarios.read(found.path);
      // Messages carry the path that was read; the user knows the file by its name.
      const shown = issues.map((issue) => (issue.file === found.path ? { ...issue, file: named.name } : issue));
      if (draft !== null && !found.readOnly) await recent.add(found.path);
      return { draft: carriedDraft(draft), issues: shown, file: named, readOnly: found.readOnly, stamp };
    },
    'scenario.text': async ({ scenario }) => ({ text: await textOf(scenario) }),
    'scenario.save': async ({ scenario, file, ifExists, stamp }) => {
      const text = await textOf(scenario);
      // If there was no file at opening, there must be none at saving.
      const replaced = stamp === NO_FILE ? 'refuse' : ifExists;
      const named = await files.write(file, text, replaced, async (present) => {
        if (stamp === null || (await stampOf(present)) === stamp) return;
        const { name } = files.nameOf(file);
        throw new BraggError('exists', `${name} was changed by another window or program since it was opened here.`);
      });
      const { path: written } = await files.readable(file);
      await recent.add(written);
      // The stamp of what was written here, whatever another has written since.
      return { ...named, stamp: textStamp(text) };
    },
    'scenario.resolve': async ({ scenario, file }) => {
      const reading = await scenarios.check(scenario, await placeOf(files, file));
      const issues = [...reading.issues];
      try {
        return { issues, resolved: await resolve(parts, reading) };
      } catch (error) {
        return { issues: [...issues, engineIssue(reading, error)], resolved: null };
      }
    },
    'scenario.library': async () => {
      const found = (await files.library.list(SCENARIO_EXTENSIONS)).filter((file) => !isOther(file));
      // One after the other: all of a large library at once would leave nobody else a turn.
      const entries: LibraryEntry[] = [];
      for (const file of found) entries.push(await libraryEntry(file, scenarios));
      return { entries };
    },
    'scenario.recent': async () => {
      const paths = await recent.list();
      const present = await Promise.all(paths.map(exists));
      return { files: paths.filter((_, i) => present[i]).map((file) => files.grant(file)) };
    },
    'scenario.clearRecent': () => {
      recent.clear();
      return {};
    },
    'materials.list': () => ({
      materials: Object.values(scenarios.materials).map((material) => ({
        id: material.name,
        title: material.title,
        density_g_cm3: material.density_g_cm3,
        i_eV: material.mean_excitation_eV,
        zOverA: material.z_over_a,
        x0_g_cm2: material.radiation_length_g_cm2,
        xs_g_cm2: material.scattering_length_g_cm2,
        source: Object.values(material.sources).join('; '),
      })),
    }),
  };
}
