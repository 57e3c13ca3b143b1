/**
 * PTX and SASS of kernels. nvcc wrote `reduction.cubin`, nvdisasm 13.0.85 disassembled it to `reduction.sass`, and
 * `reduction-source.csv` is the source page of Nsight Compute 2025.3 on an H200.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { BraggError } from '../../../../../electron/contract/errors.ts';
import { userKernelDescriptionSchema } from '../../../../../electron/contract/user-kernels.ts';
import {
  codeMismatchWarning,
  listInstructions,
  listingHeat,
  opcodeCounts,
  sourceDiff,
  withoutRegisterNames,
} from '../../../../../electron/domain/code-diff.ts';
import { readSourcePage } from '../../../../../electron/host/model/counters/source-page.ts';
import { decompressLz4, extractCubins, readKernels } from '../../../../../electron/host/model/machine-code/cubin.ts';
import {
  compileUserCode,
  readShippedCode,
  readUserResources,
} from '../../../../../electron/host/model/machine-code/index.ts';
import {
  MAX_LINES,
  parsePtx,
  parseSass,
  ptxKernelNames,
} from '../../../../../electron/host/model/machine-code/listing.ts';
import { findCudaTool, NO_DISASSEMBLER } from '../../../../../electron/host/model/machine-code/tools.ts';
import type { BuildOptions } from '../../../../../electron/host/model/user-kernels/build.ts';
import { readUserKernel, type UserKernel } from '../../../../../electron/host/model/user-kernels/file.ts';
import { onPosix, unless } from '../../../../unless.ts';

const here = import.meta.dirname;
const cubin = readFileSync(path.join(here, 'reduction.cubin'));
const sass = readFileSync(path.join(here, 'reduction.sass'), 'utf8');
const page = readFileSync(path.join(here, 'reduction-source.csv'), 'utf8');

/** A fat binary in nvcc's layout: a header, then entries, each with a header. */
function fatBinary(
  entries: readonly { payload: Uint8Array; flags: bigint; size: number; kind?: number; sm?: number }[],
): Buffer {
  const parts = entries.map(({ payload, flags, size, kind = 2, sm = 90 }) => {
    const padded = Math.ceil(payload.length / 8) * 8;
    const out = Buffer.alloc(64 + padded);
    out.writeUInt16LE(kind, 0);
    out.writeUInt32LE(64, 4);
    out.writeBigUInt64LE(BigInt(padded), 8);
    out.writeUInt32LE(payload.length, 16);
    out.writeUInt32LE(sm, 28);
    out.writeBigUInt64LE(flags, 40);
    out.writeBigUInt64LE(BigInt(size), 56);
    out.set(payload, 64);
    return out;
  });
  const head = Buffer.alloc(16);
  head.writeUInt32LE(0xba55ed50, 0);
  head.writeUInt16LE(16, 6);
  head.writeBigUInt64LE(BigInt(parts.reduce((sum, one) => sum + one.length, 0)), 8);
  return Buffer.concat([head, ...parts]);
}

