/**
 * The library with a search index, which is synchronized with the folder before every response.
 *
 * SQLite runs on a worker thread; this file is the host's side.
 */
import { type FSWatcher, watch } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { BraggError, messageOf } from '../../../contract/errors.ts';
import type { FileRef, LibraryItem, LibraryQuery, NamedFile } from '../../../contract/files.ts';
import type { Result } from '../../../contract/wire/methods.ts';
import type { FileAccess } from '../../io/files/access.ts';
import type { LibraryFile } from '../../io/files/library.ts';
import type { Locks } from '../../io/files/locks.ts';
import { jsonTextInSlices, runInSlices } from '../../io/flow/cooperative.ts';
import type { FrameSink } from '../../io/flow/subscribers.ts';
import { programPath } from '../../io/programs.ts';
import { type FactReaders, kindOf, type Label, type Labels, LabelsFile, noFacts, readFacts } from './facts.ts';
import type { FoundFile, IndexedFile } from './index-file.ts';
import type { IndexedFolders, IndexMethods, IndexReply, IndexTask } from './index-worker.ts';
import { listTrash, moveToTrash, restoreFromTrash, type TrashEntry, trashedKey } from './trash.ts';

type IndexArguments<Q extends keyof IndexMethods> = Parameters<IndexMethods[Q]>;
type IndexResult<Q extends keyof IndexMethods> = ReturnType<IndexMethods[Q]>;

interface PendingReply {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

class IndexThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PendingReply>();
  readonly #onTrouble: (reason: string) => void;
  #next = 0;
  #rebuilds = 0;
  #ended: BraggError | null = null;

  constructor(place: IndexedFolders, onTrouble: (reason: string) => void) {
    this.#onTrouble = onTrouble;
    this.#worker = new Worker(programPath('library-worker', 'app/library/index-worker.ts'), { workerData: place });
    this.#worker.on('message', (reply: IndexReply) => this.#handleReply(reply));
    this.#worker.on('error', (error: Error) => this.#fail(`The index of the library failed: ${error.message}.`));
    this.#worker.on('exit', () => this.#fail('The index of the library was closed.'));
    // The worker thread must not prevent the process from exiting.
    this.#worker.unref();
  }

  /** True if the index has failed or was closed, so that a new one must be opened. */
  get ended(): boolean {
    return this.#ended !== null;
  }

  /** Number of rebuilds since opening, according to the last response. A rebuild discards everything read before. */
  get rebuilds(): number {
    return this.#rebuilds;
  }

  ask<Q extends keyof IndexMethods>(question: Q, ...asked: IndexArguments<Q>): Promise<IndexResult<Q>> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    const id = this.#next++;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#worker.ref();
    this.#worker.postMessage({ id, question, asked } satisfies IndexTask);
    return answer as Promise<IndexResult<Q>>;
  }

  /** Closes the index after all earlier requests have been answered. */
  async close(): Promise<void> {
    await this.ask('close').catch(() => undefined);
    await this.#worker.terminate();
  }

  #handleReply(reply: IndexReply): void {
    if (reply.kind === 'trouble') {
      this.#onTrouble(reply.reason);
      return;
    }
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (reply.kind === 'failed') {
      waiting?.reject(BraggError.fromWire(reply.error));
      return;
    }
    this.#rebuilds = reply.rebuilds;
    waiting?.resolve(reply.value);
  }

  #fail(reason: string): void {
    this.#ended ??= new BraggError('internal', reason);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(this.#ended);
  }
}

/** Extensions of files that the library lists; other files are ignored. */
const LISTED_EXTENSIONS = ['.json', '.yaml', '.yml', '.h5'];
/**
 * Delay before watchers are notified. Copying a folder triggers an event for each file, but one notification is enough.
 */
const SETTLE_MS = 150;
/** Number of files per update of the index. If indexing a large library is interrupted, earlier batches remain. */
const FILES_PER_UPDATE = 100;

interface CatalogueOptions {
  readonly dataFolder: string;
  readonly files: FileAccess;
  readonly locks: Locks;
  readonly readers: FactReaders;
  readonly onTrouble: (reason: string) => void;
}

type SearchResult = Result<'library.search'>;

export class Catalogue {
  readonly #options: CatalogueOptions;
  /** Opened on first use, and again after the library's folder has changed. */
  #index: { readonly folder: string; readonly index: IndexThread } | null = null;
  #refreshing: Promise<void> = Promise.resolve();
  #queued: Promise<void> | null = null;
  #labels = '';
  readonly #watchers = new Set<FrameSink<{ revision: number }>>();
  #watching: { readonly folder: string; readonly watcher: FSWatcher } | null = null;
  #settling: NodeJS.Timeout | undefined;
  #revision = 1;
  #closed = false;

