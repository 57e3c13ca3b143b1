/** Files that documents and comments name must exist. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const trackedFiles = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)));
const knownFiles = new Set(trackedFiles);
const folders = new Set(
  trackedFiles.flatMap((file) =>
    file.split('/').flatMap((_, depth, parts) => (depth === 0 ? [] : [parts.slice(0, depth).join('/')])),
  ),
);

const KIND = '(?:ts|tsx|mjs|cjs|cpp|hpp|cu|cuh|json|md|py|css|html|yml|hex|csv)';
/** Matches paths with a folder, `path/like.this`; a bare file name may be an example. */
const pathPattern = new RegExp(`(?<![\\w./@~<:*-])((?:\\.{1,2}/)*(?:[\\w.-]+/)+[\\w.-]+\\.${KIND})(?![\\w/<*-])`, 'g');
/** A bare file name counts as a file of this repository if it has the extension of a source file. */
const bareFileName = /(?<![\w./@~<:*"'-])([\w-]+(?:\.[\w-]+)*\.(?:cpp|hpp|cu|cuh|mjs|md))(?![\w/<*"-])/g;

const base = new Set(trackedFiles.map((file) => path.posix.basename(file)));

/** Include folders of C++, and base folders of the file names in scenarios, runs and claims. */
const roots = [
  '',
  'kernels',
  'native',
  'native/cuda',
  'electron',
  'assets',
  'assets/runs',
  'assets/scenarios',
  'assets/claims',
  'test',
  'renderer',
];

function exists(from: string, name: string): boolean {
  if (!name.includes('/')) return base.has(name);
  return [path.posix.dirname(from), ...roots].some((at) => {
    const file = path.posix.normalize(path.posix.join(at, name));
    return knownFiles.has(file) || folders.has(file);
  });
}

/** Paths of build outputs and of other programs, which need not exist. */
const elsewhere = /^(dist|node_modules|build|out)\/|^\/|^(?:\.\.?\/)*dist\//;

/** Matches comments of CMake and YAML. */
const hashComment = /#[^\n]*/g;
const comment = /\/\*[\s\S]*?\*\/|(?<![:\w'"`])\/\/[^\n]*/g;

function textsOf(file: string): readonly string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  if (file.endsWith('.md')) return [text.replace(/```[\s\S]*?```/g, '')];
  return [...text.matchAll(/\.(?:txt|yml)$/.test(file) ? hashComment : comment)].map(([found]) => found);
}

const sources = trackedFiles.filter(
  (file) =>
    /\.(?:ts|tsx|mjs|cpp|hpp|cu|cuh|md|txt|yml)$/.test(file) &&
    !file.startsWith('test/golden/') &&
    file !== 'test/architecture/named-files.test.ts',
);

function missingFiles(file: string, texts = textsOf(file)): readonly string[] {
  const names = texts.flatMap((text) =>
    [...text.matchAll(pathPattern), ...text.matchAll(bareFileName)].map(([, name = '']) => name),
  );
  return names.filter(
    (name) => !elsewhere.test(name) && !/(?:^|\/)(?:my|mine|your)\b/.test(name) && !exists(file, name),
  );
}

describe('file names in documents', () => {
  test('detects names of files that do not exist', () => {
    expect(missingFiles('README.md', ['see `kernels/nowhere.cpp` and `README.md`, and gone_away.hpp'])).toEqual([
      'kernels/nowhere.cpp',
      'gone_away.hpp',
    ]);
    expect(missingFiles('native/engine/task.hpp', ['// engine/task.hpp'])).toEqual([]);
    expect(missingFiles('a.cu', ["// gone_away.cu's kernel"])).toEqual(['gone_away.cu']);
    expect(sources.length).toBeGreaterThan(800);
  });

  test('every file named in a document exists', () => {
    const found = sources.flatMap((file) => missingFiles(file).map((name) => `${file}: ${name}`));
    expect(found).toEqual([]);
  });
});
