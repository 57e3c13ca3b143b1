/** Test files of `npm test`: their order, the verdict on a failed file, and the report. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestModule } from 'vitest/node';
import { root } from '../../../../electron/build/setup/root.mjs';
import { setOutputStream } from '../../../../electron/build/setup/say.mjs';
import { findTestFiles, needsBuild, readArguments } from '../../../../electron/build/suites/chosen.mjs';
import { coreSecondsOf } from '../../../../electron/build/suites/core-seconds.mjs';
import {
  chooseMutations,
  firstFailedTest,
  MutationResults,
  mutatedText,
} from '../../../../electron/build/suites/mutations.mjs';
import { sortLongestFirst } from '../../../../electron/build/suites/order.mjs';
import { listedSeconds, report } from '../../../../electron/build/suites/report.mjs';
import { runUnlessPassed } from '../../../../electron/build/suites/result.mjs';
import { judgeRerun, MAX_RERUNS, runPhase, suiteNameOf } from '../../../../electron/build/suites/run.mjs';
import { fileReport } from '../../../../electron/build/suites/vitest-reporter.mjs';
import { scratchFolder } from '../../../scratch-folder.ts';
import { onLinux, unless } from '../../../unless.ts';

let out: PassThrough;
beforeEach(() => {
  out = new PassThrough();
  setOutputStream(out);
});
afterEach(() => setOutputStream(process.stdout));
const printed = () => String(out.read() ?? '');

describe('the order of test files', () => {
  const order = (files: Readonly<Record<string, number>>) =>
    sortLongestFirst(
      Object.keys(files).map((file) => ({ file, project: 'unit' })),
      ['unit'],
      files,
    ).map(({ file }) => path.basename(file));

  it('is longest first; a file missing in the table counts as 2 s', () => {
    const entries = ['a', 'b', 'c'].map((file) => ({ file, project: 'unit' }));
    expect(sortLongestFirst(entries, ['unit'], { a: 1, c: 3 }).map(({ file }) => file)).toEqual(['c', 'b', 'a']);
  });

  it('spreads end-to-end tests evenly among the other files', () => {
    // The stories take 40 s in all, the other files 80 s. The next file is of the kind of which a smaller share has
    // been started.
    const files = { 'test/e2e/s30': 30, 'test/e2e/s10': 10, 'test/u40': 40, 'test/u30': 30, 'test/u10': 10 };
    expect(order(files)).toEqual(['s30', 'u40', 'u30', 's10', 'u10']);
  });

  it('keeps the files of a project together, since they share a worker', () => {
    const entries = [
      { file: 'long', project: 'unit' },
      { file: 'short', project: 'desktop' },
      { file: 'middle', project: 'unit' },
    ];
    const seconds = { long: 9, middle: 5, short: 1 };
    expect(sortLongestFirst(entries, ['desktop', 'unit'], seconds).map(({ file }) => file)).toEqual([
      'short',
      'long',
      'middle',
    ]);
  });
});

describe('the arguments of npm test', () => {
  it('can be test files and names of suites or C++ tests', () => {
    expect(readArguments(['a.test.ts', '--only', 'types', '--only=parity of'])).toEqual({
      files: ['a.test.ts'],
      names: ['types', 'parity of'],
    });
    expect(() => readArguments(['--only'])).toThrow(/^npm test: --only needs a name; allowed: /);
    expect(() => readArguments(['--watch'])).toThrow(/^npm test: --watch is not known; allowed: /);
  });

  it('select files by path, folder or part of a path, including C++ files', () => {
    const own = 'test/electron/build/suites/suites.test.ts';
    expect(findTestFiles([own])).toEqual({ vitest: [own], cpp: [] });
    expect(findTestFiles(['build/suites/suites'])).toEqual({ vitest: [own], cpp: [] });
    expect(findTestFiles(['test/electron/build/suites']).vitest).toContain(own);
    expect(findTestFiles(['test/native/spans.cpp'])).toEqual({ vitest: [], cpp: ['test/native/spans.cpp'] });
    expect(() => findTestFiles(['no-such-file'])).toThrow(
      /^npm test: no test file has "no-such-file" in its path; allowed: /,
    );
  });

  it('build nothing for tests of pure functions', async () => {
    expect(await needsBuild(['test/electron/host/model/verdicts/verdicts.test.ts'])).toBe(false);
    expect(await needsBuild(['test/electron/host/runs.test.ts'])).toBe(true);
    expect(await needsBuild(['test/e2e/icon.test.ts'])).toBe(true);
  });
});

const passedResult = { passed: 1, failed: 0, skipped: [] };

describe('a phase of a test run', () => {
  it('runs suites alongside test files, prints a numbered line for each, and continues after one that throws', async () => {
    const ran = await runPhase({
      beside: [
        { name: 'broken', run: () => Promise.reject(new Error('out of order')) },
        { name: 'sound', run: async () => ({ ...passedResult, skipped: [{ name: 'a', reason: 'no GPU' }] }) },
      ],
    });
    expect(ran.map(({ name, result }) => [name, result.passed, result.failed])).toEqual([
      ['broken', 0, 1],
      ['sound', 1, 0],
    ]);
    const text = printed();
    expect(text).toContain('Error: out of order');
    expect(text).toMatch(/^\[1 of 2\] broken: FAIL 0 passed, 1 failed \(\d/m);
    expect(text).toMatch(/^\[2 of 2\] sound: ok {3}1 passed, 0 failed, 1 not run \(\d/m);
  });

  it('reports each file when it ends, reruns a failed one, and lists it if it then passes', async () => {
    // The folder is inside the checkout, so that vitest is found.
    mkdirSync(path.join(root, 'dist'), { recursive: true });
    const folder = mkdtempSync(path.join(root, 'dist/suites-test-'));
    try {
      const mark = JSON.stringify(path.join(folder, 'was-here'));
      const bodies = {
        good: '',
        once: `const first = !existsSync(${mark}); writeFileSync(${mark}, ''); expect(first, 'too early').toBe(false);`,
      };
      for (const [name, body] of Object.entries(bodies)) {
        const text = `import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
          import { expect, it } from 'vitest';
          it('is steady', () => expect(1).toBe(1));
          it('is watched', () => { ${body} });`;
        writeFileSync(path.join(folder, `${name}.test.mjs`), text);
      }
      const config = path.join(folder, 'vitest.config.mjs');
      const projects = [{ test: { name: 'some', include: ['*.test.mjs'] } }];
      writeFileSync(config, `export default ${JSON.stringify({ test: { projects, maxWorkers: 1 } })};`);
      const ran = await runPhase({
        tests: { projects: ['some'], more: ['--root', folder, '--config', config] },
        beside: [{ name: 'sound', run: async () => passedResult }],
      });
      const file = `${path.relative(root, folder).replaceAll('\\', '/')}/once.test.mjs`;
      expect(ran.map(({ result }) => [result.passed, result.failed])).toEqual([
        [1, 0],
        [4, 0],
      ]);
      expect(ran[1]?.result.unsteady).toEqual([{ file, failure: expect.stringMatching(/^is watched\n.*too early/) }]);
      const text = printed();
      expect(text).toMatch(/^\[\d of 3\] Unit and host tests: ok {3}.*good\.test\.mjs \(2 tests, /m);
      expect(text).toMatch(/^\[\d of 3\] Unit and host tests: FAIL .*once\.test\.mjs \(2 tests, /m);
      expect(text.match(/UNSTEADY /g)).toHaveLength(1);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('a test file that failed', () => {
  const of = (...tests: readonly string[]) => ({
    ...{ file: 'a.test.ts', project: 'unit', seconds: 1, coreSeconds: null },
    result: { passed: 3, failed: tests.length, skipped: [] },
    failures: tests.map((test) => ({ test, text: `      ${test} broke` })),
  });

  it('counts as unsteady if its second run passes', () => {
    expect(judgeRerun(of('one'), of())).toEqual({
      ...{ passed: 3, failed: 0, skipped: [] },
      unsteady: [{ file: 'a.test.ts', failure: 'one\n      one broke' }],
    });
  });

  it('counts as failed if its second run fails in any test, or gives no result', () => {
    expect(judgeRerun(of('one'), of('one')).failed).toBe(1);
    expect(printed()).toContain('a.test.ts failed again, in the same test');
    expect(judgeRerun(of('one'), of('two', 'three')).failed).toBe(2);
    expect(printed()).toContain('a.test.ts failed again, in another test: two');
    expect(judgeRerun(of('one'), null).failed).toBe(1);
    expect(MAX_RERUNS).toBe(3);
  });
});

describe('planted defects', () => {
  const fault = { id: 'one', area: 'page', file: 'a.ts', text: 'a + b', replacement: 'a - b $&' };

  it('can be selected by area or id', () => {
    const all = [fault, { ...fault, id: 'two' }, { ...fault, id: 'three', area: 'readers' }];
    const ids = (...chosen: readonly string[]) => chooseMutations(chosen, all).map(({ id }) => id);
    expect(ids()).toEqual(['one', 'two', 'three']);
    expect(ids('page')).toEqual(['one', 'two']);
    expect(ids('readers', 'one')).toEqual(['one', 'three']);
    expect(() => ids('pages')).toThrow(
      'npm run mutate: test/mutations.json has no area or id "pages"; its areas are page, readers',
    );
  });

  it('replace a text that occurs once in its file', () => {
    expect(mutatedText('c = a + b;', fault)).toBe('c = a - b $&;');
    expect(() => mutatedText('c = a * b;', fault)).toThrow('the text of "one" occurs 0 times in a.ts; allowed: once');
    expect(() => mutatedText('a + b + a + b', fault)).toThrow(
      'the text of "one" occurs 2 times in a.ts; allowed: once',
    );
  });

  it('each match their file exactly once', () => {
    const all = JSON.parse(readFileSync(path.join(root, 'test/mutations.json'), 'utf8')) as Parameters<
      typeof chooseMutations
    >[1];
    expect(all).toHaveLength(62);
    for (const one of all) {
      const before = readFileSync(path.join(root, one.file), 'utf8');
      expect(mutatedText(before, one), one.id).not.toBe(before);
    }
  });

  it('name only tests that exist', () => {
    const all = JSON.parse(readFileSync(path.join(root, 'test/mutations.json'), 'utf8')) as Parameters<
      typeof chooseMutations
    >[1];
    const titles = readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.cpp'))
      .flatMap((file) => [...readFileSync(path.join(root, 'test', file), 'utf8').matchAll(/^TEST\("(.+)"\)/gm)])
      .map(([, title = '']) => title);
    for (const { id, tests = [], cpp = [] } of all) {
      expect(
        tests.filter((file) => !existsSync(path.join(root, file))),
        id,
      ).toEqual([]);
      expect(
        cpp.filter((name) => !titles.some((title) => title.includes(name))),
        id,
      ).toEqual([]);
    }
  });

  it('are not repeated after an interrupted run unless their tests changed', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'braggbench-mutate-'));
    try {
      const file = path.join(folder, 'results.json');
      const tries: string[] = [];
      const tried = (results: MutationResults, id: string, key: string, found: string) =>
        results.getOrRun(id, key, async () => {
          tries.push(id);
          if (found === '') throw new Error('interrupted');
          return { found };
        });
      const first = new MutationResults(file);
      expect(await tried(first, 'one', 'a', 'adds')).toEqual({ found: 'adds' });
      await expect(tried(first, 'two', 'a', '')).rejects.toThrow('interrupted');
      const next = new MutationResults(file);
      expect(await tried(next, 'one', 'a', 'other')).toEqual({ found: 'adds' });
      expect(await tried(next, 'two', 'a', 'subtracts')).toEqual({ found: 'subtracts' });
      expect(await tried(next, 'one', 'b', 'other')).toEqual({ found: 'other' });
      expect(tries).toEqual(['one', 'two', 'two', 'one']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('are detected by the first failing test, in vitest or in C++', () => {
    expect(firstFailedTest('ok   test/a.test.ts (1 tests, 0.1 s)\n')).toBeNull();
    expect(firstFailedTest('FAIL test/a.test.ts (2 tests, 0.1 s)\n    FAIL adds > two numbers\n')).toBe(
      'adds > two numbers',
    );
    expect(firstFailedTest('[1 of 1] C++: FAIL 1 passed\n  FAIL ledger: closes (12 ms)\n')).toBe('ledger: closes');
  });
});

it('the path of a file determines its suite', () => {
  expect(suiteNameOf('test/e2e/live.long.test.ts')).toBe('Long tests');
  expect(suiteNameOf('test/e2e/live.test.ts')).toBe('End to end in Chromium');
  expect(suiteNameOf('test/electron/main/work.test.ts')).toBe('The desktop program with a replacement for Electron');
  expect(suiteNameOf('test/renderer/base/time.test.ts')).toBe('Unit and host tests');
});

it('no file is listed as unsteady, since each must be fixed before a release', () => {
  expect(JSON.parse(readFileSync(path.join(root, 'test/unsteady.json'), 'utf8'))).toEqual([]);
});

describe('the report of a test run', () => {
  const folder = scratchFolder('report');
  const to = path.join(folder, 'seconds.json');
  const unsteady = (names: readonly string[]) => names.map((file) => ({ file, failure: 'is watched\ntoo early' }));
  const ended = (names: readonly string[]) => [
    {
      name: 'Some tests',
      seconds: 61.23,
      result: { ...passedResult, passed: 4, unsteady: unsteady(names) },
      files: { 'b.test.ts': 1.23, 'a.test.ts': 60 },
      cores: { 'b.test.ts': 2.34, 'a.test.ts': 30 },
    },
    { name: 'More', seconds: 2, result: { ...passedResult, skipped: [{ name: 'a test', reason: 'no GPU' }] } },
  ];

  it('prints the seconds of each suite and the skipped tests; it passes with one unsteady file and fails with two', () => {
    expect(report(ended(['a.test.ts']), { seconds: 40, whole: false })).toBe(0);
    const text = printed();
    expect(text).toContain('\n  Some tests   61.2 s\n  More          2.0 s\n');
    expect(text).toMatch(/Not run: 1\n {2}a test\n {4}no GPU/);
    expect(text).toContain('  a.test.ts: is watched\n');
    expect(text.endsWith('\n5 passed, 0 failed\n')).toBe(true);
    expect(report(ended(['a.test.ts', 'b.test.ts']), { seconds: 40, whole: false })).toBe(1);
    expect(printed()).toMatch(/each counts as a failure\.\n\n5 passed, 2 failed\n$/);
  });

  it('writes the seconds of a complete run, and files in the format of the committed table', () => {
    report(ended([]), { seconds: 40, coreSeconds: 65.04, whole: true, to });
    expect(printed()).toMatch(/^\nTook 40\.0 s, 65 core-s;/);
    expect(JSON.parse(readFileSync(to, 'utf8'))).toEqual({
      ...{ seconds: 40, core_seconds: 65 },
      suites: [
        { name: 'Some tests', seconds: 61.2, passed: 4, failed: 0 },
        { name: 'More', seconds: 2, passed: 1, failed: 0 },
      ],
      files: { 'a.test.ts': 60, 'b.test.ts': 1.2 },
      core_seconds_of_files: { 'a.test.ts': 30, 'b.test.ts': 2.3 },
    });
  });

  it('orders the next run by the measured seconds, and files that did not run by the committed table', () => {
    const table = path.join(folder, 'table.json');
    writeFileSync(table, JSON.stringify({ 'a.test.ts': 3, 'c.test.ts': 7 }));
    expect(listedSeconds(table, path.join(folder, 'none.json'))).toEqual({ 'a.test.ts': 3, 'c.test.ts': 7 });
    report(ended([]), { seconds: 40, whole: true, to });
    expect(listedSeconds(table, to)).toEqual({ 'a.test.ts': 60, 'b.test.ts': 1.2, 'c.test.ts': 7 });
  });

  it('fails a run in which nothing passed', () => {
    const none = [{ name: 'None', seconds: 0, result: { passed: 0, failed: 0, skipped: [] } }];
    expect(report(none, { seconds: 0, whole: false })).toBe(1);
  });
});

/** A test file as vitest reports it: 500 s of imports and 5 s of tests. */
const ranFile = (suites: readonly object[], tests: readonly object[]) => ({
  ...{ type: 'module', moduleId: path.join(root, 'test/a.test.ts'), project: { name: 'unit' }, errors: () => [] },
  ...{ meta: () => ({}), diagnostic: () => ({ collectDuration: 500_000, duration: 5000 }) },
  children: { allSuites: () => suites, allTests: () => tests },
});

