/** Calls about the library of files. */
import { BraggError } from '../../../contract/errors.ts';
import type { FileAccess } from '../../io/files/access.ts';
import type { HostSettings } from '../../io/files/settings.ts';
import type { Catalogue } from '../library/catalogue.ts';
import type { Handlers, Sources } from '../service/service.ts';
import type { ShellHandlers } from './shell.ts';

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
