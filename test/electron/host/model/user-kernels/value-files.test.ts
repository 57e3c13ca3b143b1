/**
 * Values of a problem's inputs from files, byte by byte. Includes of a kernel are found in any text, in time
 * proportional to its length. Inline assembly of a user kernel may not read files, because trust does not cover those.
 * Real compiler messages are mapped to the lines of the user's file. Also compilers that exceed time or memory, or
 * outlive their host, which shell processes imitate.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { validateScenario } from '../../../../../electron/contract/scenario/index.ts';
import { USER_PROBLEM } from '../../../../../electron/contract/scenario/user-problem/index.ts';
import { USER_KERNEL_TEXT_MAX } from '../../../../../electron/contract/user-kernels.ts';
import { addonFolder } from '../../../../../electron/host/io/addon/addon.ts';
import { replaceFolder, temporaryPathIn } from '../../../../../electron/host/io/files/write-file.ts';
import { createFile } from '../../../../../electron/host/io/hdf5/h5.ts';
import { pruneCache } from '../../../../../electron/host/model/user-kernels/build.ts';
import { compilerLimits, runContained } from '../../../../../electron/host/model/user-kernels/contained.ts';
import {
  compileLibrary,
  fileDirective,
  findCompiler,
  readUserKernelBuild,
} from '../../../../../electron/host/model/user-kernels/cpp-compiler.ts';
import { parseDiagnostics } from '../../../../../electron/host/model/user-kernels/diagnostics.ts';
import { expandIncludes } from '../../../../../electron/host/model/user-kernels/includes.ts';
import { PrintedText } from '../../../../../electron/host/model/user-kernels/process/user-kernel-process.ts';
import { cacheValueFile, type ValueFile } from '../../../../../electron/host/model/user-kernels/value-files.ts';
import { valuesInFiles } from '../../../../../electron/host/workloads/task/user-problem/definition.ts';
import { fixedScratchFolder, scratchFolder } from '../../../../scratch-folder.ts';
import { onLinux, onPosix, unless } from '../../../../unless.ts';
import { MAX_MS, shortestBlock } from '../../longest-hold.ts';
import { eventually } from '../../test-host.ts';

describe('the printed output of a kernel', () => {
  test('keeps its beginning and end, and the number of bytes omitted in between', () => {
    const printed = new PrintedText();
    printed.add('first\n');
    expect(printed.text).toEqual({ first: 'first\n', last: '', left_out: 0 });
    for (let n = 0; n < 1000; n += 1) printed.add(`${'x'.repeat(199)}\n`);
    printed.add('last\n');
    const { first, last, left_out } = printed.text;
    expect(first.startsWith('first\nxxx')).toBe(true);
    expect(last.endsWith('x\nlast\n')).toBe(true);
    expect([first.length, last.length]).toEqual([32 * 1024, 32 * 1024]);
    expect(first.length + last.length + left_out).toBe(6 + 200_000 + 5);
  });
});

describe('includes', () => {
  const folder = scratchFolder('includes');
  const file = path.join(folder, 'my.cpp');
  writeFileSync(path.join(folder, 'mine.h'), 'int mine = 1;\n');

  const filled = (unit: string, head = '', tail = ''): string =>
    `${head}${unit.repeat(Math.floor((USER_KERNEL_TEXT_MAX - head.length - tail.length) / unit.length))}${tail}`;

  test.each([
    ['Windows line endings', '#include "mine.h"\r\nint main;\r\n'],
    ['a line that continues after a carriage return', '#include "mine.h"\r// and more\n'],
    ['a form feed before the include', '\f#include "mine.h"\n'],
    ['an unterminated comment after the include', '#include "mine.h"\n/* and so on\n'],
  ])('are part of the trusted files despite %s', async (_what, text) => {
    const { expandedText: whole, included, includeErrors: refused } = await expandIncludes(file, text);
    expect(refused).toEqual([]);
    expect(included).toEqual([{ name: 'mine.h', text: 'int mine = 1;\n' }]);
    expect(whole).toContain('int mine = 1;');
  });

  test.each([
    ['unterminated comments', filled('/* ')],
    ['comments', filled('/**/')],
    ['spaces within an include', filled(' ', '#include "a', 'b"')],
    ['spaces after an include', filled(' ', '#include "a"', 'b')],
    ['spaces in continued lines', filled('\\ \t')],
    ['spaces', filled(' ', '', '#')],
    ['lines', filled('\n')],
  ])('are found without delay in a text of maximum size made of %s', async (_what, text) => {
    expect(text.length).toBeGreaterThan(USER_KERNEL_TEXT_MAX - 4);
    expect(await shortestBlock(() => expandIncludes(file, text))).toBeLessThan(MAX_MS);
  });

  test('are limited in number', async () => {
    expect((await expandIncludes(file, '#include "none.h"\n'.repeat(1000))).includeErrors).toEqual([]);
    const { includeErrors: refused } = await expandIncludes(file, '#include "none.h"\n'.repeat(1001));
    expect(refused).toMatchObject([{ line: 1001, message: expect.stringContaining('the 1001st include') }]);
  });
});