describe('compiled kernels', () => {
  test('are read from a cubin with registers, shared memory, barriers and launch bounds', () => {
    const kernels = readKernels(cubin, 'sm_90');
    expect(kernels.map(({ name }) => name)).toEqual([
      'micro_reduce_atomics',
      'micro_reduce_grid_stride',
      'micro_reduce_interleaved',
      'micro_reduce_sequential',
      'micro_reduce_shuffle',
      'micro_reduce_warp_atomics',
    ]);
    expect(kernels.find(({ name }) => name === 'micro_reduce_interleaved')?.resource).toMatchObject({
      ...{ registers: 12, shared_bytes: 1024, stack_bytes: 0, barriers: 1, max_threads: 256 },
    });
  });

  test('are read from fat binaries, plain or compressed by zstd and LZ4, without their PTX entries', () => {
    const packed = zstdCompressSync(cubin);
    const all = extractCubins(
      fatBinary([
        { payload: cubin, flags: 0x11n, size: 0, sm: 80 },
        { payload: packed, flags: 0x8011n, size: cubin.length },
        { payload: Buffer.from('.version 9.0'), flags: 0x11n, size: 0, kind: 1, sm: 120 },
      ]),
    );
    expect([...all.keys()]).toEqual([80, 90]);
    for (const read of all.values()) expect(readKernels(read(), 'sm_90')).toHaveLength(6);
    // Literals "abcd", a match of 8 bytes at offset 4, and last literals "xyz".
    const block = Uint8Array.from([0x44, 0x61, 0x62, 0x63, 0x64, 4, 0, 0x30, 0x78, 0x79, 0x7a]);
    expect(new TextDecoder().decode(decompressLz4(block, 15))).toBe('abcdabcdabcdxyz');
  });

  test('are rejected with a reason if the file is damaged, whatever its bytes', () => {
    const whole = fatBinary([{ payload: zstdCompressSync(cubin), flags: 0x8011n, size: cubin.length }]);
    const read = (bytes: Uint8Array) => [...extractCubins(bytes).values()].map((one) => readKernels(one(), 'sm_90'));
    const refused = (work: () => unknown): void => {
      try {
        work();
      } catch (error) {
        if (!(error instanceof BraggError)) throw error;
        expect(error.message).toContain('damaged');
      }
    };
    expect(() => read(whole.subarray(0, 10))).toThrow(/damaged: the fat binary ends at byte 10/);
    expect(() => read(Buffer.from('not a fat binary at all'))).toThrow(
      /does not begin with the signature of fat binaries/,
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: cubin.length - 1 }),
        fc.integer({ min: 0, max: 255 }),
        fc.integer({ min: 0, max: cubin.length }),
        (at, byte, length) => {
          const changed = Buffer.from(cubin);
          changed[at] = byte;
          refused(() => readKernels(changed.subarray(0, length), 'sm_90'));
          refused(() => read(Buffer.concat([whole.subarray(0, at % whole.length), Buffer.from([byte])])));
          refused(() => decompressLz4(changed.subarray(0, length % 512), 4096));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('listings of machine code', () => {
  test('SASS of one kernel has addresses, instructions and source lines', () => {
    const { lines, files, dropped } = parseSass(sass, 'micro_reduce_interleaved');
    expect(dropped).toBe(0);
    expect(files.map((file) => path.basename(file))).toEqual(['reduction.cu', 'common.cuh']);
    expect(listInstructions(lines, 'sass')).toBe(88);
    expect(lines.find(({ address }) => address === 0x130)).toEqual({
      ...{ address: 0x130, text: 'STS [R7], R2', file: 0, line: 16 },
    });
    expect(lines.filter(({ address }) => address === null).map(({ text }) => text)).toContain('.L_x_31:');
  });

  test('a listing beyond the limit is cut, and other text is rejected', () => {
    const many = Array.from(
      { length: MAX_LINES + 5 },
      (_, i) => `        /*${(16 * i).toString(16).padStart(5, '0')}*/   NOP ;`,
    );
    const { lines, dropped } = parseSass(['//---- .text.k ----', ...many].join('\n'), 'k');
    expect([lines.length, dropped]).toEqual([MAX_LINES, 5]);
    expect(parseSass(sass, 'another').lines).toEqual([]);
    fc.assert(fc.property(fc.string(), (text) => parseSass(text, 'k').lines.length >= 0));
  });

  test('PTX of one kernel ends at its closing brace and names its source files', () => {
    const ptx = [
      '.version 9.0',
      '.target sm_90',
      '.visible .entry other() { ret; }',
      '.visible .entry k(',
      ' .param .u64 k_param_0',
      ')',
      '{',
      ' .loc 2 7 3, function_name $L__info_string0, inlined_at 1 20 5',
      ' ld.global.f32 %f1, [%rd1]; // a comment',
      ' { mov.u32 %r1, 0; }',
      '}',
      '.visible .entry last() { exit; }',
      '.file 1 "/checkout/kernels/a.cu"',
      '.file 2 "/checkout/kernels/b.cuh"',
    ].join('\n');
    expect(ptxKernelNames(ptx)).toEqual(['other', 'k', 'last']);
    const found = parsePtx(ptx, 'k');
    expect(found?.lines.map(({ text, line }) => [text, line]).slice(-3)).toEqual([
      ['ld.global.f32 %f1, [%rd1];', 7],
      ['{ mov.u32 %r1, 0; }', 7],
      ['}', 7],
    ]);
    expect(found?.files).toEqual(['/checkout/kernels/b.cuh']);
    expect(parsePtx(ptx, 'none')).toBeNull();
    fc.assert(fc.property(fc.string(), (text) => parsePtx(`.entry k ${text}`, 'k') !== null));
  });
});

describe('comparison of two kernels', () => {
  const [a, b] = ['micro_reduce_interleaved', 'micro_reduce_sequential'].map((name) => parseSass(sass, name).lines);
  if (a === undefined || b === undefined) throw new Error('not recorded');

  test('aligns instructions whatever their register names', () => {
    const texts = (lines: typeof a) => lines.map(({ text }) => text);
    const differing = (alike?: (text: string) => string): number =>
      sourceDiff(texts(a), texts(b), alike).filter(({ kind }) => kind !== 'same').length;
    expect(differing(withoutRegisterNames('sass'))).toBe(27);
    expect(differing()).toBe(56);
    expect(opcodeCounts(a, b, 'sass').slice(0, 2)).toEqual([
      { opcode: 'LOP3', left: 8, right: 0 },
      { opcode: 'ISETP', left: 3, right: 9 },
    ]);
  });
});

describe('hot lines', () => {
  test('samples of a source page are assigned to instructions and source lines, and a page printed twice counts once', () => {
    const [hot] = readSourcePage(page, 'source.csv');
    if (hot === undefined) throw new Error('no kernel');
    expect(hot).toMatchObject({ kernel: 'micro_reduce_interleaved', total: 2414 });
    const { lines, files } = parseSass(sass, hot.kernel);
    const code = { lines: [...lines], files: files.map((file) => ({ path: file, text: null })) };
    const heat = listingHeat(code, hot);
    const hottest = lines[heat.lines.findIndex((one) => one?.value === 777)];
    expect(hottest?.text).toBe('STS [R7], R2');
    expect(heat.sources.get(`${files[0]}:16`)).toMatchObject({ reason: 'long scoreboard' });
    expect([...heat.sources.values()].reduce((sum, { value }) => sum + value, 0)).toBe(2414);
    expect(codeMismatchWarning(code, hot)).toBeNull();
    expect(codeMismatchWarning({ lines: lines.slice(1) }, hot)).toContain('88 instructions, the listing has 87');
  });

  test.each(['1,234', '1.234', "1'234", '1234', '1\u202f234'])(
    '%s samples are parsed as 1234 in any locale',
    (samples) => {
      const text = `"Kernel Name","k"\n"File Name","a.cu"\n"Line No","Source","# Samples"\n"3","x","${samples}",\n"4","y","1,5",`;
      // A number with a decimal mark is not a count.
      expect(readSourcePage(text, 'a.csv')[0]?.total).toBe(1234);
    },
  );

  test('source lines are counted by file, even with quotes in them, and a page without counts is rejected', () => {
    const text = [
      '"Kernel Name","k(float *)",',
      '"File Name","/checkout/kernels/a.cu"',
      '"Line No","Source","# Samples","stall_wait"',
      '"3","#include "a","b".hpp","5","5",',
      '"4","x","-","",',
    ].join('\n');
    expect(readSourcePage(text, 'a.csv')).toEqual([
      {
        ...{ kernel: 'k', counted: '# Samples', total: 5 },
        places: [{ address: null, file: '/checkout/kernels/a.cu', line: 3, value: 5, reason: 'wait' }],
      },
    ]);
    expect(() => readSourcePage('"ID","Kernel Name"\n"0","k"', 'a.csv')).toThrow(/a.csv: it has no source counters/);
    fc.assert(
      fc.property(fc.string(), (line) => {
        expect(() => readSourcePage(`"Kernel Name","k"\n${line}`, 'x')).toThrow(BraggError);
      }),
    );
  });
});

describe('tools for machine code', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'code-'));
    await mkdir(path.join(folder, 'bin'));
    await mkdir(path.join(folder, 'kernels/source/micro/patterns'), { recursive: true });
    await writeFile(
      path.join(folder, 'kernels/micro.fatbin'),
      fatBinary([{ payload: zstdCompressSync(cubin), flags: 0x8011n, size: cubin.length }]),
    );
    const spilled = { spill_store_bytes: 8, spill_load_bytes: 16, constant_bytes: 0, stack_bytes: 0, barriers: 1 };
    const kernel = { name: 'micro_reduce_sequential', architecture: 'sm_90', registers: 12, shared_bytes: 1024 };
    const report = { workload: 'micro', compiler: '13.0.88', kernels: [{ ...kernel, ...spilled, max_threads: 256 }] };
    await writeFile(path.join(folder, 'kernels/micro.resources.json'), JSON.stringify(report));
    await writeFile(path.join(folder, 'kernels/source/micro/patterns/reduction.cu'), 'the source\n');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });

  const code = (kernel: string | null, architecture = 'sm_90') =>
    readShippedCode(
      { images: path.join(folder, 'kernels'), sources: path.join(folder, 'kernels/source'), cache: folder },
      { workload: 'micro', kernel, among: null, architecture, language: 'sass' },
    );

  test('without nvdisasm the view reports the missing tool, and still shows the resources', async () => {
    vi.stubEnv('PATH', path.join(folder, 'bin'));
    vi.stubEnv('CUDA_PATH', '');
    vi.stubEnv('CUDA_HOME', '');
    if (findCudaTool('nvdisasm') !== null) return;
    const found = await code('micro_reduce_sequential');
    expect(found).toMatchObject({ missing: NO_DISASSEMBLER, lines: [], kernel: 'micro_reduce_sequential' });
    expect(found.resource).toMatchObject({ registers: 12, spill_store_bytes: 8, spill_load_bytes: 16 });
    await expect(code('gone')).rejects.toThrow(/has no kernel gone; it has micro_reduce_atomics/);
    await expect(code(null, 'sm_120')).rejects.toThrow('micro was not compiled for sm_120, but for sm_90');
  });

  test('SASS is shown with its source text if that is available', onPosix, async () => {
    const program = path.join(folder, 'bin/nvdisasm');
    const prints = `#!/bin/sh\n[ "$1" = --version ] && echo 'release 13.0, V13.0.85' && exit\nexec /bin/cat '${here}/reduction.sass'\n`;
    await writeFile(program, prints);
    chmodSync(program, 0o755);
    vi.stubEnv('PATH', path.join(folder, 'bin'));
    const found = await code('micro_reduce_sequential');
    expect(found).toMatchObject({ by: 'nvcc 13.0.88, nvdisasm 13.0.85', missing: null });
    expect(found.files[0]).toEqual({ path: 'kernels/micro/patterns/reduction.cu', text: 'the source\n' });
    expect(listInstructions(found.lines, 'sass')).toBe(88);
  });

  const nvcc = findCudaTool('nvcc');
  test(
    'a user kernel is compiled for a chosen architecture, whatever GPU is present',
    unless(nvcc === null && 'nvcc is not installed'),
    async () => {
      vi.unstubAllEnvs();
      const source = 'kernels/micro/patterns/reduction.cu';
      const root = path.join(here, '../../../../..');
      const whole = readFileSync(path.join(root, source), 'utf8').replace(
        'sums[t] = i < n ? in[i] : 0;',
        'sums[t] = 1;',
      );
      const variant = {
        id: 'cuda-tree',
        workload: 'micro',
        bench: 'reduction',
        title: 'Tree',
        device: 'cuda',
      } as const;
      const kernel: UserKernel = {
        ...{
          id: 'my.cu',
          file: path.join(folder, 'my.cu'),
          text: whole,
          expandedText: whole,
          referenceProgram: null,
          includeErrors: [],
          sha256: 'a',
        },
        description: userKernelDescriptionSchema.parse({
          ...{ kind: 'variant', version: 1, workload: 'micro', bench: 'reduction', base: 'cuda-tree' },
          ...{ replaces: source, title: 'Mine' },
        }),
        base: { ...variant, source, buildsOn: null, available: true, reason: null } as UserKernel['base'],
      };
      const folders = { images: folder, sources: path.join(root, 'kernels'), cache: folder };
      const options = { folders } as BuildOptions;
      const kernelName = 'micro_reduce_interleaved';
      const ptx = await compileUserCode(kernel, options, {
        architecture: 'sm_80',
        language: 'ptx',
        kernel: kernelName,
      });
      expect(ptx).toMatchObject({ architecture: 'compute_80', missing: null });
      expect(ptx.files[0]).toEqual({ path: 'my.cu', text: whole });
      const machine = await compileUserCode(kernel, options, { architecture: 'sm_89', language: 'sass', kernel: null });
      expect(machine).toMatchObject({ kernel: 'micro_reduce_atomics', architecture: 'sm_89' });
      expect(machine.resource).toMatchObject({ spill_store_bytes: 0, max_threads: 256 });
      const broken = { ...kernel, expandedText: `${whole}\nnot C++;`, sha256: 'b' };
      await expect(
        compileUserCode(broken, options, { architecture: 'sm_80', language: 'ptx', kernel: null }),
      ).rejects.toThrow(/reduction\.cu\(\d+\): error/);
    },
  );

  test(
    'a CUDA candidate of a problem folder has the registers and spills that nvcc reports',
    unless(nvcc === null && 'nvcc is not installed'),
    async () => {
      vi.unstubAllEnvs();
      const at = path.join(folder, 'scale');
      await mkdir(at, { recursive: true });
      const launches = (kernel: string) => [{ kernel, grid: ['n'], block: [32] }];
      const document = {
        ...{ kind: 'user-problem', version: 1, name: 'scale', problem: { n: 4 }, axes: [{ name: 'n' }] },
        arrays: [
          { name: 'x', role: 'input', type: 'fp32', shape: ['n'], values: { kind: 'uniform', min: -1, max: 1 } },
          { name: 'y', role: 'output', type: 'fp32', shape: ['n'], tolerance: { relative: 1e-6 } },
        ],
        reference: 'reference.py',
        candidates: [{ file: 'many.cu', launches: launches('many') }],
      };
      await writeFile(path.join(at, 'problem.json'), JSON.stringify(document));
      await writeFile(path.join(at, 'reference.py'), 'def reference(x, n):\n    return x\n');
      // Two blocks of 1024 threads leave 32 registers for 64 values that live across the barrier.
      await writeFile(
        path.join(at, 'many.cu'),
        `extern "C" __global__ void __launch_bounds__(1024, 2) many(const float* x, float* y, int n) {
  float a[64];
  #pragma unroll
  for (int i = 0; i < 64; ++i) a[i] = x[(i * 31 + threadIdx.x) % n];
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 64; ++i) y[(i * 17 + threadIdx.x) % n] = a[i] * a[63 - i];
}`,
      );
      const sources = path.join(here, '../../../../../kernels');
      const base = { id: 'problem-cuda', workload: 'user-problem', bench: '', title: '', device: 'cuda' } as const;
      const bases = [{ ...base, source: 'kernels/user_problem/candidate.cu' } as unknown as UserKernel['base']];
      const rulesOf = () => ({ replaceable: () => false, fixed: () => null });
      const kernel = await readUserKernel(path.join(at, 'many.cu'), { bases, rulesOf, sources });
      const options = { folders: { images: folder, sources, cache: folder } } as BuildOptions;
      const found = await readUserResources(kernel, options, { architecture: 'sm_90' });
      expect(found).toMatchObject([{ name: 'many', registers: 32, max_threads: 1024 }]);
      expect(found[0]?.spill_store_bytes).toBeGreaterThan(0);
      expect(found[0]?.spill_load_bytes).toBeGreaterThan(0);
    },
  );

  test.each(['sm_80', 'sm_89', 'sm_90', 'sm_120'])(
    'shared memory of %s equals that of the source, 64 floats',
    unless(nvcc === null && 'nvcc is not installed'),
    async (architecture) => {
      const [source, built] = ['shared.cu', `${architecture}.cubin`].map((name) => path.join(folder, name));
      await writeFile(
        source ?? '',
        `extern "C" __global__ void turned(float* out) {
  __shared__ float values[64];
  values[threadIdx.x & 63] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = values[(threadIdx.x + 1) & 63];
}`,
      );
      execFileSync(nvcc ?? '', [`-arch=${architecture}`, '-cubin', '-o', built ?? '', source ?? '']);
      const [kernel] = readKernels(readFileSync(built ?? ''), architecture);
      expect(kernel).toMatchObject({ name: 'turned', resource: { architecture, shared_bytes: 256 } });
    },
  );

  const installed = findCudaTool('nvdisasm');
  test(
    'the parser reads the output of the installed nvdisasm',
    unless(installed === null && 'nvdisasm is not installed'),
    () => {
      const own = readKernels(cubin, 'sm_90').find(({ name }) => name === 'micro_reduce_sequential');
      const words = [
        '--print-code',
        '--print-line-info',
        '-fun',
        String(own?.symbol),
        path.join(here, 'reduction.cubin'),
      ];
      const { lines } = parseSass(
        execFileSync(installed ?? '', words, { encoding: 'utf8' }),
        'micro_reduce_sequential',
      );
      expect(listInstructions(lines, 'sass')).toBe(88);
    },
  );
});
