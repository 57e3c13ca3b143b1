/** `braggbench explain-launch` as a process of its own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { scratchFolder } from '../../scratch-folder.ts';
import { braggbenchHere, environmentWith } from './command.ts';

const folder = scratchFolder('launch');
const sweep = {
  name: 'sweep_f32',
  architecture: 'sm_90',
  registers: 64,
  shared_bytes: 0,
  constant_bytes: 0,
  stack_bytes: 0,
  spill_store_bytes: 0,
  spill_load_bytes: 0,
  barriers: 1,
  max_threads: 512,
};

beforeAll(async () => {
  await mkdir(join(folder, 'kernels'));
  await writeFile(
    join(folder, 'kernels', 'transport.resources.json'),
    JSON.stringify({ workload: 'transport', compiler: '13.0.88', kernels: [sweep] }),
  );
});

const run = (kernels: string, ...words: string[]) =>
  braggbenchHere(['explain-launch', ...words], {
    environment: environmentWith(join(folder, 'home'), { BRAGGBENCH_KERNELS: join(folder, kernels) }),
  });

describe('explain-launch', () => {
  test('lists the kernels, and explains one at its launch bounds', async () => {
    const [list, one] = await Promise.all([run('kernels'), run('kernels', 'sweep_f32', '--elements', '1000000')]);
    expect(list.stdout).toContain('transport, sm_90, CUDA 13.0.88, of this build');
    expect(list.stdout).toMatch(/sweep_f32 +64 +0 +0 +512/);
    expect(one.code).toBe(0);
    expect(one.stdout).toContain('NVIDIA H200 (sm_90), 132 multiprocessors, as published');
    expect(one.stdout).toContain('1 954 × 1 × 1 blocks');
    expect(one.stdout).toContain('2 blocks, 32 warps: occupancy 50 %');
    expect(one.stdout).toMatch(/Limited by +registers$/m);
    expect(one.stdout).toContain('7.402 of 264 blocks');
    expect(one.stdout).toContain('544  and more cannot be launched: threads');
  });

  test('prints the same as JSON, also for numbers in place of a kernel', async () => {
    const words = ['--registers', '64', '--block', '512', '--gpu', 'h200', '--reduction', '--json'];
    const { stdout } = await run('kernels', ...words);
    const { launch, curve, reductions, driverBlocks } = JSON.parse(stdout);
    expect(launch).toMatchObject({
      grid: [1954, 1, 1],
      occupancy: { blocks: 2, share: 0.5, limitedBy: ['registers'] },
    });
    expect(curve).toHaveLength(32);
    expect(reductions.map(({ kind }: { kind: string }) => kind)).toEqual([
      'divergent',
      'strided',
      'sequential',
      'shuffle',
    ]);
    expect(driverBlocks).toBeNull();
  });

  test('takes sizes without a kernel for those of the usual one, and does not list kernels instead', async () => {
    const { stdout } = await run('kernels', '--elements', '1000000', '--block', '128', '--gpu', 'h100');
    expect(stdout).toContain('A kernel of these numbers');
    expect(stdout).toMatch(/Registers +32 per thread/);
    expect(stdout).toContain('NVIDIA H100 SXM (sm_90), 132 multiprocessors, as published');
    expect(stdout).toContain('7 813 × 1 × 1 blocks');
  });

  test('says what is wrong with a launch, and with what was typed', async () => {
    const [stride, name, gpu, block] = await Promise.all([
      run('kernels', '--registers', '96', '--block', '1024', '--gpu', 'sm_89', '--grid-stride', 'auto', '--reduction'),
      run('kernels', 'sweep_f23'),
      run('kernels', 'sweep_f32', '--gpu', 'voodoo'),
      run('kernels', 'sweep_f32', '--block', '0'),
    ]);
    expect(stride.stdout).toContain('will not launch  The registers of one block are more than a multiprocessor has.');
    expect(stride.stdout).toContain('Warp shuffles: 1 barrier,');
    expect(name).toMatchObject({ code: 2 });
    expect(name.stderr).toContain('did you mean sweep_f32?');
    expect(gpu.stderr).toContain('--gpu: "voodoo" is not known; allowed: sm_80 (NVIDIA A100)');
    expect(block.stderr).toContain('--block: "0" is not allowed');
  });

  test('takes the recorded kernels where none were compiled', async () => {
    const { code, stdout, stderr } = await run('nothing');
    expect(code).toBe(0);
    expect(stderr).toContain('The kernels were not compiled here: that takes nvcc, and npm run build.');
    expect(stdout).toMatch(/as recorded in (transport\/)?h[12]00-/);
    expect(stdout).toContain('dense_fill_f32');
  });

  test('misses no compiled kernels where numbers stand for one', async () => {
    const { code, stdout, stderr } = await run('nothing', '--registers', '96', '--block', '256', '--gpu', 'h200');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/Registers +96 per thread/);
  });
});
