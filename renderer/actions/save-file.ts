/** Save location: the native dialog if there is one, a name in the library otherwise. */
import { BraggError } from '../../electron/contract/errors.ts';
import type { FilePurpose, FileRef, NamedFile } from '../../electron/contract/files.ts';
import type { ActionContext } from './context.ts';

interface SaveQuestion {
  readonly purpose: Extract<FilePurpose, 'save-scenario' | 'save-run' | 'export'>;
  readonly title: string;
  readonly suggested: string;
  /** With the dot. */
  readonly extension: string;
  readonly save: (file: FileRef, ifExists: 'replace' | 'refuse') => Promise<NamedFile>;
}

export function withExtension(name: string, extension: string): string {
  const bare = name.trim();
  return bare.toLowerCase().endsWith(extension) ? bare : `${bare}${extension}`;
}

/** A name that every file system takes. */
export function safeFileName(name: string): string {
  const safe = name
    .trim()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
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
      text: 'There is a file of this name in the library already.',
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

/** Null if the user cancels. Rejects when saving fails. */
export async function askAndSave(context: ActionContext, question: SaveQuestion): Promise<NamedFile | null> {
  const { client, stores } = context;
  if (!stores.connection.getState().capabilities.shell.dialogs) return saveInLibrary(context, question);
  const suggestedName = withExtension(safeFileName(question.suggested), question.extension);
  const { file } = await client.call('file.choose', { purpose: question.purpose, suggestedName });
  // The native dialog has already confirmed the replacement.
  return file === null ? null : question.save(file.file, 'replace');
}
