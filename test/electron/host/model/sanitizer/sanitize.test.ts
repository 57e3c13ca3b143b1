/** compute-sanitizer: parsing of its output, and its command line, with a fake program that prints the same output. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { sanitizerSummary } from '../../../../../electron/contract/user-kernels/checks.ts';
import {
  findSanitizer,
  parseSanitizerOutput,
  runSanitizer,
} from '../../../../../electron/host/model/sanitizer/sanitize.ts';
import { onPosix } from '../../../../unless.ts';

/**
 * Output as in the tools' documentation: current and older forms of locations, a race, and lines of the program itself.
 */
const invalidWriteReport = (thread: number): string => `========= Invalid __global__ write of size 4 bytes
=========     at bb::micro::bounds(unsigned int, float *)+0x90 in /build/kernels/my.cu:18
=========     by thread (${thread},0,0) in block (7812,0,0)
=========     Access to 0x7f1c3d00f40c is out of range
=========     and is 1 bytes after the nearest allocation at 0x7f1c3cc00000 of size 4000012 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: cuLaunchKernel [0x7f1c40] in libcuda.so.1
=========                 in other.cpp:12
=========`;
const MEMCHECK = `========= COMPUTE-SANITIZER
my.cu, fp32
${invalidWriteReport(67)}
${invalidWriteReport(68)}
========= Invalid __shared__ read of size 8 bytes
=========     at 0x70 in /build/kernels/my.cu:31:second(float*)
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x400 is out of range
=========
========= ERROR SUMMARY: 61 errors
`;
const RACECHECK = `========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at sums(float *)+0x110 in my.cu:9
=========     and Read access at sums(float *)+0x150 in my.cu:11 [124 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
`;

describe('the output of the sanitizer', () => {
  test('is one finding per position, with the message of the first error', () => {
    const { findings, errors } = parseSanitizerOutput(MEMCHECK);
    expect(errors).toBe(61);
    expect(findings).toEqual([
      {
        what: 'Invalid __global__ write of size 4 bytes',
        kernel: 'bb::micro::bounds',
        file: '/build/kernels/my.cu',
        line: 18,
        more: 'by thread (67,0,0) in block (7812,0,0); Access to 0x7f1c3d00f40c is out of range; and is 1 bytes after the nearest allocation at 0x7f1c3cc00000 of size 4000012 bytes',
        times: 2,
      },
      {
        what: 'Invalid __shared__ read of size 8 bytes',
        kernel: 'second',
        file: '/build/kernels/my.cu',
        line: 31,
        more: 'by thread (0,0,0) in block (0,0,0); Address 0x400 is out of range',
        times: 1,
      },
    ]);
  });

  test('a race is reported at its first access', () => {
    const { findings, errors } = parseSanitizerOutput(RACECHECK);
    expect(errors).toBe(1);
    expect(findings).toMatchObject([{ file: 'my.cu', line: 9, times: 1 }]);
  });

  test('reports no findings, and reports if the end is missing', () => {
    expect(parseSanitizerOutput('========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n')).toEqual({
      findings: [],
      errors: 0,
    });
    expect(parseSanitizerOutput('Killed\n')).toEqual({ findings: [], errors: null });
  });
});

describe('the sanitizer program', onPosix, () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'braggbench-sanitizer-'));
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });

  async function installFakeSanitizer(script: string): Promise<void> {
    const file = path.join(folder, 'compute-sanitizer');
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
    vi.stubEnv('PATH', `${folder}${path.delimiter}${process.env['PATH'] ?? ''}`);
  }

  test('is searched on the path and in the CUDA folder, and reported in one sentence if it is missing', async () => {
    await expect(findSanitizer({ PATH: '/nowhere', CUDA_PATH: '/nowhere' })).rejects.toThrow(
      /compute-sanitizer was not found/,
    );
    await installFakeSanitizer('exit 0');
    expect(await findSanitizer({ PATH: folder })).toBe(path.join(folder, 'compute-sanitizer'));
  });

  test('runs the command line to be checked, and its findings name lines of the kernel', async () => {
    await installFakeSanitizer(`echo "asked: $*, $BRAGGBENCH_SANITIZED"; cat <<'END'\n${MEMCHECK}END`);
    const found = await runSanitizer({
      tool: 'memcheck',
      args: ['run', 'small one.json', '--trust'],
      kernel: 'my.cu',
    });
    expect(found.command).toBe(
      'compute-sanitizer --tool memcheck --target-processes all --print-limit 200 braggbench run "small one.json" --trust',
    );
    expect(found.issues.map(({ file, line, message }) => [file, line, message.split(':')[0]])).toEqual([
      ['my.cu', 18, 'Invalid __global__ write of size 4 bytes, 2 times'.split(':')[0]],
      ['my.cu', 31, 'Invalid __shared__ read of size 8 bytes'],
    ]);
    expect(sanitizerSummary(found)).toBe('memcheck found 61 errors at 2 places: out-of-bounds accesses');
  });

  test('does not report a rejected run as a finding', async () => {
    await installFakeSanitizer('echo "nowhere.json does not exist"; exit 2');
    await expect(runSanitizer({ tool: 'memcheck', args: ['run', 'nowhere.json'], kernel: null })).rejects.toThrow(
      /did not start: nowhere\.json does not exist/,
    );
  });
});
