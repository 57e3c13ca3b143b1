/** Gives the user a file that was made: the native dialog asks where to, a browser downloads it. */
import type { ActionContext } from './context.ts';
import { download } from './download.ts';

interface MadeFile {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** Nothing happens where the user changes their mind. Rejects when it cannot be written. */
export async function handOut(
  { client, stores }: Pick<ActionContext, 'client' | 'stores'>,
  { name, mime, bytes }: MadeFile,
): Promise<void> {
  if (!stores.connection.getState().capabilities.shell.dialogs) {
    download(name, mime, bytes.slice());
    return;
  }
  const { file } = await client.call('file.choose', { purpose: 'export', suggestedName: name });
  if (file === null) return;
  const named = await client.call('file.write', { file: file.file, bytes, ifExists: 'replace' });
  stores.notices.tell({ tone: 'success', title: `Wrote ${named.name}` });
}
