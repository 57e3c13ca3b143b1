/** Extensions that GCC and Clang accept and Visual C++ rejects are inside `#if`, with a portable alternative. */
import { describe, expect, it } from 'vitest';
import { read, sourceFiles } from './imports.ts';

/** Device code is compiled by NVIDIA's compilers alone, on every system. */
const sources = sourceFiles([
  '{native,kernels}/**/*.{cpp,hpp}',
  'test/{kernels,native,parity,physics,gpu}/**/*.{cpp,hpp}',
]);

/** A condition that asks for the compiler or the system. */
const ASKS = /_MSC_VER|_WIN32|__GNUC__|__clang__|__linux__|__APPLE__|__unix__/;

/** Language extensions and platform headers, one pattern each. Variable-length arrays are left to Clang's warning. */
const REFUSED: Readonly<Record<string, RegExp>> = {
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

/** Without comments and texts, line by line as before. */
function bare(text: string): string {
  const kept = (found: string): string => found.replace(/[^\n]/g, found.startsWith('/') ? ' ' : '"');
  return text
    .replace(/R"(\w*)\([\s\S]*?\)\1"/g, kept)
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|(?<!\w)'(?:[^'\\\n]|\\.)+'/g, kept);
}

/** The text with every line under a compiler or system condition blanked. */
function everywhere(text: string): string {
  const conditions: boolean[] = [];
  return text
    .split('\n')
    .map((line) => {
      const directive = /^\s*#\s*(if|ifdef|ifndef|elif|endif)\b(.*)/.exec(line);
      const asks = ASKS.test(directive?.[2] ?? '');
      if (directive?.[1]?.startsWith('if')) conditions.push(asks);
      else if (directive?.[1] === 'elif') conditions.push((conditions.pop() ?? false) || asks);
      else if (directive?.[1] === 'endif') conditions.pop();
      return directive !== null || conditions.includes(true) ? '' : line;
    })
    .join('\n');
}

function refused(text: string): readonly string[] {
  const code = everywhere(bare(text));
  return Object.entries(REFUSED).flatMap(([name, pattern]) => {
    const found = pattern.exec(code);
    return found === null ? [] : [`line ${code.slice(0, found.index).split('\n').length}: ${name}, ${found[0].trim()}`];
  });
}

describe('C++ that Visual C++ compiles too', () => {
  it('finds what it refuses, and takes what only looks like it', () => {
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
    expect(wrong.filter((text) => refused(text).length === 0)).toEqual([]);
    expect(refused('int a;\nint b = a ?: 1;')).toEqual(['line 2: omitted middle operand, ?:']);
    const right = [
      'f({.a = 1, .b = 2});',
      'auto x = a ? b : c;\nauto y = a ? ::std::abs(b) : c;',
      '// __attribute__\n/* asm */ const char* s = "__builtin_trap() ?:";',
      '#ifdef _WIN32\n#include <windows.h>\n#else\n#include <dlfcn.h>\n#endif',
      '#if defined(__x86_64__) && defined(__GNUC__)\n#include <cpuid.h>\n#endif',
      '#pragma once\n#include <cstdint>\nvoid f(double* __restrict a);',
      'template <typename... T> void f(T... all) { (g(all), ...); }',
    ];
    expect(right.flatMap(refused)).toEqual([]);
  });

  it('is all there is outside of conditions', () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(sources.flatMap((file) => refused(read(file)).map((what) => `${file}, ${what}`))).toEqual([]);
  });
});
