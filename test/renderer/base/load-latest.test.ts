import { expect, it } from 'vitest';
import { loadLatest } from '../../../renderer/base/load-latest.ts';

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

it('loads the last of what is wanted meanwhile, also after what failed', async () => {
  let [want, there]: [string | null, string | null] = ['a', null];
  const asked: { readonly what: string; done(): void; fail(): void }[] = [];
  const failures: unknown[] = [];
  const follow = loadLatest({
    wanted: () => (want === there ? null : want),
    load: (what: string) =>
      new Promise<void>((resolve, reject) => {
        const done = () => {
          there = what;
          resolve();
        };
        asked.push({ what, done, fail: () => reject(new Error(what)) });
      }),
    failed: (error) => failures.push(error),
  });
  const first = follow();
  for (const next of ['b', 'c']) {
    want = next;
    void follow();
  }
  asked[0]?.fail();
  await turn();
  // The failure of what nobody wants any more holds nothing up.
  expect(asked.map(({ what }) => what)).toEqual(['a', 'c']);
  asked[1]?.fail();
  await first;
  expect(failures).toHaveLength(2);
  expect(asked).toHaveLength(2);
  const again = follow();
  asked[2]?.done();
  await again;
  expect(there).toBe('c');
  await follow();
  expect(asked.map(({ what }) => what)).toEqual(['a', 'c', 'c']);
});
