/** The output of `braggbench help VERB` is in short sentences. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Verb } from '../../../electron/cli/verb.ts';

const folder = path.resolve(import.meta.dirname, '../../../electron/cli/verbs');
const isVerb = (value: unknown): value is Verb => typeof value === 'object' && value !== null && 'usage' in value;
const verbs = (
  await Promise.all(readdirSync(folder).map((file) => import(path.join(folder, file)) as Promise<object>))
).flatMap((module) => Object.values(module).filter(isVerb));

test('no sentence has 25 words or more', () => {
  expect(verbs.length).toBeGreaterThan(15);
  const sentences = verbs
    .flatMap(({ summary, details, flags }) => [summary, ...details, ...flags.map(({ help }) => help)])
    .flatMap((text) => text.split(/(?<=[.:;?!])\s+/));
  expect(sentences.filter((sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length >= 25)).toEqual(
    [],
  );
});
