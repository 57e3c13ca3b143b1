/** Licences of others: each package in what is shipped is there with its version and its licence's text. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { NOTICES } from '../../electron/build/steps/notices.mjs';

const root = path.resolve(import.meta.dirname, '../..');
interface Locked {
  readonly version: string;
  readonly dev?: boolean;
}
const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};
const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** Sections of a file by `name version`, with their text. */
function sectionsOf(folder: string): ReadonlyMap<string, string> {
  const text = readFileSync(path.join(root, 'dist', folder, NOTICES), 'utf8');
  const parts = text.split(/^-{100}\n(.+?) \([^\n]*\)\n-{100}\n/m);
  return new Map(parts.flatMap((part, i) => (i % 2 === 1 ? [[part, parts[i + 1] ?? '']] : [])));
}
const FOLDERS = ['renderer', 'electron', 'workers', 'host', 'hdf5-filters'];
const all = new Map(FOLDERS.map((folder) => [folder, sectionsOf(folder)]));

describe.each(FOLDERS)('notices of dist/%s', (folder) => {
  const sections = all.get(folder) ?? new Map<string, string>();

  it('name packages of the lock file, in the version that is there', () => {
    const locked = new Set(
      Object.entries(lock.packages).map(([at, { version }]) => `${at.split('node_modules/').at(-1)} ${version}`),
    );
    expect(sections.size).toBeGreaterThan(0);
    expect([...sections.keys()].filter((name) => !locked.has(name))).toEqual([]);
  });

  it('have the text of a licence for each', () => {
    const licence =
      /permission is hereby granted|permission to use, copy|redistribution and use|apache license|open font license|license statement|permission is granted to anyone|public domain|unlicensed|blue oak model license/i;
    expect([...sections].filter(([, text]) => !licence.test(text)).map(([name]) => name)).toEqual([]);
  });
});

it('every package that a source map names has its notice', () => {
  const missing: string[] = [];
  for (const folder of ['electron', 'workers', 'host']) {
    const names = new Set([...(all.get(folder)?.keys() ?? [])].map((name) => name.slice(0, name.lastIndexOf(' '))));
    for (const map of globSync(`dist/${folder}/*.map`, { cwd: root })) {
      const { sources } = JSON.parse(readFileSync(path.join(root, map), 'utf8')) as { readonly sources: string[] };
      for (const source of sources) {
        const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];
        if (name !== undefined && !names.has(name)) missing.push(`${map}: ${name}`);
      }
    }
  }
  expect(missing).toEqual([]);
});

/** Dependencies that build the program and are no part of it. */
const BUILD_TOOLS = new Set(['@vitejs/plugin-react', 'cmake-js', 'esbuild', 'vite']);

it('every dependency of the program has its notice', () => {
  const names = new Set([...all.values()].flatMap((sections) => [...sections.keys()]));
  const missing = Object.entries(dependencies).filter(
    ([name, version]) => !BUILD_TOOLS.has(name) && !names.has(`${name} ${version}`),
  );
  expect(missing.map(([name]) => name)).toEqual([]);
});

it('HDF5, the font and the headers of the addon are among them', () => {
  expect(all.get('workers')?.get(`h5wasm ${dependencies['h5wasm']}`)).toContain('HDF5 (Hierarchical Data Format 5)');
  expect(all.get('renderer')?.get(`@fontsource-variable/inter ${dependencies['@fontsource-variable/inter']}`)).toMatch(
    /open font license/i,
  );
  expect([...(all.get('workers')?.keys() ?? [])].filter((name) => name.startsWith('node-addon-api '))).toHaveLength(1);
});

it('each is in a folder that is packed', () => {
  const packed = readFileSync(path.join(root, 'electron-builder.yml'), 'utf8');
  for (const folder of ['renderer', 'electron', 'workers']) {
    expect(packed).toContain(`  - dist/${folder}/**`);
    expect(existsSync(path.join(root, 'dist', folder, NOTICES))).toBe(true);
  }
});
