/** Small files of the program's own state: concurrent changes are all saved. */
import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Trust } from '../../../../../electron/host/app/user-kernels/trust.ts';
import { Locks } from '../../../../../electron/host/io/files/locks.ts';
import { HostSettings } from '../../../../../electron/host/io/files/settings.ts';
import { StateFile } from '../../../../../electron/host/io/files/state-file.ts';
import { InOrder } from '../../../../../electron/host/io/flow/in-order.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';

const folder = scratchFolder('state');
const locks = (): Locks => new Locks(folder);
const noTrouble = (reason: string): void => {
  throw new Error(reason);
};

test('one thing follows the other, and a failure is only its own', async () => {
  const order = new InOrder();
  const done: number[] = [];
  const work = (n: number, ms: number) => async () => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    if (n === 2) throw new Error('the second');
    done.push(n);
    return n;
  };
  const all = await Promise.allSettled([order.do(work(1, 20)), order.do(work(2, 0)), order.do(work(3, 0))]);
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await order.settled();
  expect(done).toEqual([1, 3]);
});

test('settings that are changed at the same time are both kept', async () => {
  const settings = await HostSettings.open(folder, locks(), noTrouble);
  const clusters = [{ name: 'c', host: 'c', folder: '/c', program: 'braggbench', modules: [], sbatch: '', cores: 1 }];
  await Promise.all([settings.change({ libraryFolder: '/somewhere' }), settings.change({ clusters })]);
  expect((await HostSettings.open(folder, locks(), noTrouble)).values).toEqual({
    clusters,
    libraryFolder: '/somewhere',
  });
});

test('trust that is given to many files at once is kept of all', async () => {
  const trust = await Trust.open(folder, locks(), noTrouble);
  const hashes = Array.from({ length: 20 }, (_, i) => i.toString(16).padStart(64, '0'));
  await Promise.all(hashes.map((sha256) => trust.add(sha256, 'my.cpp')));
  const again = await Trust.open(folder, locks(), noTrouble);
  expect(hashes.filter((sha256) => !again.has(sha256))).toEqual([]);
});

describe('a file of state', () => {
  const file = path.join(folder, 'state.json');
  const told: string[] = [];
  const state = () =>
    new StateFile({
      file,
      schema: z.object({ texts: z.array(z.string()) }),
      empty: { texts: [] },
      locks: locks(),
      onDamaged: (aside) => told.push(aside),
    });

  test('of more than is allowed is neither read nor overwritten, and says so', async () => {
    const text = JSON.stringify({ texts: ['x'.repeat(5 * 2 ** 20)] });
    await writeFile(file, text);
    const tooLarge = /state\.json would hold too much; allowed: 4 MiB\. It is left as it is/;
    await expect(state().read()).rejects.toThrow(tooLarge);
    await expect(state().change(() => ({ texts: [] }))).rejects.toThrow(tooLarge);
    expect(await readFile(file, 'utf8')).toBe(text);
    await rm(file);
    await state().change(() => ({ texts: ['kept'] }));
    await expect(state().change(() => ({ texts: ['x'.repeat(5 * 2 ** 20)] }))).rejects.toThrow(tooLarge);
    expect(await state().read()).toEqual({ texts: ['kept'] });
    expect(told).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('that is a pipe is told apart, and nobody waits for it', async () => {
    await rm(file, { force: true });
    execFileSync('mkfifo', [file]);
    await expect(state().read()).rejects.toThrow('is a pipe or a device, not a file');
    await rm(file);
  });
});
