import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { capture } from '../../../../electron/build/setup/command.mjs';
import { imagesNode } from '../../../../electron/build/setup/image.mjs';
import { makeImage } from '../../../../electron/build/steps/image.mjs';

const scratch = mkdtempSync(path.join(tmpdir(), 'image-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function written(name: string, lines: readonly string[]): string {
  const file = path.join(scratch, name);
  writeFileSync(file, lines.join('\n'));
  return file;
}

async function imageOf(name: string, lines: readonly string[]): Promise<string> {
  const image = path.join(scratch, `${name}.blob`);
  await makeImage(written(`${name}.ts`, lines), image);
  return image;
}

describe('a start-up image', () => {
  it('has its modules loaded, and asks for process, clock and place when it starts', async () => {
    const image = await imageOf('good', [
      "import { createHash } from 'node:crypto';",
      "import { readFileSync } from 'node:fs';",
      "import { DatabaseSync } from 'node:sqlite';",
      'const loaded = { times: 0 };',
      'loaded.times += 1;',
      'const decoder = new TextDecoder();',
      'const found = (file) => ({ times: loaded.times, pid: process.pid, asked: process.env.ASKED, now: Date.now(),',
      '  here: import.meta.dirname, text: decoder.decode(readFileSync(file)), base: typeof DatabaseSync,',
      "  hash: createHash('sha1').update('').digest('hex').slice(0, 4) });",
      'globalThis.perform = () => console.log(JSON.stringify(found(process.argv[2])));',
    ]);
    const before = Date.now();
    const words = [written('main.mjs', ['globalThis.perform();']), written('file', ['read now'])];
    const { code, output } = await capture(imagesNode(), ['--snapshot-blob', image, ...words], {
      env: { ...process.env, ASKED: 'now' },
    });
    expect(code, output).toBe(0);
    const said = JSON.parse(output);
    expect(said).toMatchObject({ times: 1, asked: 'now', here: scratch, text: 'read now', base: 'function' });
    expect(said.hash).toBe('da39');
    expect(said.pid).not.toBe(process.pid);
    expect(said.now).toBeGreaterThanOrEqual(before);
  });

  // Node 24.21 ends with a failed assertion there if the image has loaded some modules of its own.
  it('leaves threads all of its modules', async () => {
    const image = await imageOf('threads', [
      "import { Worker } from 'node:worker_threads';",
      'globalThis.start = (file) => new Worker(file);',
    ]);
    const thread = written('thread.mjs', [
      "import 'node:child_process'; import 'node:crypto'; import 'node:http'; import 'node:https'; import 'node:net';",
      "import 'node:sqlite'; import 'node:v8'; import 'node:zlib'; import 'node:worker_threads';",
      "console.log('all there');",
    ]);
    const main = written('starts.mjs', [`globalThis.start(${JSON.stringify(thread)});`]);
    const { code, output } = await capture(imagesNode(), ['--snapshot-blob', image, main]);
    expect(output).toBe('all there\n');
    expect(code).toBe(0);
  });

  it.each([
    ['process.env', 'process.env.HOME'],
    ['process.pid', 'process.pid'],
    ['Date.now', 'Date.now()'],
    ['Math.random', 'Math.random()'],
    ['Intl', "new Intl.Collator('en')"],
    ['hostname of node:os', 'hostname()'],
  ])('is refused where a module reads %s while it is loaded', async (what, expression) => {
    const lines = [
      "import { hostname } from 'node:os';",
      `globalThis.kept = [${expression}];`,
      'globalThis.machine = () => hostname();',
    ];
    await expect(imageOf('bad', lines)).rejects.toThrow(
      `${what} is read while modules are loaded: a start-up image would keep what it is here`,
    );
  });
});
