/**
 * Handles calls about projects, which are packed into one file; about the page's environment, such as dialogs, window
 * and menus; and about unsaved work and files that are open in several windows.
 */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import type { FilePurpose } from '../../../contract/files.ts';
import { PROJECT_ENDING } from '../../../contract/projects/project.ts';
import { scenarioKinds } from '../../../contract/scenario/index.ts';
import type { MenuCommand, ShellEvent } from '../../../contract/shell.ts';
import type { FileAccess } from '../../io/files/access.ts';
import type { HostSettings } from '../../io/files/state-file.ts';
import type { Benches } from '../benches/benches.ts';
import { SESSION_ENDING } from '../benches/stored.ts';
import type { Catalogue } from '../library/catalogue.ts';
import type { HostLog } from '../log.ts';
import { type PackedFile, packProject } from '../projects/pack.ts';
import { unpackProject } from '../projects/unpack.ts';
import type { PresenceFile } from '../recovery/presence.ts';
import type { Recovery } from '../recovery/recovery.ts';
import type { RunPacker } from '../run-files/packer.ts';
import type { Runs } from '../runs/runs.ts';
import type { Handlers, Sources } from '../service/service.ts';
import type { Studies } from '../studies/studies.ts';
import { NOTES_FOLDER } from '../timelines/notes.ts';
import { originOf } from './scenarios.ts';

/** Functions that a shell with a window provides to its page. */
export interface ShellHandlers {
  /** Shows a file dialog. Returns the chosen path, or null. */
  choose(purpose: FilePurpose, suggestedName: string): Promise<string | null>;
  /** Shows a folder dialog that starts in `folder`. Returns the chosen path, or null. */
  chooseFolder(title: string, folder: string): Promise<string | null>;
  /** Opens a folder in the system's file manager. */
  showFolder?(folder: string): Promise<void>;
  document(state: { readonly title: string; readonly edited: boolean }): void;
  menu(commands: readonly MenuCommand[]): void;
  /** Replies to the `close-requested` event with this number. `close`: whether the window may close. */
  close(request: number, close: boolean): void;
  /** Prints a self-contained document. */
  pdf(html: string): Promise<Uint8Array>;
  /**
   * Subscribes to chosen menu entries, files to open, and requests to close the window. Returns a function that
   * unsubscribes.
   */
  events(emit: (event: ShellEvent) => void): () => void;
}

function throwUnsupported(what: string): never {
  throw new BraggError('unsupported', `No ${what} is available here: this process has no window.`);
}

type ShellMethod = 'file.choose' | 'file.write' | 'shell.document' | 'shell.menu' | 'shell.close' | 'shell.pdf';

export function shellHandlers(files: FileAccess, shell: ShellHandlers | null): Pick<Handlers, ShellMethod> {
  return {
    'file.choose': async ({ purpose, suggestedName }) => {
      if (shell === null) return throwUnsupported('file dialog');
      const chosen = await shell.choose(purpose, suggestedName);
      return { file: chosen === null ? null : files.grant(chosen) };
    },
    'file.write': ({ file, bytes, ifExists }) => files.write(file, bytes, ifExists),
    'shell.document': (state) => {
      if (shell === null) return throwUnsupported('window title');
      shell.document(state);
      return {};
    },
    'shell.menu': ({ commands }) => {
      if (shell === null) return throwUnsupported('menu');
      shell.menu(commands);
      return {};
    },
    'shell.close': ({ request, close }) => {
      if (shell === null) return throwUnsupported('window to close');
      shell.close(request, close);
      return {};
    },
    'shell.pdf': async ({ html }) => {
      if (shell === null) return throwUnsupported('printer');
      return { bytes: await shell.pdf(html) };
    },
  };
}

export function shellSource(shell: ShellHandlers | null): Pick<Sources, 'shell.events'> {
  return {
    'shell.events': (_params, sink) => {
      if (shell === null) return throwUnsupported('desktop shell');
      return shell.events((event) => sink.offer(() => event));
    },
  };
}

/** Dependencies of the handlers for the library. */
interface LibraryParts {
  readonly files: FileAccess;
  readonly catalogue: Catalogue;
  readonly settings: HostSettings;
}

type LibraryHandlers = Pick<Handlers, Extract<keyof Handlers, `library.${string}`>>;

export function libraryHandlers(parts: LibraryParts, shell: ShellHandlers | null): LibraryHandlers {
  const { files, catalogue, settings } = parts;
  return {
    'library.search': (query) => catalogue.search(query),
    'library.label': async ({ file, tags, remark }) => {
      await catalogue.label(file, { tags, remark });
      return {};
    },
    'library.trash': async ({ file }) => ({ id: await catalogue.trash(file) }),
    'library.restore': ({ id }) => catalogue.restore(id),
    'library.rebuild': async () => ({ files: await catalogue.rebuild() }),
    'library.chooseFolder': async () => {
      if (shell === null) throw new BraggError('unsupported', 'A folder dialog is not available here.');
      const folder = await shell.chooseFolder('Folder of the library', files.library.folder);
      if (folder !== null) {
        await settings.change({ libraryFolder: folder });
        files.library.setFolder(folder);
      }
      return { folder };
    },
  };
}

