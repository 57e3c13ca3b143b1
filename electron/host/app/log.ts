/**
 * The host's messages to the user. Pages that connect later receive the recent ones. The log file remains on this
 * machine.
 */
import { appendFileSync, mkdirSync, renameSync, statSync, truncateSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { LogEntry } from '../../contract/wire/streams.ts';
import { PRIVATE_FOLDER } from '../io/files/folders.ts';
import { toFileError } from '../io/files/plain-file.ts';
import type { FrameSink } from '../io/flow/subscribers.ts';

const RECENT_LINES = 100;
/** Size in bytes above which the log is renamed when it is opened. It replaces the previously renamed log. */
const MAX_BYTES = 2 * 2 ** 20;
/** Maximum length of the text returned by `tail`: several screens. */
const TAIL_BYTES = 64 * 2 ** 10;

export class HostLog {
  readonly #entries: LogEntry[] = [];
  readonly #readers = new Set<FrameSink<LogEntry>>();
  /** Null if no log file is written. */
  readonly file: string | null;
  #isFolderReady = false;
  /** Lines that could not be written. They are written before the next line. Their number is limited. */
  #unwritten: string[] = [];

  constructor(folder: string | null = null) {
    this.file = folder === null ? null : path.join(folder, 'braggbench.log');
  }

  readonly write = (level: LogEntry['level'], text: string): void => {
    const entry = { time: new Date().toISOString(), level, text };
    this.#entries.push(entry);
    if (this.#entries.length > RECENT_LINES) this.#entries.shift();
    for (const reader of this.#readers) reader.offer(() => entry);
    this.#append(`${entry.time} ${level.padEnd(7)} ${text.replaceAll('\n', '\n  ')}\n`);
  };

  read(sink: FrameSink<LogEntry>): () => void {
    for (const entry of this.#entries) sink.offer(() => entry);
    this.#readers.add(sink);
    return () => this.#readers.delete(sink);
  }

  /** Returns the end of the log, starting at the beginning of a line. */
  async tail(): Promise<string> {
    const lines = this.#entries.map(({ time, level, text }) => `${time} ${level.padEnd(7)} ${text}\n`).join('');
    if (this.file === null) return lines;
    const file = await open(this.file, 'r').catch(() => null);
    if (file === null) return lines;
    try {
      const { size } = await file.stat();
      const start = Math.max(0, size - TAIL_BYTES);
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
      const text = buffer.toString('utf8', 0, bytesRead);
      return (start === 0 ? text : text.slice(text.indexOf('\n') + 1)) + this.#unwritten.join('');
    } finally {
      await file.close();
    }
  }

  /**
   * Appends a line to the file. Synchronous, because the last lines before a crash matter most. Lines are rare, so this
   * does not block the event loop noticeably.
   */
  #append(line: string): void {
    if (this.file === null) return;
    const pending = [...this.#unwritten, line];
    try {
      if (!this.#isFolderReady) {
        mkdirSync(path.dirname(this.file), PRIVATE_FOLDER);
        const size = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
        if (size > MAX_BYTES) renameSync(this.file, `${this.file}.1`);
        this.#isFolderReady = true;
      }
      appendFully(this.file, pending.join(''));
      this.#unwritten = [];
    } catch (error) {
      // The folder may have been deleted, so create it again for the next line.
      this.#isFolderReady = false;
      const first = this.#unwritten.length === 0;
      this.#unwritten = pending.slice(-RECENT_LINES);
      // Report only once: a full disk would cause a warning for every line.
      if (first)
        this.write('warning', `The log cannot be written at the moment: ${toFileError(error, this.file).message}`);
    }
  }
}

/** Appends the complete text or nothing, because a partial line would run into the next. */
function appendFully(file: string, text: string): void {
  const before = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  try {
    appendFileSync(file, text);
  } catch (error) {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > before) truncateSync(file, before);
    throw error;
  }
}
