/** Every export is used by another file; anything else must not be exported. */
import { expect, test } from 'vitest';
import { read, sourceFiles, withoutComments } from './imports.ts';

const EXPORTED = /^export (?:abstract |async )*(?:const|function\*?|class|interface|type) ([\w$]+)/gm;

/** Exported for the compiler, or text of a program that a test writes. */
const ON_PURPOSE = ['test/electron/main/stand-in/electron.ts', 'test/architecture/toy-workload.long.test.ts'];

test('every exported name stands in another file, too', () => {
  // Scripts in plain JavaScript name types in their comments.
  const texts = sourceFiles(['{electron,renderer,test}/**/*.{ts,tsx,mjs}']).map((file) => {
    const text = read(file);
    return [file, file.endsWith('.mjs') ? text : withoutComments(text)] as const;
  });
  const filesWith = new Map<string, number>();
  for (const [, text] of texts)
    for (const word of new Set(text.match(/[\w$]+/g))) filesWith.set(word, (filesWith.get(word) ?? 0) + 1);
  const asked = texts.filter(([file]) => !ON_PURPOSE.some((place) => file.startsWith(place)));
  const alone = asked.flatMap(([file, text]) =>
    [...text.matchAll(EXPORTED)].flatMap(([, name = '']) => (filesWith.get(name) === 1 ? [`${file}: ${name}`] : [])),
  );
  expect(alone).toEqual([]);
});