const folder = scratchFolder('assembler');
const build = await readUserKernelBuild(addonFolder());
const compiler = await findCompiler(build);

async function compileKernel(
  name: string,
  text: string,
): Promise<{ readonly failed: boolean; readonly output: string }> {
  const source = `${name}.cpp`;
  writeFileSync(path.join(folder, source), text);
  writeFileSync(path.join(folder, 'inc.hpp'), '.byte 1\n');
  return compileLibrary(compiler, build, {
    ...{ folder, source, library: 'x.so', entry: source, includes: [], core: source, isa: null, flags: [] },
  });
}

describe(
  'a kernel whose inline assembly reads a file',
  unless(compiler.style !== 'gnu' && 'it needs a compiler with the assembly of GNU'),
  () => {
    it.each([
      ['incbin', readFileSync(path.join(import.meta.dirname, 'cases', 'incbin.cpp'), 'utf8')],
      ['include', 'asm(".include \\"inc.hpp\\"");\n'],
      ['two-strings', 'asm(".inc" "bin \\"inc.hpp\\"");\n'],
      ['macro', 'asm(".macro m a\\n.inc\\\\a \\"inc.hpp\\"\\n.endm\\nm bin");\n'],
      ['within', 'int f() { asm volatile(".section .rodata\\n.incbin \\"inc.hpp\\"\\n.text"); return 1; }\n'],
      ['hidden', 'asm("/* \\" */ .incbin \\"inc.hpp\\"");\n'],
      ['lto', '#pragma GCC optimize("O1")\nasm(".incbin \\"inc.hpp\\"");\n'],
    ])('is rejected: %s', async (name, text) => {
      const { failed, output } = await compileKernel(name, text);
      expect([failed, output]).toEqual([
        true,
        expect.stringMatching(/^the assembler directive \.\w+ is not allowed: /),
      ]);
      expect(existsSync(path.join(folder, 'kernel.o'))).toBe(false);
    });
  },
);

describe('directives in assembly', () => {
  it.each([
    ['in a string of the program', '\t.string\t"the file .incbin \\"x\\" .include"\n'],
    ['in a comment', '/* .include "x" */ nop\n'],
    ['as a part of a name', '\t.globl\tfile.included\n\tcall\treport\n'],
    ['as a data section', '\t.section\t.rodata.str1.1,"aMS",@progbits,1\n'],
  ])('are ignored %s', (_what, text) => expect(fileDirective(text)).toBeNull());

  it.each([
    ['after a character constant', `.byte '" ; .incbin "x"\n`, '.incbin'],
    ['after a comment with a quote', '/* " */ .include "x"\n', '.include'],
    ['in capitals', '.INCBIN "x"\n', '.INCBIN'],
    ['as a loop', '.irp a,bin\n', '.irp'],
  ])('are detected %s', (_what, text, found) => expect(fileDirective(text)).toBe(found));
});

