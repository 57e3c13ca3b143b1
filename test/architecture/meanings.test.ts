/** A word that had several meanings has one: what else it was is called otherwise. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const sources = globSync('{electron,renderer}/**/*.{ts,tsx}', { cwd: root });

it('a place is where the library keeps something', () => {
  const types = sources.flatMap((file) =>
    [
      ...readFileSync(path.join(root, file), 'utf8').matchAll(/^(?:export )?(?:interface|type|class) (\w*Place)\b/gm),
    ].map(([, name]) => name),
  );
  expect(types).toEqual(['LibraryPlace']);
});
