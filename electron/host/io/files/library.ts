/**
 * The library: the user's folder, and what comes with the program seen through
 * it, with its folders. Pages name its files by file name, and shipped ones by
 * their folder too; nothing that a page says leads out of these folders.
 */
import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { makePrivate } from './data-folder.ts';
import { fileError } from './errors.ts';

/** Extensions that may be written into the library, or read from it. */
const EXTENSIONS = new Set(['.json', '.yaml', '.yml', '.h5', '.csv', '.png', '.svg', '.npz', '.txt', '.html', '.pdf']);

/** Names that Windows gives to devices, with any extension; refused everywhere so that libraries can be moved. */
const DEVICE_NAMES = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
/** Marks of text direction are among them: `cod\u202efdp.exe` is displayed as `codexe.pdf`. */
const FORBIDDEN = /[<>:"/\\|?*\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** Files that a system starts or loads when they are opened. */
const RUNNABLE = new RegExp(
  `\\.(?:${[
    ...['exe', 'com', 'bat', 'cmd', 'ps1', 'psm1', 'vbs', 'vbe', 'js', 'jse', 'mjs', 'cjs', 'wsf', 'wsh', 'hta', 'jar'],
    ...['msi', 'msp', 'msc', 'scr', 'pif', 'cpl', 'dll', 'sys', 'ocx', 'lnk', 'url', 'reg', 'inf', 'scf', 'chm'],
    ...['so', 'so\\.[0-9.]+', 'node', 'dylib', 'bundle', 'app', 'command', 'workflow', 'scpt', 'pkg', 'dmg', 'webloc'],
    ...['sh', 'bash', 'zsh', 'csh', 'ksh', 'fish', 'desktop', 'appimage', 'run', 'elf', 'deb', 'rpm', 'service', 'pth'],
  ].join('|')})$`,
  'i',
);

export interface LibraryFile {
  readonly key: string;
  readonly path: string;
  /** Came with the program. */
  readonly readOnly: boolean;
  readonly modified: Date;
  readonly bytes: number;
}

/** Shipped files may lie in folders of the program's own, one below the other: `diffraction/mosaic-1000.json`. */
const FOLDERS = /^(?:[a-z0-9-]+\/)*(?=[^/]+$)/;

/** A folder of the program, and what pages see of it. */
interface ShippedFolder {
  readonly folder: string;
  /** Before the names of its files in their keys: empty, or a folder with its slash. */
  readonly below: string;
  /** Name endings of the files that are seen. */
  readonly endings: readonly string[];
}

const plainName = (key: string): string => key.replace(FOLDERS, '');

/** Reason against a name of a file or folder that is valid on every system; null if there is none. */
function nameError(name: string): string | null {
  if (FORBIDDEN.test(name)) return 'must not contain any of < > : " / \\ | ? *, control or direction characters';
  if (name === '' || name.startsWith('.') || /[. ]$/.test(name) || name.trim() !== name)
    return 'must not be empty, begin with a dot, nor begin or end with a space';
  return DEVICE_NAMES.test(name) ? 'is the name of a device on Windows' : null;
}

/** Throws BraggError `invalid` unless `key` is a plain file name with an ending of the library. */
export function checkKey(key: string): void {
  const ending = EXTENSIONS.has(path.extname(key).toLowerCase())
    ? null
    : `must end in one of ${[...EXTENSIONS].join(' ')}`;
  const reason = nameError(key) ?? ending;
  if (reason !== null) throw new BraggError('invalid', `The file name ${JSON.stringify(key)} ${reason}.`);
}

/**
 * Parts of the path of a data file below a folder, such as `ct/slice 1.dcm`. Throws BraggError `invalid` for a name that is
 * not valid on every system, and for a file that a system would run.
 */
export function checkedParts(file: string): readonly string[] {
  const parts = file.split('/');
  const reason =
    parts.map(nameError).find((each) => each !== null) ??
    (RUNNABLE.test(file) ? 'has an ending that is run when it is opened' : null);
  if (reason !== null) throw new BraggError('invalid', `The file name ${JSON.stringify(file)} ${reason}.`);
  return parts;
}

export class Library {
  readonly #shipped: readonly ShippedFolder[];
  readonly #listeners = new Set<() => void>();
  #folder: string;

  constructor(folder: string, shipped: readonly ShippedFolder[]) {
    this.#folder = folder;
    this.#shipped = shipped;
  }

  /** The user's folder; made when something is first saved. */
  get folder(): string {
    return this.#folder;
  }

  /** Another folder from now on. Files that were open stay where they are. */
  moveTo(folder: string): void {
    this.#folder = path.resolve(folder);
    this.touched();
  }

  /** Calls the listener when the program has written into the library, or its folder has changed. */
  listen(listener: () => void): void {
    this.#listeners.add(listener);
  }

  touched(): void {
    for (const listener of this.#listeners) listener();
  }

  /** The key of a file that lies in one of the folders, else null. */
  keyOf(file: string): string | null {
    const folder = path.dirname(path.resolve(file));
    if (folder === path.resolve(this.folder)) return path.basename(file);
    for (const { folder: shipped, below, endings } of this.#shipped) {
      const inside = path.relative(path.resolve(shipped), path.resolve(file));
      if (inside.startsWith('..') || path.isAbsolute(inside) || !endings.includes(path.extname(file))) continue;
      return below + inside.split(path.sep).join('/');
    }
    return null;
  }

  /** All files with one of the extensions, the user's first, by name. A user's file hides a shipped one of its name. */
  async list(extensions: readonly string[]): Promise<readonly LibraryFile[]> {
    const all = await this.listAll(extensions);
    const names = new Set(all.flatMap(({ key, readOnly }) => (readOnly ? [] : [key])));
    return all.filter(({ key, readOnly }) => !readOnly || !names.has(key));
  }

  /** The same with shipped files that one of the user's hides. */
  async listAll(extensions: readonly string[]): Promise<readonly LibraryFile[]> {
    const all = await this.#files(this.folder, '', false, extensions);
    for (const shipped of this.#shipped) {
      const seen = extensions.filter((extension) => shipped.endings.includes(extension));
      all.push(...(await this.#shippedFiles(shipped, '', seen)));
    }
    return all;
  }

  /** The file to read. Throws `not-found`. */
  async readable(key: string): Promise<{ readonly path: string; readonly readOnly: boolean }> {
    checkKey(plainName(key));
    const own = key === plainName(key) ? await this.#inside(this.folder, key) : null;
    if (own !== null) return { path: own, readOnly: false };
    const shipped = await this.#shippedFile(key);
    if (shipped !== null) return { path: shipped, readOnly: true };
    // Folders are those of the examples and no others.
    checkKey(key);
    throw new BraggError('not-found', `There is no ${key} in the library.`);
  }

  /** The path to write. Throws `exists` for the name of a shipped file, which stays as it is. */
  async writable(key: string): Promise<string> {
    checkKey(key);
    if ((await this.#shippedFile(key)) !== null) {
      throw new BraggError('exists', `${key} comes with the program. Please choose another name.`);
    }
    try {
      await makePrivate(this.folder);
    } catch (error) {
      throw fileError(error, this.folder);
    }
    const target = path.join(this.folder, key);
    // Writing goes by renaming, which replaces a link and does not follow it.
    const present = await lstat(target).catch(() => null);
    if (present !== null && !present.isFile()) {
      throw new BraggError('io', `${key} in the library is not a plain file and is left alone.`);
    }
    return target;
  }

  async #shippedFile(key: string): Promise<string | null> {
    for (const { folder, below, endings } of this.#shipped) {
      if (!key.startsWith(below) || !endings.includes(path.extname(key))) continue;
      const found = await this.#inside(folder, key.slice(below.length));
      if (found !== null) return found;
    }
    return null;
  }

  /** Those in the folder, then those in its folders by name. */
  async #shippedFiles(
    shipped: ShippedFolder,
    within: string,
    extensions: readonly string[],
  ): Promise<readonly LibraryFile[]> {
    const folder = path.join(shipped.folder, within);
    const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const folders = found.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const files = await this.#files(folder, shipped.below + within, true, extensions);
    for (const name of folders.sort())
      files.push(...(await this.#shippedFiles(shipped, `${within}${name}/`, extensions)));
    return files;
  }

  async #files(
    folder: string,
    below: string,
    readOnly: boolean,
    extensions: readonly string[],
  ): Promise<LibraryFile[]> {
    const names = await readdir(folder).catch(() => []);
    const wanted = names.filter((name) => extensions.includes(path.extname(name).toLowerCase())).sort();
    const files: LibraryFile[] = [];
    for (const name of wanted) {
      const file = path.join(folder, name);
      const found = await lstat(file).catch(() => null);
      if (found?.isFile())
        files.push({ key: `${below}${name}`, path: file, readOnly, modified: found.mtime, bytes: found.size });
    }
    return files;
  }

  /** The file's real path if it is where its key says below the folder, also behind links; null otherwise. */
  async #inside(folder: string, key: string): Promise<string | null> {
    try {
      const [root, file] = await Promise.all([realpath(folder), realpath(path.join(folder, key))]);
      const place = path.join(root, ...key.split('/').slice(0, -1));
      return path.dirname(file) === place ? file : null;
    } catch {
      return null;
    }
  }
}
