/** Calls about what surrounds the page: dialogs, window, menus. */
import { BraggError } from '../../../contract/errors.ts';
import type { FilePurpose } from '../../../contract/files.ts';
import type { MenuCommand, ShellEvent } from '../../../contract/shell.ts';
import type { FileAccess } from '../../io/files/access.ts';
import type { Handlers, Sources } from '../service/service.ts';

/** Functions that a shell with a window offers to the page in it. */
export interface ShellHandlers {
  /** Shows a file dialog; the chosen path, or null. */
  choose(purpose: FilePurpose, suggestedName: string): Promise<string | null>;
  /** Shows a folder dialog that begins in `folder`; the chosen path, or null. */
  chooseFolder(title: string, folder: string): Promise<string | null>;
  /** Opens a folder in the system's file manager. */
  showFolder?(folder: string): Promise<void>;
  document(state: { readonly title: string; readonly edited: boolean }): void;
  menu(commands: readonly MenuCommand[]): void;
  /** The page's answer to the `close-requested` of that number. */
  close(request: number, close: boolean): void;
  /** Prints a document that needs nothing besides itself. */
  pdf(html: string): Promise<Uint8Array>;
  /** Registers who hears of menu entries, files to open and the wish to close; returns what ends it. */
  events(emit: (event: ShellEvent) => void): () => void;
}

function without(what: string): never {
  throw new BraggError('unsupported', `There is no ${what} here.`);
}

type Names = 'file.choose' | 'file.write' | 'shell.document' | 'shell.menu' | 'shell.close' | 'shell.pdf';

export function shellHandlers(files: FileAccess, shell: ShellHandlers | null): Pick<Handlers, Names> {
  return {
    'file.choose': async ({ purpose, suggestedName }) => {
      if (shell === null) return without('file dialog');
      const chosen = await shell.choose(purpose, suggestedName);
      return { file: chosen === null ? null : files.grant(chosen) };
    },
    'file.write': ({ file, bytes, ifExists }) => files.write(file, bytes, ifExists),
    'shell.document': (state) => {
      if (shell === null) return without('window');
      shell.document(state);
      return {};
    },
    'shell.menu': ({ commands }) => {
      if (shell === null) return without('menu');
      shell.menu(commands);
      return {};
    },
    'shell.close': ({ request, close }) => {
      if (shell === null) return without('window');
      shell.close(request, close);
      return {};
    },
    'shell.pdf': async ({ html }) => {
      if (shell === null) return without('printer');
      return { bytes: await shell.pdf(html) };
    },
  };
}

export function shellSource(shell: ShellHandlers | null): Pick<Sources, 'shell.events'> {
  return {
    'shell.events': (_params, sink) => {
      if (shell === null) return without('shell');
      return shell.events((event) => sink.offer(() => event));
    },
  };
}
