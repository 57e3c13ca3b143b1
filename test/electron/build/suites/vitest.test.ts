/** Test files that fail, run by the suite as `npm test` runs ours: once, twice, and more of them than may be run again. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { root } from '../../../../electron/build/setup/root.mjs';
import { sayOn } from '../../../../electron/build/setup/say.mjs';
import { runSuite } from '../../../../electron/build/suites/run.mjs';
import { MOST_AGAIN, vitestProject } from '../../../../electron/build/suites/vitest.mjs';

let folder: string;
let out: PassThrough;

beforeEach(() => {
  // Inside the checkout, where they find vitest.
  mkdirSync(path.join(root, 'dist'), { recursive: true });
  folder = mkdtempSync(path.join(root, 'dist/suites-test-'));
  out = new PassThrough();
  sayOn(out);
});
afterEach(() => {
  sayOn(process.stdout);
  rmSync(folder, { recursive: true, force: true });
});

/** Runs files by name, each with two tests of which the second has this body. */
async function run(name: string, bodies: Readonly<Record<string, string>>) {
  const config = path.join(folder, 'vitest.config.mjs');
  const projects = [{ test: { name, include: ['*.test.mjs'] } }];
  writeFileSync(config, `export default ${JSON.stringify({ test: { projects, maxWorkers: 1 } })};`);
  for (const [file, body] of Object.entries(bodies)) {
    const text = `import { existsSync, writeFileSync } from 'node:fs';
      import { expect, it } from 'vitest';
      it('is steady', () => expect(1).toBe(1));
      it('is watched', () => { ${body} });`;
    writeFileSync(path.join(folder, `${file}.test.mjs`), text);
  }
  const { result } = await runSuite(vitestProject(name, 'Some tests', ['--root', folder, '--config', config]));
  return { result, said: String(out.read()) };
}

const inFolder = (file: string) => `${path.relative(root, folder).replaceAll('\\', '/')}/${file}.test.mjs`;

it('what fails once is counted as passed and named as unsteady, what fails twice has failed', async () => {
  const mark = JSON.stringify(path.join(folder, 'was-here'));
  const once = `const first = !existsSync(${mark}); writeFileSync(${mark}, ''); expect(first, 'too early').toBe(false);`;
  const { result, said } = await run('twice', { good: '', once, always: "expect('never').toBe('equal')" });
  expect(result).toMatchObject({ passed: 5, failed: 1, skipped: [] });
  expect(result.unsteady).toHaveLength(1);
  expect(result.unsteady?.[0]?.file).toBe(inFolder('once'));
  expect(result.unsteady?.[0]?.failure).toMatch(/^is watched\n.*too early/);
  expect(said).toMatch(
    new RegExp(`^ {2}UNSTEADY ${inFolder('once')}: passed only when run again alone\\..*is watched`, 'm'),
  );
  expect(said.match(/UNSTEADY /g)).toHaveLength(1);
  expect(said.match(/FAIL .*always\.test\.mjs/g)).toHaveLength(2);
  // Those that passed are not run again.
  expect(said.match(/ok .*good\.test\.mjs/g)).toHaveLength(1);
  expect(said).toMatch(/→ 5 good, 1 bad, UNSTEADY: 1 \(/);
});

it('of more failing files than may be by chance none is run again, and a fault of no file stays', async () => {
  const names = Array.from({ length: MOST_AGAIN + 1 }, (_, i) => `bad-${i}`);
  const many = await run('many', Object.fromEntries(names.map((name) => [name, 'expect(1).toBe(2)'])));
  expect(many.result).toMatchObject({ passed: names.length, failed: names.length, unsteady: [] });
  expect(many.said).toContain(`${names.length} files failed`);
  expect(many.said).not.toContain('Again');

  for (const name of names) rmSync(path.join(folder, `${name}.test.mjs`));
  const loose = await run('loose', { loose: "Promise.reject(new Error('nobody waits'))" });
  expect(loose.result).toMatchObject({ passed: 2, failed: 1, unsteady: [] });
  expect(loose.said).toContain('nobody waits');
});
