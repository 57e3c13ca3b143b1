/** Inline assembly of a user kernel may not read files, since trust does not cover those. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { nativeFolder } from '../../../../../electron/host/io/addon/addon.ts';
import {
  compileLibrary,
  fileDirective,
  findCompiler,
  readUserKernelBuild,
} from '../../../../../electron/host/model/user-kernels/cpp-compiler.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';

const folder = scratchFolder('assembler');
const build = await readUserKernelBuild(nativeFolder());
const compiler = await findCompiler(build);

async function compiled(name: string, text: string): Promise<{ readonly failed: boolean; readonly output: string }> {
  const source = `${name}.cpp`;
  writeFileSync(path.join(folder, source), text);
  writeFileSync(path.join(folder, 'inc.hpp'), '.byte 1\n');
  return compileLibrary(compiler, build, {
    ...{ folder, source, library: 'x.so', entry: source, includes: [], core: source, isa: null, flags: [] },
  });
}

describe.skipIf(compiler.style !== 'gnu')('a kernel whose assembly reads a file', () => {
  it.each([
    ['incbin', readFileSync(path.join(import.meta.dirname, 'cases', 'incbin.cpp'), 'utf8')],
    ['include', 'asm(".include \\"inc.hpp\\"");\n'],
    ['two-strings', 'asm(".inc" "bin \\"inc.hpp\\"");\n'],
    ['macro', 'asm(".macro m a\\n.inc\\\\a \\"inc.hpp\\"\\n.endm\\nm bin");\n'],
    ['within', 'int f() { asm volatile(".section .rodata\\n.incbin \\"inc.hpp\\"\\n.text"); return 1; }\n'],
    ['hidden', 'asm("/* \\" */ .incbin \\"inc.hpp\\"");\n'],
    ['lto', '#pragma GCC optimize("O1")\nasm(".incbin \\"inc.hpp\\"");\n'],
  ])('is refused: %s', async (name, text) => {
    const { failed, output } = await compiled(name, text);
    expect([failed, output]).toEqual([true, expect.stringMatching(/^the assembler directive \.\w+ is not allowed: /)]);
    expect(existsSync(path.join(folder, 'kernel.o'))).toBe(false);
  });
});

describe('directives in assembly', () => {
  it.each([
    ['in a string of the program', '\t.string\t"the file .incbin \\"x\\" .include"\n'],
    ['in a comment', '/* .include "x" */ nop\n'],
    ['as a part of a name', '\t.globl\tfile.included\n\tcall\treport\n'],
    ['of a section of data', '\t.section\t.rodata.str1.1,"aMS",@progbits,1\n'],
  ])('do not count %s', (_what, text) => expect(fileDirective(text)).toBeNull());

  it.each([
    ['after a character constant', `.byte '" ; .incbin "x"\n`, '.incbin'],
    ['after a comment with a quote', '/* " */ .include "x"\n', '.include'],
    ['in capitals', '.INCBIN "x"\n', '.INCBIN'],
    ['as a loop', '.irp a,bin\n', '.irp'],
  ])('count %s', (_what, text, found) => expect(fileDirective(text)).toBe(found));
});