  constructor(options: CatalogueOptions) {
    this.#options = options;
    options.files.library.listen(() => this.#notifyWatchers());
  }

  async search(query: LibraryQuery): Promise<SearchResult> {
    if (query.place === 'trash') return this.#searchTrash(query);
    for (let attempt = 0; ; attempt += 1) {
      await this.#refresh();
      const index = this.#ensureIndex();
      const { rebuilds } = index;
      const { found, total } = await index.ask('search', query);
      const tags = await index.ask('tags');
      // If the index was rebuilt during the query, the response is empty, so refresh and query once more.
      if (index.rebuilds !== rebuilds && attempt === 0) continue;
      return { folder: this.#folder, items: found.map(libraryItem), total, tags: [...tags] };
    }
  }

  async label(file: FileRef, label: Label): Promise<void> {
    const key = await this.#requireUserKey(file);
    const tags = [...new Set(label.tags)];
    await this.#options.files.withLibraryLock(() =>
      this.#labelsFile.changeLocked(() => ({ [key]: { tags, remark: label.remark } })),
    );
    this.#notifyWatchers();
  }

  /**
   * Moves a file to the trash and returns its id there. The label is written first, so that a full disk is reported
   * before any file is moved.
   */
  async trash(file: FileRef): Promise<string> {
    const key = await this.#requireUserKey(file);
    const labels = this.#labelsFile;
    const id = await this.#options.files.withLibraryLock(() =>
      moveToTrash(this.#folder, key, {
        before: (wanted) => labels.changeLocked((now) => ({ [trashedKey(wanted)]: now[key] ?? null })),
        after: () => this.#forgetLabel(key),
      }),
    );
    this.#notifyWatchers();
    return id;
  }

  async restore(id: string): Promise<NamedFile> {
    const { files } = this.#options;
    const labels = this.#labelsFile;
    const isShipped = (key: string): Promise<boolean> =>
      files.library.pathForReading(key).then(
        () => true,
        () => false,
      );
    const key = await files.withLibraryLock(() =>
      restoreFromTrash(this.#folder, id, isShipped, {
        before: (wanted) => labels.changeLocked((now) => ({ [wanted]: now[trashedKey(id)] ?? null })),
        after: () => this.#forgetLabel(trashedKey(id)),
      }),
    );
    this.#notifyWatchers();
    return files.nameOf({ kind: 'library', key });
  }

  /** Rebuilds the index and returns the number of the user's files. */
  async rebuild(): Promise<number> {
    await this.#ensureIndex().ask('rebuild');
    this.#labels = '';
    await this.#refresh();
    this.#notifyWatchers();
    return (await this.#ensureIndex().ask('indexedFiles', 'yours')).size;
  }

  watch(sink: FrameSink<{ revision: number }>): () => void {
    this.#watchers.add(sink);
    this.#watchFolder();
    sink.offer(() => ({ revision: this.#revision }));
    return () => {
      this.#watchers.delete(sink);
      if (this.#watchers.size === 0) this.#unwatch();
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#settling);
    this.#unwatch();
    const index = this.#index?.index;
    this.#index = null;
    await index?.close();
  }

  get #folder(): string {
    return this.#options.files.library.folder;
  }

  #ensureIndex(): IndexThread {
    if (this.#closed) throw new BraggError('disconnected', 'The program is closing.');
    if (this.#index?.folder !== this.#folder || this.#index.index.ended) {
      void this.#index?.index.close();
      const { dataFolder, onTrouble } = this.#options;
      const place = { dataFolder, libraryFolder: this.#folder };
      this.#index = { folder: this.#folder, index: new IndexThread(place, onTrouble) };
      this.#labels = '';
    }
    return this.#index.index;
  }

  /** Returns the key of a user's file. Throws BraggError if the file is read-only. */
  async #requireUserKey(file: FileRef): Promise<string> {
    if (file.kind !== 'library') throw new BraggError('unsupported', 'This file is not in the library.');
    const { readOnly } = await this.#options.files.library.pathForReading(file.key);
    if (readOnly) throw new BraggError('unsupported', `${file.key} is shipped with the program and cannot be changed.`);
    return file.key;
  }

  get #labelsFile(): LabelsFile {
    const { locks, onTrouble } = this.#options;
    return new LabelsFile(this.#folder, locks, onTrouble);
  }

  /** Reads the labels for display. If this fails, reports the error and returns no labels. */
  async #shownLabels(): Promise<Labels> {
    return this.#labelsFile.read().catch((error: unknown) => {
      this.#options.onTrouble(`Tags and notes are not shown: ${error instanceof Error ? error.message : error}`);
      return {};
    });
  }

  /** Removes the label of the old key. The moved file already has its label, so a failure is only a warning. */
  async #forgetLabel(key: string): Promise<void> {
    try {
      await this.#labelsFile.changeLocked(() => ({ [key]: null }));
    } catch (error) {
      const reason = messageOf(error);
      this.#options.onTrouble(
        `The tags and notes moved with the file, but the old entry ${path.basename(key)} was not removed: ${reason}`,
      );
    }
  }

  /** Queues a refresh. A running one may have listed the folder before the latest change, so it is not enough. */
  #refresh(): Promise<void> {
    this.#queued ??= this.#refreshing.then(() => {
      this.#queued = null;
      const refreshed = this.#updateIndex();
      this.#refreshing = refreshed.catch(() => {});
      return refreshed;
    });
    return this.#queued;
  }

  async #updateIndex(): Promise<void> {
    const { files, readers } = this.#options;
    const index = this.#ensureIndex();
    const listed = await files.library.listAll(LISTED_EXTENSIONS);
    for (const place of ['yours', 'examples'] as const) {
      const present = listed.filter(({ readOnly }) => readOnly === (place === 'examples'));
      const known = await index.ask('indexedFiles', place);
      let changed: IndexedFile[] = [];
      for (const file of present) {
        const before = known.get(file.key);
        if (before?.bytes === file.bytes && before.modified_ms === file.modified.getTime()) continue;
        changed.push(await indexFile(place, file, readers));
        if (changed.length < FILES_PER_UPDATE) continue;
        await index.ask('update', changed, []);
        changed = [];
      }
      const keys = new Set(present.map(({ key }) => key));
      const gone = [...known.keys()].filter((key) => !keys.has(key)).map((key) => ({ place, key }));
      await index.ask('update', changed, gone);
    }
    const labels = await this.#shownLabels();
    const written = await runInSlices(jsonTextInSlices(labels));
    const text = `${index.rebuilds} ${written}`;
    if (text !== this.#labels) await index.ask('label', labels);
    this.#labels = text;
  }

  async #searchTrash({ text, kind, tag, limit }: LibraryQuery): Promise<SearchResult> {
    const labels = await this.#shownLabels();
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const items = (await listTrash(this.#folder)).map((entry) => trashItem(entry, labels[trashedKey(entry.id)]));
    const found = items.filter((item) => {
      const searched = [item.fileName, item.remark, ...item.tags].join(' ').toLowerCase();
      const fits = words.every((word) => searched.includes(word));
      return fits && (kind === null || item.kind === kind) && (tag === null || item.tags.includes(tag));
    });
    return { folder: this.#folder, items: found.slice(0, limit), total: found.length, tags: [] };
  }

  #watchFolder(): void {
    if (this.#watching?.folder === this.#folder) return;
    this.#unwatch();
    // If the folder is missing, watch its parent. Another program such as an agent's server may create the folder.
    for (const folder of [this.#folder, path.dirname(this.#folder)]) {
      try {
        const watcher = watch(folder, { persistent: false }, () => {
          clearTimeout(this.#settling);
          this.#settling = setTimeout(() => this.#notifyWatchers(), SETTLE_MS);
          this.#settling.unref();
        });
        watcher.on('error', () => this.#unwatch());
        this.#watching = { folder, watcher };
        return;
      } catch {
        // Without file events, watchers are still notified of changes by this program.
      }
    }
  }

  #unwatch(): void {
    this.#watching?.watcher.close();
    this.#watching = null;
  }

  #notifyWatchers(): void {
    this.#revision += 1;
    if (this.#watchers.size > 0) this.#watchFolder();
    for (const sink of this.#watchers) sink.offer(() => ({ revision: this.#revision }));
  }
}

async function indexFile(place: IndexedFile['place'], file: LibraryFile, readers: FactReaders): Promise<IndexedFile> {
  const { key, bytes, modified } = file;
  const facts = await readFacts(file, readers);
  return { place, key, bytes, modified_ms: modified.getTime(), ...facts, kind: facts.kind ?? kindOf(key) };
}

function libraryItem({ place: _place, key, modified_ms, tags, ...file }: FoundFile): LibraryItem {
  const ref = { kind: 'library', key } as const;
  const modified = new Date(modified_ms).toISOString();
  return { ...file, id: key, file: ref, fileName: path.basename(key), tags: [...tags], modified };
}

function trashItem({ id, fileName, bytes, trashed }: TrashEntry, label: Label | undefined): LibraryItem {
  return {
    id,
    file: null,
    fileName,
    kind: kindOf(fileName),
    name: '',
    notes: '',
    facts: noFacts,
    tags: [...(label?.tags ?? [])],
    remark: label?.remark ?? '',
    problem: null,
    bytes,
    modified: trashed,
  };
}