describe('compiler diagnostics', () => {
  const shown = (output: string, name: string) =>
    parseDiagnostics(output, name, ['/x/kernels']).map(
      ({ severity, line, column, message }) => `${severity} ${line}:${column} ${message}`,
    );

  test('GCC: errors and warnings of the file, and an error in a shipped header at the line that includes it', () => {
    const output = `my.cpp: In member function 'int Gather<T>::advance()':
my.cpp:64:16: error: 'undefined_thing' was not declared in this scope
my.cpp:70:9: warning: unused variable 'n' [-Wunused-variable]
my.cpp:71:3: note: suggested alternative: 'm'
In file included from /x/kernels/source/transport/gather_ops.hpp:5,
                 from my.cpp:12:
/x/kernels/source/transport/dense_state.hpp: In instantiation of 'class DenseState<std::string>':
my.cpp:33:20:   required from here
/x/kernels/source/transport/dense_state.hpp:40:12: error: static assertion failed: numbers only
my.cpp:90: fatal error: nowhere.hpp: No such file or directory
`;
    expect(shown(output, 'my.cpp')).toEqual([
      "error 64:16 'undefined_thing' was not declared in this scope",
      "warning 70:9 unused variable 'n' [-Wunused-variable]",
      'error 33:20 static assertion failed: numbers only (in dense_state.hpp, line 40)',
      'error 90:null nowhere.hpp: No such file or directory',
    ]);
  });

  test('NVRTC: columns from its carets, an error in a template only once, and no remarks', () => {
    const output = `mine.cu(17): error: identifier "undefined_thing" is undefined
    const int zz = undefined_thing + 1;
                   ^

mine.cu(16): warning #177-D: variable "unused" was declared but never referenced
    const int z = blockIdx.y; int unused = 5;
                                  ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

mine.cu(29): error: class "bb::transport::DeviceStep<float>" has no member "fromm"
      const T* p = s.fromm + field_offset(s, e, a0) + i;
                     ^
          detected during instantiation of "void bb::transport::gather_score(…) [with T=float]" at line 215

mine.cu(29): error: class "bb::transport::DeviceStep<double>" has no member "fromm"
      const T* p = s.fromm + field_offset(s, e, a0) + i;
                     ^

7 errors detected in the compilation of "cuda_gather.cu".`;
    expect(shown(output, 'mine.cu')).toEqual([
      'error 17:18 identifier "undefined_thing" is undefined',
      'warning 16:33 variable "unused" was declared but never referenced',
      'error 29:20 class "bb::transport::DeviceStep<float>" has no member "fromm"',
    ]);
  });

  test('MSVC and linkers: messages are parsed', () => {
    expect(shown("my.cpp(12,5): error C2065: 'foo': undeclared identifier\r\n", 'my.cpp')).toEqual([
      "error 12:5 'foo': undeclared identifier",
    ]);
    const linker =
      "/usr/bin/ld: kernel.o: in function `f':\nmy.cpp:(.text+0x12): undefined reference to `bb::helper(int)'\n";
    expect(shown(linker, 'my.cpp')).toEqual(['error null:null bb::helper(int) is used but not defined']);
  });

  test('messages quote nothing from files outside the kernel, the shipped sources and the system', () => {
    const output = [
      "/home/me/key.txt:1:1: error: 'secret' does not name a type",
      '/usr/lib/../../home/me/key.txt:2:1: error: secret',
      "/app/kernels/index.hpp:3:1: error: 'Index' was not declared",
    ].join('\n');
    const all = parseDiagnostics(output, 'my.cpp', ['/app/kernels']);
    expect(JSON.stringify(all)).not.toContain('secret');
    expect(all.map(({ message }) => message).join('\n')).toContain("'Index' was not declared (in index.hpp, line 3)");
  });
});

