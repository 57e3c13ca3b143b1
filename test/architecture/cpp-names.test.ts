/**
 * Two types of one name in one namespace are one to the linker, which takes the members of either: a destructor of the
 * other layout once freed what it did not own.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

/** Types that a file defines where the linker sees them, with their namespaces. The formatter leaves those in the first column. */
function typesOf(text: string): readonly string[] {
  const open: string[] = [];
  const found: string[] = [];
  for (const line of text.split('\n')) {
    const space = /^namespace\s*([\w:]*)\s*\{/.exec(line);
    if (space !== null) open.push(space[1] || '(anonymous)');
    else if (/^\}\s*\/\/ namespace/.test(line)) open.pop();
    const name =
      /^(?:struct|class|union|enum class|enum)\s+(?:alignas\(\w+\)\s+)?(\w+)(?:\s+final)?\s*(?::(?!:)[^;]*)?\{/.exec(
        line,
      )?.[1];
    if (name !== undefined && !open.includes('(anonymous)')) found.push([...open, name].join('::'));
  }
  return found;
}

test('types are found with their namespaces, and those of one file alone are left out', () => {
  const text = `namespace bb::a {
namespace {
struct Own {
};
}  // namespace
template <typename T>
struct Two : Base<T> {
};
class Three final : public Base {
};
struct Two::Inner {
};
struct Declared;
}  // namespace bb::a
`;
  expect(typesOf(text)).toEqual(['bb::a::Two', 'bb::a::Three']);
});

test('no two files define a type of one name', () => {
  const files = globSync('{native,kernels}/**/*.{hpp,cpp}', { cwd: root, exclude: ['native/reproduce/**'] });
  // A reproducer is a program of its own, which reads problems by the same names.
  expect(files.length).toBeGreaterThan(300);
  const where = new Map<string, string[]>();
  for (const file of files) {
    for (const name of typesOf(readFileSync(path.join(root, file), 'utf8'))) {
      where.set(name, [...(where.get(name) ?? []), file]);
    }
  }
  expect(where.size).toBeGreaterThan(300);
  expect([...where].filter(([, all]) => all.length > 1)).toEqual([]);
});
