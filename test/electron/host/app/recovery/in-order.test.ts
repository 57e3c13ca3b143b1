/** Edits are kept and given up in the order in which the page said so, however long each takes. */
import { expect, test } from 'vitest';
import { Recovery, type RecoveryParts } from '../../../../../electron/host/app/recovery/recovery.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';

const own = scratchFolder('drafts');

test('edits that were given up while their file was looked up are not kept', async () => {
  let found = (): void => undefined;
  const lookedUp = new Promise<void>((resolve) => {
    found = resolve;
  });
  const recovery = new Recovery({
    folders: { own, make: async () => undefined, orphans: async () => [] },
    files: {
      readable: async () => {
        await lookedUp;
        return { path: '/somewhere/mine.json', readOnly: false };
      },
    },
  } as unknown as RecoveryParts);
  const file = { kind: 'library', key: 'mine.json' } as const;
  const kept = recovery.keep('page-one', 'mine.json', file, { kind: 'transport', version: 1 });
  const dropped = recovery.drop('page-one');
  // Long enough for a drop that waits for nobody.
  await new Promise((resolve) => setTimeout(resolve, 50));
  found();
  await Promise.all([kept, dropped]);
  expect(await recovery.list(['page-one'])).toEqual([]);
});
