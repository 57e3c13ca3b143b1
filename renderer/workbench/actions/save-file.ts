/**
 * Chooses where to save: in the native dialog if there is one, else by a name in the library. Files from the page or
 * the host, such as the program's log, reach the user by the native dialog or as a browser download.
 */
import { BraggError } from '../../../electron/contract/errors.ts';
import type { FilePurpose, FileRef, NamedFile } from '../../../electron/contract/files.ts';
import type { ActionContext } from './context.ts';

interface SaveQuestion {
  readonly purpose: Extract<FilePurpose, 'save-scenario' | 'save-run' | 'export'>;
  readonly title: string;
  readonly suggested: string;
  /** File extension with the dot. */
  readonly extension: string;
  readonly save: (file: FileRef, ifExists: 'replace' | 'refuse') => Promise<NamedFile>;
}

export function withExtension(name: string, extension: string): string {
  const bare = name.trim();
  return bare.toLowerCase().endsWith(extension) ? bare : `${bare}${extension}`;
}

/** A name that is valid on every file system. */
export function safeFileName(name: string): string {
  const safe = name
    .trim()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes control characters
    .replace(/[\u0000-\u001f<>:"/\\|?*]+/g, '-')
    .replace(/^[.\s]+|[.\s]+$/g, '');
  return safe === '' ? 'untitled' : safe.slice(0, 120);
}

async function saveInLibrary({ stores }: ActionContext, question: SaveQuestion): Promise<NamedFile | null> {
  let suggested = question.suggested;
  for (;;) {
    const { title, extension } = question;
    const name = await stores.dialogs.ask('name', { title, suggested, extension });
    if (name === null) return null;
    const key = withExtension(safeFileName(name), extension);
    try {
      return await question.save({ kind: 'library', key }, 'refuse');
    } catch (error) {
      if (!(error instanceof BraggError) || error.code !== 'exists') throw error;
    }
    const answer = await stores.dialogs.ask('confirm', {
      title: `Replace ${key}?`,
      text: 'The library already has a file with this name.',
      choices: [
        { id: 'other', label: 'Another name' },
        { id: 'replace', label: 'Replace', tone: 'danger' },
      ],
    });
    if (answer === 'replace') return question.save({ kind: 'library', key }, 'replace');
    if (answer === null) return null;
    suggested = name;
  }
}

/** Returns null if the user cancels. Rejects if saving fails. */
export async function askAndSave(context: ActionContext, question: SaveQuestion): Promise<NamedFile | null> {
  const { client, stores } = context;
  if (!stores.connection.getState().capabilities.shell.dialogs) return saveInLibrary(context, question);
  const suggestedName = withExtension(safeFileName(question.suggested), question.extension);
  const { file } = await client.call('file.choose', { purpose: question.purpose, suggestedName });
  // The native dialog has already confirmed the replacement.
  return file === null ? null : question.save(file.file, 'replace');
}

/** Delay in ms before the URL is revoked; by then every browser has started the download. */
const REVOKE_AFTER_MS = 60_000;

export function download(name: string, mime: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type: mime }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS);
}

interface GeneratedFile {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/**
 * Saves a generated file under the name that the user selects in the native dialog. Without native dialogs, the browser
 * downloads the file. Does nothing if the user cancels the dialog. Rejects if writing fails.
 */
export async function offerFile(
  { client, stores }: Pick<ActionContext, 'client' | 'stores'>,
  { name, mime, bytes }: GeneratedFile,
): Promise<void> {
  if (!stores.connection.getState().capabilities.shell.dialogs) {
    download(name, mime, bytes.slice());
    return;
  }
  const { file } = await client.call('file.choose', { purpose: 'export', suggestedName: name });
  if (file === null) return;
  const named = await client.call('file.write', { file: file.file, bytes, ifExists: 'replace' });
  stores.notices.show({ tone: 'success', title: `Wrote ${named.name}` });
}

export interface DesktopActions {
  showLog(): Promise<void>;
}

export function createDesktopActions({ client, stores }: ActionContext): DesktopActions {
  const { notices, dialogs } = stores;
  return {
    async showLog() {
      try {
        const { shown, file, text } = await client.call('log.show', {});
        if (!shown) await dialogs.ask('log', { file, text });
      } catch (error) {
        notices.fail('The log could not be shown', error);
      }
    },
  };
}
