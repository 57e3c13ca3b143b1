/** Saving and dropping a page's draft run in the order of the page's requests. */
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