export function librarySource(catalogue: Catalogue): Pick<Sources, 'library'> {
  return { library: (_params, sink) => catalogue.watch(sink) };
}

interface ProjectParts {
  readonly files: FileAccess;
  readonly runs: Runs;
  readonly benches: Benches;
  readonly packer: RunPacker;
  readonly studies: Studies;
  /** Returns the program's version. Called on demand, because it probes the machine. */
  readonly program: () => string;
}

/** Replaces the extension of a file name by `ending`, and replaces characters that a file system forbids. */
const fileNameWithEnding = (name: string, ending: string): string => {
  const stem = name.replace(/(\.session|\.task)?\.(json|ya?ml|h5)$/i, '').replaceAll(/[<>:"/\\|?*\p{Cc}]+/gu, '-');
  return `${stem.replace(/^[. ]+|[. ]+$/g, '') || 'untitled'}${ending}`;
};

export function projectHandlers({
  files,
  runs,
  benches,
  packer,
  studies,
  program,
}: ProjectParts): Pick<Handlers, Extract<keyof Handlers, `project.${string}`>> {
  return {
    'project.pack': async ({ name, scenario, files: refs, runs: ids, benches: sessions, studies: wanted, notes }) => {
      const packed: PackedFile[] = [];
      const jsonBytes = (value: unknown): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
      if (scenario !== null) {
        // A scenario that is not in a user file uses the kernels in the library.
        const folder = (await originOf(files, scenario.file)).folder ?? files.library.folder;
        packed.push({ name: fileNameWithEnding(scenario.name, '.json'), from: jsonBytes(scenario.document), folder });
      }
      for (const ref of refs)
        packed.push({ name: path.basename(files.nameOf(ref).name), from: (await files.readable(ref)).path });
      for (const id of ids) {
        const data = await runs.data(id);
        packed.push({
          name: fileNameWithEnding(data.name, scenarioKinds[data.workload].runEnding),
          from: await packer.write(data),
        });
      }
      for (const id of sessions) {
        const { saved } = await benches.session(id);
        packed.push({ name: fileNameWithEnding(id.split('~').at(-1) ?? id, SESSION_ENDING), from: jsonBytes(saved) });
      }
      const library = files.library.folder;
      const request = {
        ...{ name, program: program(), files: packed, notesFolder: notes ? path.join(library, NOTES_FOLDER) : null },
        studies: wanted.map((id) => ({ name: id, folder: studies.folderOf(id) })),
      };
      if (packed.length === 0 && wanted.length === 0 && !notes)
        throw new BraggError('invalid', 'Nothing was selected: a project needs at least one file.');
      return {
        name: fileNameWithEnding(name, PROJECT_ENDING),
        mime: 'application/zip',
        bytes: await packProject(request),
      };
    },
    'project.unpack': async ({ source }, signal) => {
      const name = source.kind === 'bytes' ? source.name : files.nameOf(source.file).name;
      const bytes = source.kind === 'bytes' ? source.bytes : await files.read(source.file);
      const unpacked = await unpackProject({ name, bytes, library: files.library.folder }, signal);
      files.library.notifyListeners();
      return unpacked;
    },
  };
}

/** Handles calls about the program's log. */
export function desktopHandlers(
  { log }: { readonly log: HostLog },
  shell: ShellHandlers | null,
): Pick<Handlers, 'log.show'> {
  return {
    'log.show': async () => {
      const text = await log.tail();
      const shown = shell?.showFolder !== undefined && log.file !== null;
      if (shown && log.file !== null) await shell?.showFolder?.(path.dirname(log.file));
      return { shown, file: log.file, text };
    },
  };
}

interface RecoveryHandlersParts {
  readonly files: FileAccess;
  readonly recovery: Recovery;
  readonly presence: PresenceFile;
}

type RecoveryNames = Extract<keyof Handlers, `recovery.${string}`> | 'document.presence';

export function recoveryHandlers({ files, recovery, presence }: RecoveryHandlersParts): Pick<Handlers, RecoveryNames> {
  return {
    'recovery.keep': async ({ page, title, file, draft }) => {
      await recovery.storeDraft(page, title, file, draft);
      return {};
    },
    'recovery.drop': async ({ page }) => {
      await recovery.drop(page);
      return {};
    },
    'recovery.list': async ({ pages }) => ({ items: [...(await recovery.list(pages))] }),
    'recovery.draft': ({ id }) => recovery.draft(id),
    'recovery.run': ({ id }) => recovery.run(id),
    'recovery.session': ({ id }) => recovery.session(id),
    'recovery.discard': async ({ id }) => {
      await recovery.discard(id);
      return {};
    },
    'document.presence': async ({ page, file }) => {
      const found = file === null ? null : await files.readable(file).catch(() => null);
      // Shipped examples are read-only, so any number of windows may open them.
      const shared = found === null || found.readOnly ? null : await realpath(found.path).catch(() => found.path);
      return { others: await presence.update(page, shared) };
    },
  };
}