it('the seconds of a test file include its imports', () => {
  expect(fileReport(ranFile([], []) as unknown as TestModule).seconds).toBe(505);
});

it('the report states why a test was skipped, from the reason of the test or of its suite', () => {
  const suite = { type: 'suite', meta: () => unless('pydicom is not installed').meta ?? {}, errors: () => [] };
  const test = (name: string, parent: object, note?: string, tags: readonly string[] = []) => ({
    ...{ type: 'test', fullName: name, parent, tags, meta: () => ({}), result: () => ({ state: 'skipped', note }) },
  });
  const all: object[] = [];
  const module = ranFile([suite], all);
  all.push(test('by its suite', suite), test('by itself', module, 'no Slurm here'), test('by nobody', module));
  all.push(test('by the filter', module, undefined, ['slow']));
  expect(fileReport(module as unknown as TestModule).result.skipped).toEqual([
    { name: 'by its suite', reason: 'pydicom is not installed' },
    { name: 'by itself', reason: 'no Slurm here' },
    { name: 'by nobody', reason: 'no reason given' },
    { name: 'by the filter', reason: 'is tagged slow; run it with npm run test:all or npm test -- FILE' },
  ]);
});

it('core seconds include child processes', onLinux, () => {
  const before = coreSecondsOf() ?? Number.NaN;
  const half = 'while (process.cpuUsage().user < 5e5);';
  expect(spawnSync(process.execPath, ['-e', half]).status).toBe(0);
  expect((coreSecondsOf() ?? Number.NaN) - before).toBeGreaterThanOrEqual(0.5);
  expect(coreSecondsOf(process.ppid)).toBeGreaterThan(before);
});

describe('a suite that depends only on files', () => {
  const folder = scratchFolder('unless-passed');

  it('reruns when files change, and until it passes at the first attempt', async () => {
    const nothing = { passed: 0, failed: 0, skipped: [] };
    const results = [
      { ...nothing, passed: 1, failed: 1 },
      { ...nothing, skipped: [{ name: 'format', reason: 'no program' }] },
      { ...nothing, passed: 2, unsteady: [{ file: 'a', failure: 'b' }] },
      { ...nothing, passed: 2 },
      { ...nothing, passed: 3 },
    ];
    const left = [...results];
    const run = (key: string) => runUnlessPassed('some', key, async () => left.shift() ?? nothing, folder);
    for (const result of results.slice(0, 4)) expect(await run('one')).toEqual(result);
    expect(await run('one')).toEqual(results[3]);
    expect(printed()).toBe('  unchanged since they last passed\n');
    expect(await run('two')).toEqual(results[4]);
  });
});
