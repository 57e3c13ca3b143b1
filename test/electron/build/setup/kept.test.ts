import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { kept } from '../../../../electron/build/setup/kept.mjs';
import { root } from '../../../../electron/build/setup/root.mjs';
import { sameScratchFolder, scratchFolder } from '../../../scratch-folder.ts';

const made = sameScratchFolder('kept');
const file = path.join(made, 'out/a.bin');
const output = path.relative(root, file);

/** Makes the file of `text`, and says whether it had to. */
async function make(digest: string, text: string, folder: string): Promise<boolean> {
  let asked = false;
  await kept(
    digest,
    [output],
    async () => {
      asked = true;
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    folder,
  );
  return asked;
}

it('what was made of the same before is copied, and made again where its copy is gone', async () => {
  const folder = scratchFolder('kept');
  expect(await make('one', 'first', folder)).toBe(true);
  rmSync(path.dirname(file), { recursive: true });
  expect(await make('one', 'never', folder)).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('first');
  expect(await make('two', 'second', folder)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('second');
  rmSync(path.join(folder, 'one/a.bin'));
  expect(await make('one', 'third', folder)).toBe(true);
  expect(await make('one', 'never', folder)).toBe(false);
});

it('keeps so many, and those that were used last', async () => {
  const folder = scratchFolder('kept-many');
  for (let n = 0; n < 30; n += 1) await make(`made-${n}`, `${n}`, folder);
  expect(readdirSync(folder)).toHaveLength(24);
  expect(await make('made-29', 'never', folder)).toBe(false);
});

it('where nothing can be kept, it is made all the same', async () => {
  const closed = path.join(scratchFolder('kept-closed'), 'a-file');
  writeFileSync(closed, '');
  expect(await make('one', 'made', closed)).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe('made');
  expect(readFileSync(closed, 'utf8')).toBe('');
});

it('what fails to be made leaves nothing behind', async () => {
  const folder = scratchFolder('kept-failed');
  await expect(kept('one', [output], () => Promise.reject(new Error('nvcc failed')), folder)).rejects.toThrow('nvcc');
  expect(readdirSync(folder)).toEqual([]);
});
