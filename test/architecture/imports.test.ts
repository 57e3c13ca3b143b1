/** Every export must be used by another file. */
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import {
  checkImports,
  importCycles,
  includes,
  read,
  ruleFolderOf,
  scriptImports,
  sourceFiles,
  withoutComments,
} from './imports.ts';
import { cppRules, exceptions, filesWithTypeCycles, panelRules, scriptRules } from './rules.ts';

const scripts = sourceFiles([
  'electron/{contract,host,transports,main,preload,server,cli}/**/*.ts',
  'renderer/**/*.{ts,tsx,css}',
]);
const panels = [
  ...new Set(scripts.map((file) => /^renderer\/panels\/([^/]+)\//.exec(file)?.[1]).filter((n) => n !== undefined)),
];
const rules = { ...scriptRules, ...panelRules(panels) };
const imports = scripts.flatMap((file) => scriptImports(file, read(file)));

/** Headers of the C++ library and of the operating system, to which no rule applies. */
const SYSTEM = /^npm:(?!napi)/;
const cpp = sourceFiles(['{native,kernels}/**/*.{cpp,hpp,cu,cuh}']);
const cppImports = cpp.flatMap((file) => includes(file, read(file)));

describe('imports between folders', () => {
  it('finds imports in every kind of source', () => {
    expect(imports.length).toBeGreaterThan(100);
    const text = `import type { A } from '../contract/a.ts';
import './b.css';
export * from 'zod/v4';
const c = await import('@scope/name/part');
// import 'not-this';
import {
  many,
} from "node:fs";`;
    expect(scriptImports('electron/host/x.ts', text).map((entry) => entry.to)).toEqual([
      'electron/contract/a.ts',
      'electron/host/b.css',
      'npm:zod',
      'npm:@scope/name',
      'node:fs',
    ]);
    expect(
      includes('native/binding/x.cpp', '#include <napi.h>\n#include <vector>\n#include "engine/task.hpp"').map(
        (e) => e.to,
      ),
    ).toEqual(['native/engine/task.hpp', 'npm:napi.h']);
  });

  it('detects forbidden imports', () => {
    const wrong = [
      { from: 'electron/host/a.ts', to: 'npm:electron' },
      { from: 'electron/contract/a.ts', to: 'node:fs' },
      { from: 'renderer/panels/dose/a.ts', to: 'renderer/panels/ledger/b.ts' },
      { from: 'renderer/state/a.ts', to: 'electron/host/b.ts' },
      { from: 'renderer/shells/a.ts', to: 'electron/transports/websocket-host.ts' },
      { from: 'renderer/drawing/a.ts', to: 'npm:react' },
      { from: 'electron/new-folder/a.ts', to: 'electron/contract/b.ts' },
    ];
    const both = { ...scriptRules, ...panelRules(['dose', 'ledger']) };
    expect(checkImports(wrong, both, []).violations).toHaveLength(wrong.length);
    const right = [
      { from: 'renderer/panels/dose/a.ts', to: 'renderer/state/b.ts' },
      { from: 'renderer/frame/a.ts', to: 'renderer/panels/dose/b.ts' },
      { from: 'renderer/shells/a.ts', to: 'electron/transports/message-port.ts' },
      { from: 'electron/main/a.ts', to: 'npm:electron' },
    ];
    expect(checkImports(right, both, []).violations).toEqual([]);
    const excused = { from: 'electron/host', to: 'electron', reason: 'for this test' };
    expect(checkImports(wrong, both, [excused]).violations).toHaveLength(wrong.length - 1);
    expect(checkImports(right, both, [excused]).unused).toEqual([excused]);
  });

  it('every folder of the program has rules', () => {
    const homeless = scripts.filter((file) => ruleFolderOf(file, rules) === null && path.dirname(file) !== 'renderer');
    expect(homeless).toEqual([]);
    expect(cpp.filter((file) => ruleFolderOf(file, cppRules) === null)).toEqual([]);
  });

  it('TypeScript files import only what the rules of their folder allow', () => {
    const { violations } = checkImports(imports, rules, exceptions);
    expect(violations).toEqual([]);
  });

  it('the command line imports seven host modules; the window and the server import one each', () => {
    const known = (room: string) => {
      const of = imports.filter(({ from, to }) => from.startsWith(room) && to.startsWith('electron/host/'));
      return new Set(of.map(({ to }) => to)).size;
    };
    expect(known('electron/cli/')).toBeLessThanOrEqual(7);
    expect(known('electron/main/')).toBe(1);
    expect(known('electron/server/')).toBe(1);
  });

  it('C++ and CUDA files include only what the rules of their folder allow', () => {
    const own = cppImports.filter((entry) => !SYSTEM.test(entry.to));
    expect(own.length).toBeGreaterThan(20);
    expect(checkImports(own, cppRules, exceptions).violations).toEqual([]);
  });

  it('no exception is obsolete', () => {
    const all = [...imports, ...cppImports.filter((entry) => !SYSTEM.test(entry.to))];
    expect(checkImports(all, { ...rules, ...cppRules }, exceptions).unused).toEqual([]);
  });

  it('only the host loads the addon', () => {
    const loaders = scripts.filter((file) => /braggbench\.node/.test(read(file)));
    expect(loaders.filter((file) => !file.startsWith('electron/host/'))).toEqual([]);
  });
});

describe('import cycles', () => {
  it('finds import cycles, including type-only imports and self-imports', () => {
    const step = (from: string, to: string) => ({ from, to });
    expect(importCycles([step('a', 'b'), step('b', 'c'), step('c', 'b'), step('d', 'd'), step('a', 'd')])).toEqual([
      ['b', 'c'],
      ['d'],
    ]);
    expect(importCycles([step('a', 'b'), step('a', 'c'), step('b', 'd'), step('c', 'd')])).toEqual([]);
  });

  it('no import cycle exists', () => {
    const files = sourceFiles(['{electron,renderer}/**/*.{ts,tsx}']);
    const known = new Set(files);
    const imports = files.flatMap((file) => scriptImports(file, read(file))).filter(({ to }) => known.has(to));
    expect(imports.length).toBeGreaterThan(1000);
    const found = importCycles(imports);
    const excused = (circle: readonly string[]) => filesWithTypeCycles.some(({ file }) => circle.includes(file));
    expect(found.filter((circle) => !excused(circle))).toEqual([]);
    expect(filesWithTypeCycles.filter(({ file }) => !found.flat().includes(file))).toEqual([]);
  });
});

describe('exports', () => {
  const EXPORTED = /^export (?:abstract |async )*(?:const|function\*?|class|interface|type) ([\w$]+)/gm;

  /**
   * Files whose exports no other file imports: one replaces a module at build time, the other contains program text.
   */
  const UNUSED_ON_PURPOSE = ['test/electron/main/stand-in/electron.ts', 'test/architecture/toy-workload.long.test.ts'];

  test('every exported name is used in another file', () => {
    // Comments are searched too, because scripts in plain JavaScript name types in comments.
    const texts = sourceFiles(['{electron,renderer,test}/**/*.{ts,tsx,mjs}']).map((file) => {
      const text = read(file);
      return [file, file.endsWith('.mjs') ? text : withoutComments(text)] as const;
    });
    const filesWith = new Map<string, number>();
    for (const [, text] of texts)
      for (const word of new Set(text.match(/[\w$]+/g))) filesWith.set(word, (filesWith.get(word) ?? 0) + 1);
    const requested = texts.filter(([file]) => !UNUSED_ON_PURPOSE.some((place) => file.startsWith(place)));
    const alone = requested.flatMap(([file, text]) =>
      [...text.matchAll(EXPORTED)].flatMap(([, name = '']) => (filesWith.get(name) === 1 ? [`${file}: ${name}`] : [])),
    );
    expect(alone).toEqual([]);
  });
});
