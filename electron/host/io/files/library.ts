/**
 * The library: the user's folder, and the shipped folders as its read-only parts. A key identifies a file: its name, or
 * for a shipped file the folder and the name. No key that a page sends can refer to a file outside of these folders.
 */
import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { BraggError } from '../../../contract/errors.ts';
import { makePrivateFolder } from './folders.ts';
import { toFileError } from './plain-file.ts';

/** Extensions of files that may be read from the library or written into it. */
const ALLOWED_EXTENSIONS = new Set([
  '.json',
  '.yaml',
  '.yml',
  '.h5',
  '.csv',
  '.png',
  '.svg',
  '.npz',
  '.txt',
  '.html',
  '.pdf',
]);

/**
 * Device names of Windows, with any extension. They are rejected on every system, so that libraries can be moved to
 * Windows.
 */
const DEVICE_NAMES = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
/**
 * Characters that a file name may not contain, including marks of text direction: `cod\u202efdp.exe` is displayed as
 * `codexe.pdf`.
 */
const FORBIDDEN_CHARACTERS = /[<>:"/\\|?*\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** Extensions of files that an operating system executes or loads when they are opened. */
const RUNNABLE_EXTENSION = new RegExp(
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
  /** True for shipped files. */
  readonly readOnly: boolean;
  readonly modified: Date;
  readonly bytes: number;
}

/** Folders at the start of a shipped file's key: `diffraction/mosaic-1000.json`. */
const FOLDER_PREFIX = /^(?:[a-z0-9-]+\/)*(?=[^/]+$)/;

/** A shipped folder, and the keys of its files in the library. */
interface ShippedFolder {
  readonly folder: string;
  /** Prefix of the keys of its files: empty, or a folder with a slash. */
  readonly below: string;
  /** Endings of the names of listed files, such as `.json`. */
  readonly endings: readonly string[];
}

const fileNameOf = (key: string): string => key.replace(FOLDER_PREFIX, '');

/** Reason why a name of a file or folder is not valid on every system; null if it is valid. */
function nameError(name: string): string | null {
  if (FORBIDDEN_CHARACTERS.test(name))
    return 'must not contain any of < > : " / \\ | ? *, control or direction characters';
  if (name === '' || name.startsWith('.') || /[. ]$/.test(name) || name.trim() !== name)
    return 'must not be empty, begin with a dot or a space, or end with a space';
  return DEVICE_NAMES.test(name) ? 'is the name of a device on Windows' : null;
}

/** Throws BraggError `invalid` unless `key` is a plain file name with an extension that the library allows. */
export function checkKey(key: string): void {
  const ending = ALLOWED_EXTENSIONS.has(path.extname(key).toLowerCase())
    ? null
    : `must end in one of ${[...ALLOWED_EXTENSIONS].join(' ')}`;
  const reason = nameError(key) ?? ending;
  if (reason !== null) throw new BraggError('invalid', `The file name ${JSON.stringify(key)} ${reason}.`);
}

/**
 * Splits the path of a data file below a folder, such as `ct/slice 1.dcm`, into its parts. Throws BraggError `invalid`
 * if a part is not a valid name on every system, or if a system would execute the file.
 */
export function splitCheckedPath(file: string): readonly string[] {
  const parts = file.split('/');
  const reason =
    parts.map(nameError).find((each) => each !== null) ??
    (RUNNABLE_EXTENSION.test(file) ? 'has an extension that is executed when the file is opened' : null);
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

  /** The user's folder; it is created when a file is first saved. */
  get folder(): string {
    return this.#folder;
  }

  /** Uses another folder from now on. The paths of open files do not change. */
  setFolder(folder: string): void {
    this.#folder = path.resolve(folder);
    this.notifyListeners();
  }

  /**
   * Calls the listener after the program has written to the library, or after its folder was replaced by another one.
   */
  listen(listener: () => void): void {
    this.#listeners.add(listener);
  }

  notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Key of a file in one of the library's folders; null for other files. */
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

  /**
   * Lists all files with one of the extensions: first the user's, then shipped ones, each by name. A user's file hides
   * a shipped one with the same name.
   */
  async list(extensions: readonly string[]): Promise<readonly LibraryFile[]> {
    const all = await this.listAll(extensions);
    const names = new Set(all.flatMap(({ key, readOnly }) => (readOnly ? [] : [key])));
    return all.filter(({ key, readOnly }) => !readOnly || !names.has(key));
  }

  /** All files, including shipped ones that a user's file hides. */
  async listAll(extensions: readonly string[]): Promise<readonly LibraryFile[]> {
    const all = await this.#files(this.folder, '', false, extensions);
    for (const shipped of this.#shipped) {
      const seen = extensions.filter((extension) => shipped.endings.includes(extension));
      all.push(...(await this.#shippedFiles(shipped, '', seen)));
    }
    return all;
  }

  /** Path for reading the file with this key. Throws `not-found`. */
  async pathForReading(key: string): Promise<{ readonly path: string; readonly readOnly: boolean }> {
    checkKey(fileNameOf(key));
    const own = key === fileNameOf(key) ? await this.#inside(this.folder, key) : null;
    if (own !== null) return { path: own, readOnly: false };
    const shipped = await this.#shippedFile(key);
    if (shipped !== null) return { path: shipped, readOnly: true };
    // Only keys of shipped files may contain folders.
    checkKey(key);
    throw new BraggError('not-found', `The library has no file ${key}.`);
  }

  /**
   * Path for writing the file with this key. Throws `exists` if a shipped file has this key, because shipped files are
   * read-only.
   */
  async pathForWriting(key: string): Promise<string> {
    checkKey(key);
    if ((await this.#shippedFile(key)) !== null) {
      throw new BraggError('exists', `${key} is shipped with the program. Please choose another name.`);
    }
    try {
      await makePrivateFolder(this.folder);
    } catch (error) {
      throw toFileError(error, this.folder);
    }
    const target = path.join(this.folder, key);
    // A write renames a temporary file to the target. That replaces a symbolic link instead of following it.
    const present = await lstat(target).catch(() => null);
    if (present !== null && !present.isFile()) {
      throw new BraggError('io', `${key} in the library is not a regular file and is ignored.`);
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

  /** Shipped files in the folder, then those in its subfolders by name. */
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

  /** Real path of a file, if it is still in its folder after resolving symbolic links; null otherwise. */
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
