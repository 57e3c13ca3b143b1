/**
 * Names of workloads appear only in their own folders and in the registries. One type name has one meaning. Code must
 * distinguish errors by their codes, because messages are for people.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { scenarioKindNames } from '../../electron/contract/scenario/index.ts';
import { read, sourceFiles, withoutComments } from './imports.ts';
import { filesThatNameWorkloads, workloadFolders, workloadImporters, workloadRegistries } from './rules.ts';

describe('workload names in code', () => {
  /** Matches a workload's name as a value, or as a key of a table by workload. */
  const names = scenarioKindNames.join('|');
  const NAMED = new RegExp(`'(${names})'|^\\s+(readonly )?(${names})(: [^;]*)?,$`, 'm');

  const inside = (file: string, folders: readonly string[]) =>
    folders.some((folder) => file === folder || file.startsWith(`${folder}/`));
  /** Build scripts are left out: they compute numbers from particular sessions and belong to no workload. */
  const naming = sourceFiles(['{electron,renderer}/**/*.{ts,tsx}']).filter(
    (file) => !file.startsWith('electron/build/') && NAMED.test(withoutComments(read(file))),
  );

  it('finds a workload name used as a value or a key', () => {
    expect(NAMED.test('  diffraction: ImageResults,\n')).toBe(true);
    expect(NAMED.test("if (kind === 'micro') return;")).toBe(true);
    expect(NAMED.test('const diffraction = 1;')).toBe(false);
  });

  it('names of workloads appear only in their own folders and in the registries', () => {
    expect(naming.length).toBeGreaterThan(10);
    const still = filesThatNameWorkloads.map(({ file }) => file);
    expect(naming.filter((file) => !inside(file, [...workloadFolders, ...workloadRegistries, ...still]))).toEqual([]);
  });

  it('no exception is listed for a file without workload names', () => {
    expect(filesThatNameWorkloads.filter(({ file }) => !naming.includes(file))).toEqual([]);
  });

  /**
   * Matches imports of a workload's folder in the host. The command line and the subsystems must use the registry
   * instead.
   */
  const WORKLOAD_IMPORT = /from '[^']*(?:\/workloads\/(?:transport|diffraction|task)\/|\/host\/api\/workloads\.ts')/;
  const entering = sourceFiles(['electron/**/*.ts']).filter(
    (file) =>
      !file.startsWith('electron/build/') &&
      !file.startsWith('electron/host/workloads/') &&
      WORKLOAD_IMPORT.test(read(file)),
  );

  it('a workload folder is imported only by its own folders and by files of that workload', () => {
    expect(entering.length).toBeGreaterThan(5);
    const excused = workloadImporters.map(({ file }) => file);
    // Each file that imports a workload must be exempt, and each exemption must still be needed.
    expect(entering.filter((file) => !inside(file, workloadFolders)).sort()).toEqual([...excused].sort());
  });
});

describe('meanings of names', () => {
  const root = path.resolve(import.meta.dirname, '../..');
  const sources = globSync('{electron,renderer}/**/*.{ts,tsx}', { cwd: root });

  it('only the library declares a type named Place', () => {
    const types = sources.flatMap((file) =>
      [
        ...readFileSync(path.join(root, file), 'utf8').matchAll(/^(?:export )?(?:interface|type|class) (\w*Place)\b/gm),
      ].map(([, name]) => name),
    );
    expect(types).toEqual(['LibraryPlace']);
  });

  /**
   * Files that match message texts because their source provides a reason only as text. The comments name the sources.
   */
  const MESSAGE_PARSERS = [
    // Study results, which state the outcome of an imported point and a time limit in words.
    'electron/host/app/tuning/transfer.ts',
    // The HDF5 library.
    'electron/host/io/hdf5/h5.ts',
    // The JavaScript engine, which reports the position of an error in JSON.
    'electron/host/model/timeline/import/json-events.ts',
    // The solver, which prints path and value of a rejected field.
    'electron/host/workloads/scenarios/scenarios.ts',
  ];
  const SEARCHED = '(?:startsWith|endsWith|includes|match|matchAll|search|indexOf)';
  const DIRECTLY = new RegExp(
    `\\.message\\??\\.${SEARCHED}\\(|\\.message\\s*[!=]==?|[!=]==?\\s*[\\w.?]+\\.message\\b|` +
      String.raw`\b(?:test|exec)\([^;]*?\.message\b|\bswitch \([^)]*\.message\b`,
  );
  /** Contexts that may contain a message: assigned, destructured or passed to a function. */
  const MESSAGE_CONTEXTS = [
    /\b(?:const|let) (\w+)(?:: string)? = [^;({\n]*(?:\([^()\n]*\))?[^;({\n]*\.message\b[^;({\n]*;/g,
    /\{[^{}]*\bmessage: (\w+)\b[^{}]*\}(?:: [\w<>]+)?(?:\) =>| = )/g,
    /\{[^{}]*\b(message)\b(?!:)[^{}]*\}(?:: [\w<>]+)?(?:\) =>| = )/g,
    /\((message): string/g,
  ];
  const throughVariable = (text: string) =>
    MESSAGE_CONTEXTS.flatMap((holder) => [...text.matchAll(holder)].map(([, name = '']) => name)).some((name) =>
      new RegExp(
        `(?<![.\\w])${name}\\??\\.${SEARCHED}\\(|(?<![.\\w])${name}\\s*[!=]==\\s*['"]\\w|[!=]==\\s*${name}\\b(?!\\.)|` +
          `\\b(?:test|exec)\\(${name}\\)|\\bswitch \\(${name}\\)`,
      ).test(text),
    );
  const decides = (text: string) => DIRECTLY.test(text) || throughVariable(text);

  it('no control flow depends on an error message', () => {
    const found = sources
      .filter((file) => !file.startsWith('electron/build/'))
      .filter((file) => decides(readFileSync(path.join(root, file), 'utf8')));
    expect(found.map((file) => file.replaceAll('\\', '/')).sort()).toEqual(MESSAGE_PARSERS);
  });

  it('finds an error message that is compared through a variable', () => {
    for (const text of [
      "const said = error.message;\nif (said.startsWith('no room')) retry();",
      "const text = error instanceof Error ? error.message : '';\nif (/busy/.test(text)) retry();",
      "const { code, message } = error;\nif (message === 'busy') retry();",
      'const { message: words } = fromNative(error);\nswitch (words) {}',
      'const busy = ({ message }) => OUTCOMES.find((one) => one === message);',
      'function kindOf(message: string) {\n  return KIND.exec(message);\n}',
    ])
      expect(decides(text), text).toBe(true);
    for (const text of [
      'const said = error.message;\nterminal.say(said);',
      'const said = error.message;\nif (other.said === null) say(said);',
      "const { code, message } = error;\nif (code === 'invalid') say(message);",
    ])
      expect(decides(text), text).toBe(false);
  });
});
