/**
 * SQLite index of a library's metadata, so that searching does not read the files. It contains only data from the
 * files. A missing or damaged index, or one of another version, is rebuilt.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { LibraryKind, LibraryQuery } from '../../../contract/files.ts';
import { PRIVATE_FOLDER } from '../../io/files/folders.ts';
import type { FileFacts, Labels } from './facts.ts';

/** Increment when the tables change: an index of another version is rebuilt. */
const VERSION = 3;
/** Time to wait for another process that is writing. */
const WAIT_MS = 2000;

const TABLES = `
  CREATE TABLE files (
    place TEXT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, bytes INTEGER NOT NULL, modified_ms REAL NOT NULL,
    facts TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (place, key)
  ) WITHOUT ROWID;
  CREATE TABLE labels (
    key TEXT PRIMARY KEY, tags TEXT NOT NULL, remark TEXT NOT NULL, text TEXT NOT NULL
  ) WITHOUT ROWID;
  PRAGMA user_version = ${VERSION};
`;

export interface IndexedFile extends Omit<FileFacts, 'kind'> {
  readonly place: 'yours' | 'examples';
  readonly key: string;
  readonly kind: LibraryKind;
  readonly bytes: number;
  readonly modified_ms: number;
}

export interface FoundFile extends IndexedFile {
  readonly tags: readonly string[];
  readonly remark: string;
}

/** Searchable text of a row, in lower case. */
function searchText(file: IndexedFile): string {
  const { name, notes, key, kind, facts } = file;
  const { workload, about, result, variant, precision, status, device } = facts;
  const words = [workload, about, result, variant, precision, status, device].filter((word) => word !== null);
  return [key, name, notes, kind, ...words].join(' ').toLowerCase();
}

const escapeLikePattern = (word: string): string => `%${word.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;

function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: WAIT_MS });
  try {
    const version = database.prepare('PRAGMA user_version').get()?.['user_version'];
    if (version === 0) database.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT;`);
    else if (version !== VERSION) throw new Error(`it has the unsupported version ${version}`);
    // SQLite detects most damage only when it reads the pages of the file.
    const check = database.prepare('PRAGMA quick_check').get()?.['quick_check'];
    if (check !== 'ok') throw new Error(String(check));
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

export class LibraryIndex {
  readonly #file: string;
  readonly #onTrouble: (reason: string) => void;
  #rebuilds = 0;
  #database: DatabaseSync;

  /** Opens the index of one library folder. The file of the index is in the user's data folder. */
  constructor(dataFolder: string, libraryFolder: string, onTrouble: (reason: string) => void) {
    const name = createHash('sha256').update(path.resolve(libraryFolder)).digest('hex').slice(0, 16);
    this.#file = path.join(dataFolder, 'index', `${name}.sqlite`);
    this.#onTrouble = onTrouble;
    this.#database = this.#open();
  }

  /** Number of rebuilds since opening. A rebuild discards everything that was read before. */
  get rebuilds(): number {
    return this.#rebuilds;
  }

  close(): void {
    this.#database.close();
  }

  /** Deletes the index and creates an empty one. */
  rebuild(): void {
    this.#rebuilds += 1;
    try {
      this.#database.close();
    } catch {
      // A failed database is already closed.
    }
    for (const part of ['', '-journal', '-wal', '-shm']) rmSync(`${this.#file}${part}`, { force: true });
    this.#database = this.#open();
  }

