/**
 * The linker merges two types that have the same name and namespace, and uses the members of either. Such a pair once
 * ran the wrong destructor, which freed memory that it did not own. Also checks portability: extensions that GCC and
 * Clang accept and Visual C++ rejects must be inside `#if`, with a portable alternative.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { read, sourceFiles } from './imports.ts';

describe('C++ type names', () => {
  const root = path.resolve(import.meta.dirname, '../..');

  /**
   * Types with external linkage that a file defines, with their namespaces. The formatter puts their first lines in
   * column 1.
   */
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

  test('finds types with their namespaces, and ignores types local to one file', () => {
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

  test('no two files define types of the same name', () => {
    const files = globSync('{native,kernels}/**/*.{hpp,cpp}', { cwd: root, exclude: ['native/reproduce/**'] });
    // Reproducers are left out: each is a separate program, which may reuse names of types.
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
});

/** Device code is left out: only NVIDIA's compilers compile it, on every system. */
const sources = sourceFiles([
  '{native,kernels}/**/*.{cpp,hpp}',
  'test/{kernels,native,parity,physics,gpu}/**/*.{cpp,hpp}',
]);

/** Matches a condition that tests for the compiler or the system. */
const COMPILER_CONDITION = /_MSC_VER|_WIN32|__GNUC__|__clang__|__linux__|__APPLE__|__unix__/;

/** Language extensions and platform headers, one pattern each. Clang itself warns about variable-length arrays. */
const REFUSED_EXTENSIONS: Readonly<Record<string, RegExp>> = {
  attribute: /__attribute(?:__)?\b/,
  builtin: /\b__builtin_\w+/,
  'other keywords': /\b(?:__extension__|__typeof__|typeof|__auto_type|__label__|__PRETTY_FUNCTION__|__thread)\b/,
  '128 bits': /\b(?:__u?int128(?:_t)?|__float128|_Float128)\b/,
  assembler: /\b(?:asm|__asm__)\b/,
  'statement expression': /(?<![\w>\])])\s*\(\{[^}]*;/,
  'omitted middle operand': /\?\s*:(?!:)/,
  'range of cases': /\bcase\b[^:\n]*\.\.\./,
  'computed goto': /\bgoto\s*\*/,
  'comma before no arguments': /##\s*__VA_ARGS__/,
  pragma: /#\s*pragma\s+(?:GCC|clang)\b|_Pragma\s*\(/,
  'header of one library or system':
    /#\s*include\s*<(?:bits\/|sys\/|linux\/|mach\/|(?:unistd|dlfcn|pthread|sched|cpuid|x86intrin|immintrin|alloca|strings|fcntl|dirent|windows|intrin)\.h)/,
  'name of POSIX':
    /\b(?:ssize_t|alloca|strcasecmp|localtime_r|gmtime_r|setenv|unsetenv|mkdtemp|usleep|posix_memalign)\b/,
};

/** The text with its comments and string literals blanked; line numbers stay the same. */
function blankCommentsAndStrings(text: string): string {
  const kept = (found: string): string => found.replace(/[^\n]/g, found.startsWith('/') ? ' ' : '"');
  return text
    .replace(/R"(\w*)\([\s\S]*?\)\1"/g, kept)
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|(?<!\w)'(?:[^'\\\n]|\\.)+'/g, kept);
}

/** The text with every line under a compiler or system condition blanked. */
function blankConditionalLines(text: string): string {
  const conditions: boolean[] = [];
  return text
    .split('\n')
    .map((line) => {
      const directive = /^\s*#\s*(if|ifdef|ifndef|elif|endif)\b(.*)/.exec(line);
      const asks = COMPILER_CONDITION.test(directive?.[2] ?? '');
      if (directive?.[1]?.startsWith('if')) conditions.push(asks);
      else if (directive?.[1] === 'elif') conditions.push((conditions.pop() ?? false) || asks);
      else if (directive?.[1] === 'endif') conditions.pop();
      return directive !== null || conditions.includes(true) ? '' : line;
    })
    .join('\n');
}

function refusedIn(text: string): readonly string[] {
  const code = blankConditionalLines(blankCommentsAndStrings(text));
  return Object.entries(REFUSED_EXTENSIONS).flatMap(([name, pattern]) => {
    const found = pattern.exec(code);
    return found === null ? [] : [`line ${code.slice(0, found.index).split('\n').length}: ${name}, ${found[0].trim()}`];
  });
}

describe('C++ code that Visual C++ also accepts', () => {
  it('finds constructs that Visual C++ rejects, and ignores look-alikes', () => {
    const wrong = [
      'void f() __attribute__((noinline));',
      'int n = __builtin_popcount(x);',
      '__typeof__(a) b;',
      '__int128 wide;',
      'asm volatile("" ::: "memory");',
      'int n = ({ int a = 1; a; });',
      'int n = a ?: b;',
      'case 1 ... 5:',
      'goto *where;',
      '#define SAY(f, ...) printf(f, ##__VA_ARGS__)',
      '#pragma GCC unroll 4',
      '#include <bits/stdc++.h>',
      '#include <unistd.h>',
      'ssize_t read;',
      '#if defined(NDEBUG)\nint n = __builtin_expect(x, 1);\n#endif',
      '#ifdef _WIN32\n#endif\n#include <dlfcn.h>',
    ];
    expect(wrong.filter((text) => refusedIn(text).length === 0)).toEqual([]);
    expect(refusedIn('int a;\nint b = a ?: 1;')).toEqual(['line 2: omitted middle operand, ?:']);
    const right = [
      'f({.a = 1, .b = 2});',
      'auto x = a ? b : c;\nauto y = a ? ::std::abs(b) : c;',
      '// __attribute__\n/* asm */ const char* s = "__builtin_trap() ?:";',
      '#ifdef _WIN32\n#include <windows.h>\n#else\n#include <dlfcn.h>\n#endif',
      '#if defined(__x86_64__) && defined(__GNUC__)\n#include <cpuid.h>\n#endif',
      '#pragma once\n#include <cstdint>\nvoid f(double* __restrict a);',
      'template <typename... T> void f(T... all) { (g(all), ...); }',
    ];
    expect(right.flatMap(refusedIn)).toEqual([]);
  });

  it('no source uses these constructs outside preprocessor conditions', () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(sources.flatMap((file) => refusedIn(read(file)).map((what) => `${file}, ${what}`))).toEqual([]);
  });
});

test('named barriers of CUDA kernels bring the threads of a warp together first', () => {
  const barriers = sourceFiles(['kernels/**/*.{cu,cuh}']).flatMap((file) => {
    const lines = read(file).split('\n');
    return lines.flatMap((line, i) =>
      /asm volatile\("bar\./.test(line) ? [`${file}: ${(lines[i - 1] ?? '').trim()}`] : [],
    );
  });
  expect(barriers.length).toBeGreaterThan(2);
  expect(barriers.filter((barrier) => !barrier.endsWith(': __syncwarp();'))).toEqual([]);
});
