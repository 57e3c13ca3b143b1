/** Calls of the launch explorer: the list of kernels, and the driver's data about them. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { scratchFolder } from '../../scratch-folder.ts';
import { openTestHost, type TestHost } from './test-host.ts';

let host: TestHost;
const folder = scratchFolder('launches');
const before = process.env['BRAGGBENCH_KERNELS'];
beforeAll(async () => {
  process.env['BRAGGBENCH_KERNELS'] = folder;
  host = await openTestHost();
});
afterAll(async () => {
  if (before === undefined) delete process.env['BRAGGBENCH_KERNELS'];
  else process.env['BRAGGBENCH_KERNELS'] = before;
  await host.close();
});

it('the host lists the kernels of the recorded sessions if none were compiled here', async () => {
  const page = await host.page();
  const { sets, reason } = await page.call('launch.kernels', {});
  expect(reason).toContain('The kernels were not compiled on this machine');
  const transport = sets.find(({ workload }) => workload === 'transport');
  expect(transport?.session).toMatch(/^(transport\/)?h[12]00-/);
  const names = transport?.kernels.map(({ name, architecture }) => `${name} ${architecture}`) ?? [];
  expect(names).toContain('dense_fill_f32 sm_90');
  expect(new Set(names).size).toBe(names.length);
});

it('compiled kernels are listed by workload, and a malformed report is an error', async () => {
  const page = await host.page();
  const kernel = {
    ...{ name: 'sweep', architecture: 'sm_90', registers: 40, shared_bytes: 0, constant_bytes: 0, stack_bytes: 0 },
    ...{ spill_store_bytes: 0, spill_load_bytes: 0, barriers: 0, max_threads: null },
  };
  const report = { workload: 'micro', compiler: '13.0.88', kernels: [kernel] };
  await writeFile(path.join(folder, 'micro.resources.json'), JSON.stringify(report));
  expect(await page.call('launch.kernels', {})).toEqual({
    sets: [{ workload: 'micro', compiler: '13.0.88', session: null, kernels: [kernel] }],
    reason: null,
  });
});

it('a missing driver and a broken device are reported', async () => {
  const page = await host.page();
  const ask = { device: 'GPU-none', workload: 'transport', kernel: 'dense_fill_f32', threads: [256] };
  const answer = page.call('launch.driver', ask);
  await expect(answer).rejects.toMatchObject({ code: expect.stringMatching(/^(unsupported|invalid|device)$/) });
  await expect(answer).rejects.toThrow(/driver|device/i);
});