describe('contained processes', () => {
  const folder = scratchFolder('contained');

  /** A compiler driver with a child process that writes its id and keeps running. */
  const driver = (file: string): readonly string[] => [
    '-c',
    `sh -c 'echo $$ > ${file}; while :; do sleep 0.2; done' & wait`,
  ];
  const isAlive = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      // A zombie that nobody has waited for does no work.
      return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    } catch {
      return false;
    }
  };
  async function pidIn(file: string): Promise<number> {
    await eventually(() => existsSync(file) && readFileSync(file, 'utf8').trim() !== '');
    return Number(readFileSync(file, 'utf8'));
  }

  test('end with all their children when they exceed the time limit', onPosix, async () => {
    const file = path.join(folder, 'late');
    const limits = { ...compilerLimits, time_ms: 1500 };
    const work = runContained({ program: 'sh', args: driver(file), folder, limits });
    await expect(work).rejects.toThrow('The compiler did not finish within 1.5 s and was stopped.');
    const pid = await pidIn(file);
    await eventually(() => !isAlive(pid));
  });

  test('end with all their children when they are cancelled', onPosix, async () => {
    const file = path.join(folder, 'cancelled');
    const stop = new AbortController();
    const ended = expect(
      runContained({ program: 'sh', args: driver(file), folder, signal: stop.signal }),
    ).rejects.toMatchObject({ code: 'disconnected' });
    const pid = await pidIn(file);
    stop.abort();
    await ended;
    await eventually(() => !isAlive(pid));
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)('end a compiler when the host ends by %s', onPosix, async (signal) => {
    const file = path.join(folder, `host-${signal}`);
    const module = path.resolve('electron/host/model/user-kernels/contained.ts');
    const work = JSON.stringify({ program: 'sh', args: driver(file), folder });
    const script = `const { runContained } = await import(${JSON.stringify(module)}); await runContained(${work});`;
    const host = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    const pid = await pidIn(file);
    expect(isAlive(pid)).toBe(true);
    host.kill(signal);
    await eventually(() => !isAlive(pid));
  });

  test('are limited in number of files and in output', onPosix, async () => {
    const limits = { ...compilerLimits, file_bytes: 2 ** 20, output_bytes: 1000 };
    const written = await runContained({
      program: 'sh',
      args: ['-c', 'head -c 5000000 /dev/zero > large; yes | head -c 100000'],
      folder,
      limits,
    });
    expect(written.output.length).toBeLessThanOrEqual(1000);
    expect(readFileSync(path.join(folder, 'large')).length).toBeLessThanOrEqual(2 ** 20);
  });

  test('are limited in memory', onLinux, async () => {
    const limits = { ...compilerLimits, memory_bytes: 64 * 2 ** 20 };
    const args = ['-c', 'head -c 200000000 /dev/zero | tail -c 190000000 | wc -c'];
    const { output } = await runContained({ program: 'sh', args, folder, limits });
    expect(output).toMatch(/memory/i);
  });

  test('saved builds are limited in bytes, and the least recently used are deleted first', async () => {
    const kept = path.join(folder, 'kept');
    for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) {
      await mkdir(path.join(kept, name), { recursive: true });
      await writeFile(path.join(kept, name, 'my.so'), new Uint8Array(1000));
      await utimes(path.join(kept, name), 1000 + at, 1000 + at);
    }
    await pruneCache(kept, path.join(kept, 'a'), 2500);
    expect((await readdir(kept)).sort()).toEqual(['a', 'c', 'd']);
  });

  test('a build in progress is neither counted nor deleted, but one of an ended process is', async () => {
    const kept = path.join(folder, 'building');
    const living = temporaryPathIn(kept);
    // No process has this number: Linux ends at 2^22.
    const ended = living.replace(`-${process.pid}-`, '-99999999-');
    for (const place of [living, ended, path.join(kept, 'saved')]) {
      await mkdir(place, { recursive: true });
      await writeFile(path.join(place, 'my.so'), new Uint8Array(1000));
    }
    await utimes(ended, 1000, 1000);
    await pruneCache(kept, path.join(kept, 'saved'), 1000);
    expect((await readdir(kept)).sort()).toEqual([path.basename(living), 'saved'].sort());
  });

  test('builds complete while other processes rename and delete theirs', async () => {
    const kept = path.join(folder, 'busy');
    await mkdir(kept);
    async function saveBuild(round: number): Promise<void> {
      const work = temporaryPathIn(kept);
      await mkdir(path.join(work, 'inner'), { recursive: true });
      await writeFile(path.join(work, 'inner', 'my.so'), new Uint8Array(1000));
      const at = path.join(kept, `key-${round % 3}`);
      await replaceFolder(work, at);
      await pruneCache(kept, at, 1500);
    }
    await Promise.all(Array.from({ length: 60 }, (_, round) => saveBuild(round)));
    expect((await readdir(kept)).every((name) => name.startsWith('key-'))).toBe(true);
  });

  test('a character split over two chunks is decoded correctly', onPosix, async () => {
    const halves = String.raw`printf '\342\206'; sleep 0.3; printf '\222\n'`;
    const { output } = await runContained({ program: 'sh', args: ['-c', halves], folder, limits: compilerLimits });
    expect(output).toBe('→\n');
  });
});

