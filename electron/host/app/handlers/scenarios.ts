/** Handles calls about scenarios and materials. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { BraggError } from '../../../contract/errors.ts';
import type { FileRef } from '../../../contract/files.ts';
import { formatScenarioInSteps } from '../../../contract/scenario/index.ts';
import type { ScenarioDraft } from '../../../contract/scenario/workload.ts';
import type { LibraryEntry, ResolvedScenario } from '../../../contract/scenarios.ts';
import { allRunEndings } from '../../../contract/workload.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import { type FileAccess, isReadableFile } from '../../io/files/access.ts';
import type { LibraryFile } from '../../io/files/library.ts';
import type { RecentFiles } from '../../io/files/state-file.ts';
import { runInSlices } from '../../io/flow/cooperative.ts';
import { readText } from '../../io/text/read.ts';
import { hostWorkloads } from '../../workloads/index.ts';
import {
  engineIssue,
  type ScenarioOrigin,
  type ScenarioReading,
  type Scenarios,
} from '../../workloads/scenarios/scenarios.ts';
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

/** Whether the file is a session or a run, which are JSON files too. */
const isSessionOrRun = ({ key }: LibraryFile): boolean =>
  [SESSION_ENDING, ...allRunEndings].some((ending) => key.endsWith(ending));

/**
 * Replaces infinite numbers by text, because frames contain JSON, which has none. YAML and 1e400 produce them. The form
 * then shows the text with the error.
 */
function replaceInfiniteNumbers(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (Array.isArray(value)) return value.map(replaceInfiniteNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, replaceInfiniteNumbers(entry)]));
}

const draftForFrame = (draft: ScenarioReading['draft']): ScenarioDraft | null =>
  draft === null ? null : (replaceInfiniteNumbers(draft) as ScenarioDraft);

type ScenarioHandlers = Pick<Handlers, Extract<keyof Handlers, `scenario.${string}` | 'materials.list'>>;

/** Returns the folder for relative paths in a draft, and the draft's name for messages. */
export async function originOf(files: FileAccess, file: FileRef | null): Promise<ScenarioOrigin> {
  if (file === null) return { name: 'this scenario', folder: null };
  // A file that does not exist yet has no data files next to it.
  const found = await files.readable(file).catch(() => null);
  return { name: files.nameOf(file).name, folder: found === null ? null : path.dirname(found.path) };
}

/** Returns the complete form of a scenario without errors. Throws errors that only the engine detects. */
async function completeScenario(
  { addon, memoryLimit_bytes }: ScenarioParts,
  reading: ScenarioReading,
): Promise<ResolvedScenario | null> {
  return reading.kind === null ? null : hostWorkloads[reading.kind].resolve({ addon, memoryLimit_bytes }, reading);
}

const NO_FILE = 'none';

/** Hash of a file's content, which detects changes independently of clocks. A missing file also has a stamp. */
async function stampOf(file: string): Promise<string> {
  const read = await readText(file);
  if (read.ok) return textStamp(read.text);
  // The path exists but cannot be read, so its stamp must differ from that of every text.
  return (await isReadableFile(file)) ? 'other' : NO_FILE;
}

/** Yields to the event loop first, because receiving a large scenario has already blocked it for milliseconds. */
async function textOf(scenario: ScenarioDraft): Promise<string> {
  await nextTurn();
  return runInSlices(formatScenarioInSteps(scenario));
}

const textStamp = (text: string): string => createHash('sha256').update(text).digest('hex');

async function libraryEntry(file: LibraryFile, scenarios: Scenarios): Promise<LibraryEntry> {
  const read = await readText(file.path);
  const { draft } = await scenarios.parse(read.ok ? read.text : '', { name: file.key, folder: null });
  const textField = (key: 'name' | 'notes'): string => (typeof draft?.[key] === 'string' ? draft[key] : '');
  return {
    file: { kind: 'library', key: file.key },
    fileName: file.key,
    name: textField('name'),
    notes: textField('notes'),
    readOnly: file.readOnly,
    modified: file.modified.toISOString(),
  };
}

export function scenarioHandlers(parts: ScenarioParts): ScenarioHandlers {
  const { scenarios, files, recent } = parts;
  return {
    'scenario.parse': async ({ text, name }) => {
      const { draft, issues } = await scenarios.parse(text, { name, folder: null });
      return { draft: draftForFrame(draft), issues: [...issues] };
    },
    'scenario.open': async ({ file }) => {
      const found = await files.readable(file);
      const named = files.nameOf(file);
      // Hash the file before reading its text, so that a change in between is detected when saving.
      const stamp = await stampOf(found.path);
      const read = await readText(found.path);
      // Use the same name as a run does, so that the run can reuse this reading of the scenario.
      const { draft, issues } = read.ok
        ? await scenarios.parse(read.text, { name: named.name, folder: path.dirname(found.path) })
        : await scenarios.read(found.path);
      // Issues contain the path that was read, but the user knows the file by its name.
      const shown = issues.map((issue) => (issue.file === found.path ? { ...issue, file: named.name } : issue));
      if (draft !== null && !found.readOnly) await recent.add(found.path);
      return { draft: draftForFrame(draft), issues: shown, file: named, readOnly: found.readOnly, stamp };
    },
    'scenario.text': async ({ scenario }) => ({ text: await textOf(scenario) }),
    'scenario.save': async ({ scenario, file, ifExists, stamp }) => {
      const text = await textOf(scenario);
      // If the file did not exist when it was opened, it must not exist now.
      const replaced = stamp === NO_FILE ? 'refuse' : ifExists;
      const named = await files.write(file, text, replaced, async (present) => {
        if (stamp === null || (await stampOf(present)) === stamp) return;
        const { name } = files.nameOf(file);
        throw new BraggError('exists', `${name} was changed by another window or program after it was opened here.`);
      });
      const { path: written } = await files.readable(file);
      await recent.add(written);
      // Hash the text written here, because another program may have changed the file since.
      return { ...named, stamp: textStamp(text) };
    },
    'scenario.resolve': async ({ scenario, file }) => {
      const reading = await scenarios.check(scenario, await originOf(files, file));
      const issues = [...reading.issues];
      try {
        return { issues, resolved: await completeScenario(parts, reading) };
      } catch (error) {
        return { issues: [...issues, engineIssue(reading, error)], resolved: null };
      }
    },
    'scenario.library': async () => {
      const found = (await files.library.list(SCENARIO_EXTENSIONS)).filter((file) => !isSessionOrRun(file));
      // Sequential, because reading a large library at once would block the event loop.
      const entries: LibraryEntry[] = [];
      for (const file of found) entries.push(await libraryEntry(file, scenarios));
      return { entries };
    },
    'scenario.recent': async () => {
      const paths = await recent.list();
      const present = await Promise.all(paths.map(isReadableFile));
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
