import { expect, it } from 'vitest';
import { scenarioKindNames } from '../../electron/contract/scenario/index.ts';
import { read, sourceFiles, withoutComments } from './imports.ts';
import { ofOneWorkload, workloadFolders, workloadRegistries, workloadsStillNamed } from './rules.ts';

/** A name as a value, or as the key of a table by workload. */
const names = scenarioKindNames.join('|');
const NAMED = new RegExp(`'(${names})'|^\\s+(readonly )?(${names})(: [^;]*)?,$`, 'm');

const inside = (file: string, folders: readonly string[]) =>
  folders.some((folder) => file === folder || file.startsWith(`${folder}/`));
/** Build scripts make figures of certain sessions: they are no layer of a workload. */
const naming = sourceFiles(['{electron,renderer}/**/*.{ts,tsx}']).filter(
  (file) => !file.startsWith('electron/build/') && NAMED.test(withoutComments(read(file))),
);

it('finds a name as a value and as a key', () => {
  expect(NAMED.test('  diffraction: ImageResults,\n')).toBe(true);
  expect(NAMED.test("if (kind === 'micro') return;")).toBe(true);
  expect(NAMED.test('const diffraction = 1;')).toBe(false);
});

it('names of workloads stand in their own folders and in the registries', () => {
  expect(naming.length).toBeGreaterThan(10);
  const still = workloadsStillNamed.map(({ file }) => file);
  expect(naming.filter((file) => !inside(file, [...workloadFolders, ...workloadRegistries, ...still]))).toEqual([]);
});

it('no file is excused that names none any more', () => {
  expect(workloadsStillNamed.filter(({ file }) => !naming.includes(file))).toEqual([]);
});

/** Rooms of workloads in the host, which the command line and the subsystems reach by the registry. */
const ROOM = /from '[^']*\/workloads\/(?:transport|diffraction|task)\//;
const entering = sourceFiles(['electron/**/*.ts']).filter(
  (file) =>
    !file.startsWith('electron/build/') && !file.startsWith('electron/host/workloads/') && ROOM.test(read(file)),
);

it('a room of a workload is entered by its own folders and by what is of one workload alone', () => {
  expect(entering.length).toBeGreaterThan(5);
  const excused = ofOneWorkload.map(({ file }) => file);
  expect(entering.filter((file) => !inside(file, [...workloadFolders, ...excused]))).toEqual([]);
});
