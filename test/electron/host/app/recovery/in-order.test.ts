/** A page's drafts: saved and dropped in the order of its requests, and read by ids that name nothing else. */
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Recovery, type RecoveryParts } from '../../../../../electron/host/app/recovery/recovery.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';

const own = scratchFolder('drafts');

test('a draft that is dropped while its file is being looked up is not saved', async () => {
  let found = (): void => undefined;
  const lookedUp = new Promise<void>((resolve) => {
    found = resolve;
  });
  const recoveryWith = (readable: RecoveryParts['files']['readable']): Recovery =>
    new Recovery({
      folders: { own, make: async () => undefined, orphans: async () => [] },
      files: { readable },
    } as unknown as RecoveryParts);
  const recovery = recoveryWith(async () => {
    await lookedUp;
    return { path: '/somewhere/mine.json', readOnly: false };
  });
  const idle = recoveryWith(async () => ({ path: '/somewhere/mine.json', readOnly: false }));
  const file = { kind: 'library', key: 'mine.json' } as const;
  const kept = recovery.keep('page-one', 'mine.json', file, { kind: 'transport', version: 1 });
  let over = false;
  const dropped = recovery.drop('page-one').then(() => {
    over = true;
  });
  // The same deletions, requested later and with nothing to wait for: a drop that did not wait would be over by now.
  for (let again = 0; again < 20; again += 1) await idle.drop('page-one');
  expect(over).toBe(false);
  found();
  await Promise.all([kept, dropped]);
  expect(await recovery.list(['page-one'])).toEqual([]);
});

test('an id names a draft or a run of its folder, and no other file', async () => {
  const recovery = new Recovery({
    folders: { own, make: async () => undefined, orphans: async () => [] },
  } as unknown as RecoveryParts);
  await recovery.keep('page-two', 'Untitled', null, { kind: 'transport', version: 1 });
  const [item] = await recovery.list(['page-two']);
  const [folder = '', file = ''] = item?.id.split('~') ?? [];
  expect((await recovery.draft(`${folder}~${file}`)).title).toBe('Untitled');
  await mkdir(path.join(own, 'below'), { recursive: true });
  await copyFile(path.join(own, file), path.join(own, 'below', file));
  await expect(recovery.draft(`${folder}~below/${file}`)).rejects.toMatchObject({ code: 'not-found' });
  await recovery.drop('page-two');
});