  /**
   * Returns size and modification time of every indexed file in `place`, so that the caller can detect changes in the
   * folder.
   */
  indexedFiles(
    place: IndexedFile['place'],
  ): ReadonlyMap<string, { readonly bytes: number; readonly modified_ms: number }> {
    const rows = this.#runWithRetry((db) =>
      db.prepare('SELECT key, bytes, modified_ms FROM files WHERE place = ?').all(place),
    );
    return new Map(
      rows.map(({ key, bytes, modified_ms }) => [
        String(key),
        { bytes: Number(bytes), modified_ms: Number(modified_ms) },
      ]),
    );
  }

  /** Inserts changed files and removes deleted ones. */
  update(changed: readonly IndexedFile[], gone: readonly Pick<IndexedFile, 'place' | 'key'>[]): void {
    if (changed.length === 0 && gone.length === 0) return;
    this.#runWithRetry((db) => {
      const put = db.prepare('INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)');
      const drop = db.prepare('DELETE FROM files WHERE place = ? AND key = ?');
      db.exec('BEGIN IMMEDIATE');
      for (const file of changed) {
        const { place, key, kind, bytes, modified_ms, name, notes, facts, problem } = file;
        put.run(
          place,
          key,
          kind,
          bytes,
          modified_ms,
          JSON.stringify({ name, notes, facts, problem }),
          searchText(file),
        );
      }
      for (const { place, key } of gone) drop.run(place, key);
      db.exec('COMMIT');
    });
  }

  label(labels: Labels): void {
    this.#runWithRetry((db) => {
      const put = db.prepare('INSERT OR REPLACE INTO labels VALUES (?, ?, ?, ?)');
      db.exec('BEGIN IMMEDIATE');
      db.exec('DELETE FROM labels');
      for (const [key, { tags, remark }] of Object.entries(labels)) {
        put.run(key, JSON.stringify(tags), remark, [...tags, remark].join(' ').toLowerCase());
      }
      db.exec('COMMIT');
    });
  }

  search(query: LibraryQuery): { readonly found: readonly FoundFile[]; readonly total: number } {
    const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
    const conditions = ['f.place = ?'];
    const values: SQLInputValue[] = [query.place];
    if (query.kind !== null) {
      conditions.push('f.kind = ?');
      values.push(query.kind);
    }
    if (query.tag !== null) {
      conditions.push('EXISTS (SELECT 1 FROM json_each(l.tags) WHERE value = ?)');
      values.push(query.tag);
    }
    for (const word of words) {
      conditions.push("(f.text LIKE ? ESCAPE '\\' OR l.text LIKE ? ESCAPE '\\')");
      values.push(escapeLikePattern(word), escapeLikePattern(word));
    }
    // Labels belong to the user's files: a shipped example with the same name has none.
    const from = "FROM files f LEFT JOIN labels l ON f.place = 'yours' AND l.key = f.key";
    const where = `${from} WHERE ${conditions.join(' AND ')}`;
    const order = query.order === 'name' ? 'f.key COLLATE NOCASE' : 'f.modified_ms DESC, f.key';
    return this.#runWithRetry((db) => {
      const rows = db
        .prepare(`SELECT f.*, l.tags AS tags, l.remark AS remark ${where} ORDER BY ${order} LIMIT ?`)
        .all(...values, query.limit);
      const total = Number(db.prepare(`SELECT count(*) AS n ${where}`).get(...values)?.['n'] ?? 0);
      return { found: rows.map(foundFile), total };
    });
  }

  /** Returns the tags of existing files, the most frequent first. */
  tags(): readonly { readonly tag: string; readonly count: number }[] {
    const rows = this.#runWithRetry((db) =>
      db
        .prepare(
          `SELECT value AS tag, count(*) AS count
           FROM labels l JOIN files f ON f.place = 'yours' AND f.key = l.key, json_each(l.tags)
           GROUP BY value ORDER BY count DESC, value`,
        )
        .all(),
    );
    return rows.map(({ tag, count }) => ({ tag: String(tag), count: Number(count) }));
  }

  #open(): DatabaseSync {
    try {
      mkdirSync(path.dirname(this.#file), PRIVATE_FOLDER);
      return openDatabase(this.#file);
    } catch (error) {
      this.#onTrouble(`The library index is rebuilt: ${error instanceof Error ? error.message : error}`);
    }
    try {
      for (const part of ['', '-journal', '-wal', '-shm']) rmSync(`${this.#file}${part}`, { force: true });
      return openDatabase(this.#file);
    } catch (error) {
      return this.#inMemory(error);
    }
  }

  /** Opens an index in memory if the disk is full or read-only. It is lost when the program ends. */
  #inMemory(error: unknown): DatabaseSync {
    this.#onTrouble(`The index of the library is only in memory: ${error instanceof Error ? error.message : error}`);
    return openDatabase(':memory:');
  }

  /**
   * Runs `work`. After a failure, runs it once more with an empty index: a rebuilt file if the index is damaged, or
   * memory if the disk cannot be written. The next refresh fills the index.
   */
  #runWithRetry<T>(work: (database: DatabaseSync) => T): T {
    try {
      return work(this.#database);
    } catch (error) {
      if (isDiskError(error)) {
        this.#database.close();
        this.#rebuilds += 1;
        this.#database = this.#inMemory(error);
      } else {
        this.#onTrouble(`The library index is rebuilt: ${error instanceof Error ? error.message : error}`);
        this.rebuild();
      }
      return work(this.#database);
    }
  }
}

/** SQLite's result codes for failures of the disk rather than of the file (https://www.sqlite.org/rescode.html). */
const IOERR = 10;
const FULL = 13;
const READONLY_ERROR = 8;

function isDiskError(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'errcode') : null;
  return typeof code === 'number' && [IOERR, FULL, READONLY_ERROR].includes(code & 0xff);
}

function foundFile(row: Record<string, unknown>): FoundFile {
  const { name, notes, facts, problem } = JSON.parse(String(row['facts'])) as FileFacts;
  const tags = row['tags'] === null ? [] : (JSON.parse(String(row['tags'])) as readonly string[]);
  return {
    place: row['place'] === 'examples' ? 'examples' : 'yours',
    key: String(row['key']),
    kind: row['kind'] as LibraryKind,
    bytes: Number(row['bytes']),
    modified_ms: Number(row['modified_ms']),
    name,
    notes,
    facts,
    problem,
    tags,
    remark: row['remark'] === null ? '' : String(row['remark']),
  };
}
