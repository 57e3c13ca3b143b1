/** Calls about projects that are packed into one file. */
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { PROJECT_ENDING } from '../../../contract/projects/project.ts';
import { scenarioKinds } from '../../../contract/scenario/index.ts';
import type { FileAccess } from '../../io/files/access.ts';
import type { HostSettings } from '../../io/files/settings.ts';
import type { Benches } from '../benches/benches.ts';
import { SESSION_ENDING } from '../benches/stored.ts';
import type { Catalogue } from '../library/catalogue.ts';
import { type PackedFile, packProject } from '../projects/pack.ts';
import { unpackProject } from '../projects/unpack.ts';
import type { RunPacker } from '../run-files/packer.ts';
import type { Runs } from '../runs/runs.ts';
import type { Handlers, Sources } from '../service/service.ts';
import type { Studies } from '../studies/studies.ts';
import { NOTES_FOLDER } from '../timelines/notes.ts';
import { placeOf } from './scenarios.ts';
import type { ShellHandlers } from './shell.ts';

/** Calls about the library of files. */
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
      if (shell === null) throw new BraggError('unsupported', 'There is no folder dialog here.');
      const folder = await shell.chooseFolder('Folder of the library', files.library.folder);
      if (folder !== null) {
        await settings.change({ libraryFolder: folder });
        files.library.moveTo(folder);
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
  /** Program version, read on demand because reading it probes the machine. */
  readonly program: () => string;
}

/** A file name that says what is in it, whatever it was called. */
const plain = (name: string, ending: string): string => {
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
      const text = (value: unknown): Uint8Array => new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
      if (scenario !== null) {
        // Kernels of a scenario that is in no file of the user's lie in the library.
        const folder = (await placeOf(files, scenario.file)).folder ?? files.library.folder;
        packed.push({ name: plain(scenario.name, '.json'), from: text(scenario.document), folder });
      }
      for (const ref of refs)
        packed.push({ name: path.basename(files.nameOf(ref).name), from: (await files.readable(ref)).path });
      for (const id of ids) {
        const data = await runs.data(id);
        packed.push({ name: plain(data.name, scenarioKinds[data.workload].runEnding), from: await packer.write(data) });
      }
      for (const id of sessions) {
        const { kept } = await benches.session(id);
        packed.push({ name: plain(id.split('~').at(-1) ?? id, SESSION_ENDING), from: text(kept) });
      }
      const library = files.library.folder;
      const request = {
        ...{ name, program: program(), files: packed, notesFolder: notes ? path.join(library, NOTES_FOLDER) : null },
        studies: wanted.map((id) => ({ name: id, folder: studies.folderOf(id) })),
      };
      if (packed.length === 0 && wanted.length === 0 && !notes)
        throw new BraggError('invalid', 'Nothing was chosen: a project holds something.');
      return { name: plain(name, PROJECT_ENDING), mime: 'application/zip', bytes: await packProject(request) };
    },
    'project.unpack': async ({ source }, signal) => {
      const name = source.kind === 'bytes' ? source.name : files.nameOf(source.file).name;
      const bytes = source.kind === 'bytes' ? source.bytes : await files.read(source.file);
      const unpacked = await unpackProject({ name, bytes, library: files.library.folder }, signal);
      files.library.touched();
      return unpacked;
    },
  };
}
