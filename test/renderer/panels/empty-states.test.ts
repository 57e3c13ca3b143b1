/** Each empty state has something that acts; only what is being read for a moment has not. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');

/** The opening tag that begins here: braces may hold further ones. */
function tagAt(text: string, from: number): string {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (text[at] === '>' && depth === 0) return text.slice(from, at + 1);
  }
  throw new Error('a tag without an end');
}

/** As the whole of an action, or as one of its two cases. */
const NOTHING = /action=\{null|\?\s*null\s*:|>\s*:\s*null\s*\}/;

const tags = globSync('renderer/**/*.tsx', { cwd: root }).flatMap((file) => {
  const text = readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(/<EmptyState\b/g)].map(({ index }) => ({ file, tag: tagAt(text, index) }));
});

test('an empty state says what can be done about it, or that it reads', () => {
  expect(tags.length).toBeGreaterThan(30);
  for (const { file, tag } of tags) {
    expect(tag, file).toMatch(/\baction=\{/);
    if (NOTHING.test(tag)) expect(tag, `${file}: ${tag}`).toMatch(/title=.*Reading/s);
  }
});
