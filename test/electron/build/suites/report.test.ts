/** Suites beside each other: what they say stays together, what failed waits for quiet, and what the end of a run tells. */
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { say, sayOn, timed } from '../../../../electron/build/setup/say.mjs';
import { report } from '../../../../electron/build/suites/report.mjs';
import type { Suite } from '../../../../electron/build/suites/result.mjs';
import { runLanes } from '../../../../electron/build/suites/run.mjs';

let out: PassThrough;
beforeEach(() => {
  out = new PassThrough();
  sayOn(out);
});
afterEach(() => sayOn(process.stdout));

const passed = { passed: 1, failed: 0, skipped: [] };
const suite = (name: string, run: Suite['run']): Suite => ({ name, run });
const saying = (name: string, ms: number): Suite =>
  suite(name, async () => {
    say(`  ${name} begins`);
    await timed(`Building ${name}`, () => sleep(ms));
    say(`  ${name} ends`);
    return passed;
  });

it('what lanes say stands together, whichever ends first, and a suite that breaks ends none of the others', async () => {
  const broken = suite('broken', () => Promise.reject(new Error('out of order')));
  const ran = await runLanes([
    [saying('slow', 60), broken],
    [saying('quick', 1), saying('second', 1)],
  ]);
  expect(ran.map(({ name, result }) => [name, result.passed, result.failed])).toEqual([
    ['slow', 1, 0],
    ['broken', 0, 1],
    ['quick', 1, 0],
    ['second', 1, 0],
  ]);
  const lines = String(out.read())
    .split('\n')
    .filter((line) => /begins|ends|order$/.test(line));
  expect(lines).toEqual([
    '  slow begins',
    '  slow ends',
    'Error: out of order',
    '  quick begins',
    '  quick ends',
    '  second begins',
    '  second ends',
  ]);
});

it('who waits for quiet waits for all others, and has it alone', async () => {
  const seen: string[] = [];
  const shaky = (name: string): Suite =>
    suite(name, async (quiet) => {
      await quiet();
      seen.push(`${name} again`);
      await sleep(10);
      await quiet();
      seen.push(`${name} done`);
      return passed;
    });
  const long = suite('long', async () => {
    await sleep(40);
    seen.push('long done');
    return passed;
  });
  await runLanes([[shaky('one')], [long], [shaky('two')]]);
  expect(seen).toEqual(['long done', 'one again', 'one done', 'two again', 'two done']);
});

const file = (name: string) => ({ file: name, failure: 'is watched\ntoo early' });
const ended = (names: readonly string[]) => [
  { name: 'Some tests', seconds: 61.23, result: { ...passed, passed: 4, unsteady: names.map(file) } },
  { name: 'More', seconds: 2, result: { ...passed, skipped: [{ name: 'a test', reason: 'no GPU' }] } },
];

it('tells at the end what each suite took and what was not run; one unsteady file is forgiven, two are not', () => {
  expect(report(ended(['a.test.ts']))).toBe(0);
  const said = String(out.read());
  expect(said).toContain('\nTook\n  Some tests   61.2 s\n  More          2.0 s\n');
  expect(said).toMatch(/Not run: 1\n {2}a test\n {4}no GPU/);
  expect(said).toContain('  a.test.ts: is watched\n');
  expect(said.endsWith('\n5 passed, 0 failed\n')).toBe(true);
  expect(report(ended(['a.test.ts', 'b.test.ts']))).toBe(1);
  expect(String(out.read())).toMatch(/each counts as a failure\.\n\n5 passed, 2 failed\n$/);
});

it('a run in which nothing passed has failed', () => {
  expect(report([{ name: 'None', seconds: 0, result: { passed: 0, failed: 0, skipped: [] } }])).toBe(1);
});
