import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { read, scriptImports, sourceFiles } from './imports.ts';
import { crowdedFolders, shortFiles } from './rules.ts';

describe('file size', () => {
  /** Number of lines above which a file's header must say why it is one file. */
  const LONG_FILE_LINES = 700;
  const HEADER_LINES = 30;

  /** Files below this number of lines need two importers: code with a single user belongs in that user's file. */
  const MIN_UNSHARED_LINES = 30;

  const files = sourceFiles([
    '{electron,renderer,test}/**/*.{ts,tsx,mjs,css}',
    '{native,kernels,test}/**/*.{cpp,hpp,cu,cuh}',
  ]).map((file) => ({ file, lines: read(file).split('\n') }));

  it('files above 700 lines state a reason', () => {
    expect(files.length).toBeGreaterThan(50);
    const silent = files
      .filter(({ lines }) => lines.length > LONG_FILE_LINES)
      .filter(({ lines }) => !/\b(long|lines|one file)\b/i.test(lines.slice(0, HEADER_LINES).join('\n')))
      .map(({ file, lines }) => `${file} has ${lines.length} lines`);
    expect(silent).toEqual([]);
  });

  it('most files are short', () => {
    const sizes = files.map(({ lines }) => lines.length).sort((a, b) => a - b);
    const quantile = (part: number) => sizes[Math.floor(part * (sizes.length - 1))] ?? 0;
    expect(quantile(0.5)).toBeGreaterThanOrEqual(100);
    expect(quantile(0.5)).toBeLessThanOrEqual(150);
    expect(quantile(0.9)).toBeLessThanOrEqual(400);
  });

  it('the code has at most 2,000 files, and no folder has too many', () => {
    const code = sourceFiles(['{electron,renderer,native,kernels,test}/**/*.{ts,tsx,mjs,cpp,hpp,cu,cuh}']);
    expect(code.length).toBeGreaterThan(1500);
    expect(code.length).toBeLessThanOrEqual(2000);
    const page = new Set(code.filter((file) => /^renderer\/.+\//.test(file)).map((file) => file.split('/')[1]));
    expect(page.size).toBeLessThanOrEqual(10);
    const workloads = 'electron/host/workloads';
    const most = { task: 9, diffraction: 17, 'transport/scenario': 15 };
    for (const [room, count] of Object.entries(most)) {
      const inside = code.filter((file) => file.startsWith(`${workloads}/${room}/`));
      expect(inside.length, room).toBeGreaterThan(3);
      expect(inside.length, room).toBeLessThanOrEqual(count);
    }
  });

  it('half of the TypeScript files have at least 100 lines', () => {
    const sizes = files.filter(({ file }) => /\.(ts|tsx|mjs)$/.test(file)).map(({ lines }) => lines.length);
    expect(sizes.sort((a, b) => a - b)[Math.floor(sizes.length / 2)]).toBeGreaterThanOrEqual(100);
  });

  it('a source file below 30 lines has two importers or is an entry point', () => {
    const scripts = sourceFiles(['{electron,renderer,test}/**/*.{ts,tsx,mjs}']);
    const importers = new Map<string, Set<string>>();
    for (const file of scripts)
      for (const { to } of scriptImports(file, read(file)))
        importers.set(to, (importers.get(to) ?? new Set()).add(file));
    const crumbs = files
      .filter(
        ({ file, lines }) =>
          /^(electron|renderer)\/.*(?<!\.d)\.(ts|tsx|mjs)$/.test(file) && lines.length <= MIN_UNSHARED_LINES,
      )
      .map(({ file }) => file)
      .filter((file) => (importers.get(file)?.size ?? 0) < 2 && path.dirname(file) !== 'electron/build');
    expect(crumbs).toEqual(shortFiles.map(({ file }) => file));
  });
});

describe('folder size', () => {
  /** Maximum number of files in a folder, so that they fit in an editor's tree view. */
  const MAX_FILES_PER_FOLDER = 30;

  const files = sourceFiles(['{electron,renderer}/**/*.{ts,tsx,css,mjs}', '{native,kernels}/**/*.{cpp,hpp,cu,cuh}']);
  const counts = new Map<string, number>();
  for (const file of files) counts.set(path.dirname(file), (counts.get(path.dirname(file)) ?? 0) + 1);
  const large = [...counts].filter(([, count]) => count > MAX_FILES_PER_FOLDER).map(([folder]) => folder);

  it('no folder of sources holds more than 30 files', () => {
    expect(files.length).toBeGreaterThan(1000);
    expect(large.filter((folder) => !crowdedFolders.some((one) => one.folder === folder))).toEqual([]);
  });

  it('no exception is obsolete', () => {
    expect(crowdedFolders.filter(({ folder }) => !large.includes(folder))).toEqual([]);
  });
});
