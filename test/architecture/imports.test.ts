import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { includes, judge, read, roomOf, scriptImports, sourceFiles } from './imports.ts';
import { cppRules, exceptions, panelRules, scriptRules } from './rules.ts';

const scripts = sourceFiles([
  'electron/{contract,host,transports,main,preload,server,cli}/**/*.ts',
  'renderer/**/*.{ts,tsx,css}',
]);
const panels = [
  ...new Set(scripts.map((file) => /^renderer\/panels\/([^/]+)\//.exec(file)?.[1]).filter((n) => n !== undefined)),
];
const rules = { ...scriptRules, ...panelRules(panels) };
const imports = scripts.flatMap((file) => scriptImports(file, read(file)));

/** Headers of the C++ library and of the operating system: no rule is about these. */
const SYSTEM = /^npm:(?!napi)/;
const cpp = sourceFiles(['{native,kernels}/**/*.{cpp,hpp,cu,cuh}']);
const cppImports = cpp.flatMap((file) => includes(file, read(file)));

describe('who imports whom', () => {
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

  it('notices what it should', () => {
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
    expect(judge(wrong, both, []).violations).toHaveLength(wrong.length);
    const right = [
      { from: 'renderer/panels/dose/a.ts', to: 'renderer/state/b.ts' },
      { from: 'renderer/frame/a.ts', to: 'renderer/panels/dose/b.ts' },
      { from: 'renderer/shells/a.ts', to: 'electron/transports/message-port.ts' },
      { from: 'electron/main/a.ts', to: 'npm:electron' },
    ];
    expect(judge(right, both, []).violations).toEqual([]);
    const excused = { from: 'electron/host', to: 'electron', reason: 'for this test' };
    expect(judge(wrong, both, [excused]).violations).toHaveLength(wrong.length - 1);
    expect(judge(right, both, [excused]).unused).toEqual([excused]);
  });

  it('every folder of the program has rules', () => {
    const homeless = scripts.filter((file) => roomOf(file, rules) === null && path.dirname(file) !== 'renderer');
    expect(homeless).toEqual([]);
    expect(cpp.filter((file) => roomOf(file, cppRules) === null)).toEqual([]);
  });

  it('TypeScript imports only what its folder may', () => {
    const { violations } = judge(imports, rules, exceptions);
    expect(violations).toEqual([]);
  });

  it('C++ and CUDA include only what their folder may', () => {
    const own = cppImports.filter((entry) => !SYSTEM.test(entry.to));
    expect(own.length).toBeGreaterThan(20);
    expect(judge(own, cppRules, exceptions).violations).toEqual([]);
  });

  it('no exception has outlived its reason', () => {
    const all = [...imports, ...cppImports.filter((entry) => !SYSTEM.test(entry.to))];
    expect(judge(all, { ...rules, ...cppRules }, exceptions).unused).toEqual([]);
  });

  it('only the host loads the addon', () => {
    const loaders = scripts.filter((file) => /braggbench\.node/.test(read(file)));
    expect(loaders.filter((file) => !file.startsWith('electron/host/'))).toEqual([]);
  });
});
