/** The two files of a run that is saved against a crash: the note may name only a state that can be read. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Checkpoints, runForm, runsIn } from '../../../../../electron/host/app/recovery/checkpoints.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';

const own = scratchFolder('checkpoints');

it('writes no note where the state cannot be written, and reports the reason once', async () => {
  const troubles: string[] = [];
  const checkpoints = new Checkpoints(
    { own, make: async () => void (await mkdir(own, { recursive: true })), orphans: async () => [] } as never,
    runForm({ write: async () => new Uint8Array(8) } as never),
    (reason) => void troubles.push(reason),
  );
  const state = (id: string) => ({ id, data: { name: 'Run' }, upTo: 'step 3', finished: false }) as never;
  // A folder with a file in it cannot be replaced by the state of that name.
  await mkdir(path.join(own, 'run-blocked.h5'), { recursive: true });
  await writeFile(path.join(own, 'run-blocked.h5', 'file'), '');
  await checkpoints.keep(state('blocked'));
  await checkpoints.keep(state('blocked'));
  expect(existsSync(path.join(own, 'run-blocked.json'))).toBe(false);
  expect(troubles).toEqual([expect.stringMatching(/^Runs are not protected against a crash: /)]);
  await checkpoints.keep(state('free'));
  expect((await runsIn(own)).map(({ file, note }) => [path.basename(file), note.upTo])).toEqual([
    ['run-free.json', 'step 3'],
  ]);
});