describe('files with values of a problem', () => {
  const scratch = fixedScratchFolder('value-files');

  async function readValues(name: string, bytes: Uint8Array, of: Partial<ValueFile>): Promise<readonly number[]> {
    const file = path.join(scratch, name);
    await writeFile(file, bytes);
    const made = await cacheValueFile({ file, dataset: '', type: 'fp32', shape: [2], cache: scratch, ...of });
    const values = await readFile(made);
    return [...new Float64Array(values.buffer.slice(values.byteOffset, values.byteOffset + values.byteLength))];
  }

  /** A version 1 header without padding, which readers must not rely on. */
  function npyFile(descr: string, shape: string, data: Uint8Array, order = 'False'): Uint8Array {
    const header = Buffer.from(`{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }\n`, 'latin1');
    const head = Buffer.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, header.length, 0]);
    return Buffer.concat([head, header, data]);
  }

  const floats = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);

  function safetensorsFile(header: object, data: Uint8Array): Uint8Array {
    const text = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    return Buffer.concat([length, text, data]);
  }

  test('are read in each format', async () => {
    expect(await readValues('a.npy', npyFile('<f4', '(2,)', floats(0.5, -2)), {})).toEqual([0.5, -2]);
    expect(
      await readValues('c.npy', npyFile('<c8', '(1,)', floats(0.5, -2)), { type: 'complex64', shape: [1] }),
    ).toEqual([0.5, -2]);
    // 0x3c00 is 1 in binary16, 0x0001 the smallest above 0: 2^-24. In bf16 0x3f80 is 1, and 0xc000 is -2.
    const halves = new Uint8Array(Uint16Array.of(0x3c00, 1).buffer);
    expect(await readValues('a.bin', halves, { type: 'fp16' })).toEqual([1, 2 ** -24]);
    const brains = new Uint8Array(Uint16Array.of(0x3f80, 0xc000).buffer);
    const header = { __metadata__: { a: 'b' }, w: { dtype: 'BF16', shape: [1, 2], data_offsets: [0, 4] } };
    const of = { type: 'bf16', shape: [1, 2] } as const;
    expect(await readValues('a.safetensors', safetensorsFile(header, brains), { ...of, dataset: 'w' })).toEqual([
      1, -2,
    ]);
    const hdf5 = await createFile((file) => {
      file.create_group('g').create_dataset({ name: 'x', data: Int32Array.of(7, 9), shape: [2] });
    });
    expect(await readValues('a.h5', hdf5, { type: 'int32', dataset: 'g/x' })).toEqual([7, 9]);
  });

  test('are read as NumPy writes them', async () => {
    const file = path.join(scratch, 'numpy.npy');
    execFileSync('python3', [
      '-c',
      'import numpy as np, sys; np.save(sys.argv[1], np.arange(6, dtype="i8").reshape(2, 3))',
      file,
    ]);
    expect(await readValues('numpy.npy', await readFile(file), { type: 'int32', shape: [2, 3] })).toEqual([
      0, 1, 2, 3, 4, 5,
    ]);
  });

  test.each([
    ['a.npy', npyFile('<f4', '(3,)', floats(1, 2, 3)), {}, /has the shape \[3\]; allowed: \[2\]/],
    ['b.npy', npyFile('>f4', '(2,)', floats(1, 2)), {}, /big-endian/],
    ['c.npy', npyFile('<f4', '(2,)', floats(1, 2), 'True'), {}, /column-major order/],
    ['d.npy', npyFile('<U4', '(2,)', floats(1, 2)), {}, /numbers of kind U4; allowed: f8/],
    ['e.npy', Buffer.from('text'), {}, /no NPY header/],
    ['a.bin', floats(1, 2, 3), {}, /has 3 numbers; allowed: 2/],
    ['b.bin', Buffer.alloc(7), {}, /7 bytes are not a multiple/],
    ['a.npy', npyFile('<f4', '(2,)', floats(1, 2.5)), { type: 'int32' }, /number 1 is 2\.5; allowed: whole numbers/],
    ['a.safetensors', safetensorsFile({ w: {} }, floats()), { dataset: 'v' }, /has no tensor "v"; allowed: w/],
    [
      'b.safetensors',
      safetensorsFile({ w: { dtype: 'F32', shape: [2], data_offsets: [0, 99] } }, floats(1, 2)),
      { dataset: 'w' },
      /w is outside of the file/,
    ],
    ['c.safetensors', Buffer.alloc(16, 0xff), { dataset: 'w' }, /header is longer than the file/],
    ['a.h5', Buffer.from('no HDF5'), { dataset: 'x' }, /not an HDF5 file/],
    ['a.txt', floats(1, 2), {}, /allowed: \.npy, \.bin/],
  ] as const)('are rejected with a reason: %s', async (name, bytes, of, says) => {
    await expect(readValues(name, bytes, of)).rejects.toThrow(says);
  });

  const problem = (values: object, others: readonly object[] = []) => ({
    ...{ kind: 'user-problem', version: 1, name: 'p', problem: { n: 2 }, axes: [{ name: 'n' }] },
    arrays: [
      { name: 'x', role: 'input', type: 'fp32', shape: ['n'], values },
      ...others,
      { name: 'y', role: 'output', type: 'fp32', shape: ['n'], tolerance: { absolute: 1e-3 } },
    ],
    reference: 'reference.py',
  });
  const random = { name: 'z', role: 'input', type: 'fp32', shape: ['n'], values: { kind: 'normal' } };

  test('are rejected if their path lies outside the folder', () => {
    for (const bad of ['../x.npy', '/etc/x.npy', 'a/../../x.npy', 'C:x.npy'])
      expect(validateScenario(problem({ kind: 'file', path: bad }, [random])).faults[0]?.message).toContain(
        'a path inside the folder of the problem',
      );
    expect(validateScenario(problem({ kind: 'file', path: './blob/..x.npy' }, [random])).faults).toEqual([]);
  });

  test('are reported at their path in the problem if they do not match it', async () => {
    await writeFile(path.join(scratch, 'three.npy'), npyFile('<f4', '(3,)', floats(1, 2, 3)));
    const { filled } = validateScenario(problem({ kind: 'file', path: 'three.npy' }, [random]));
    if (filled?.kind !== USER_PROBLEM) throw new Error('no problem');
    const { faults } = await valuesInFiles(filled, scratch, scratch);
    expect(faults).toMatchObject([{ path: ['arrays', 0, 'values', 'path'] }]);
    expect(faults[0]?.message).toContain('three.npy has the shape [3]; allowed: [2]');
    expect((await valuesInFiles(filled, null, scratch)).faults[0]?.message).toContain('a saved problem');
  });
});
