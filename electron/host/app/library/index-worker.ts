/** Worker thread for the index of a library, because SQLite's calls are synchronous and slow for a large library. */
import { parentPort, workerData } from 'node:worker_threads';
import { toWireError, type WireError } from '../../../contract/errors.ts';
import { LibraryIndex } from './index-file.ts';

/** Methods of the index that the host may call. */
type IndexMethod = 'indexedFiles' | 'update' | 'label' | 'search' | 'tags' | 'rebuild' | 'close';
export type IndexMethods = Pick<LibraryIndex, IndexMethod>;

export interface IndexedFolders {
  readonly dataFolder: string;
  readonly libraryFolder: string;
}

export interface IndexTask {
  readonly id: number;
  readonly question: IndexMethod;
  readonly asked: readonly unknown[];
}

export type IndexReply =
  | { readonly kind: 'trouble'; readonly reason: string }
  /** `rebuilds`: number of rebuilds so far. */
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown; readonly rebuilds: number }
  | { readonly kind: 'failed'; readonly id: number; readonly error: WireError };

const { dataFolder, libraryFolder } = workerData as IndexedFolders;
const send = (reply: IndexReply): void => parentPort?.postMessage(reply);
const index = new LibraryIndex(dataFolder, libraryFolder, (reason) => send({ kind: 'trouble', reason }));

parentPort?.on('message', ({ id, question, asked }: IndexTask) => {
  try {
    const answer = index[question] as (...all: readonly unknown[]) => unknown;
    send({ kind: 'done', id, value: answer.apply(index, [...asked]), rebuilds: index.rebuilds });
  } catch (error) {
    send({ kind: 'failed', id, error: toWireError(error) });
  }
});
