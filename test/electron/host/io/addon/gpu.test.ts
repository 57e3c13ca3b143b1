/** Which of several GPUs is used: by index, by UUID, and refused with the choices. */
import { afterEach, expect, it, vi } from 'vitest';
import type { CudaDevice, DeviceReport } from '../../../../../electron/contract/devices.ts';
import { loadAddon } from '../../../../../electron/host/index.ts';
import { chooseGpu, findGpu, sharingGpus, usedGpu } from '../../../../../electron/host/io/addon/gpu.ts';
import { openTestHost } from '../../test-host.ts';

afterEach(() => vi.unstubAllEnvs());

const device = (index: number, uuid: string, reason: string | null = null) =>
  ({ index, name: `GPU ${index}`, uuid, usable: reason === null, reason }) as CudaDevice;
const devices = [
  device(0, 'GPU-11111111-aaaa-0000-0000-000000000000', 'it is in exclusive use'),
  device(1, 'GPU-22222222-aaaa-0000-0000-000000000000'),
  device(2, 'GPU-22222222-bbbb-0000-0000-000000000000'),
];
const report = { cuda: { available: true, reason: null, devices } } as unknown as DeviceReport;

it('finds a GPU by its index or the beginning of its UUID', () => {
  const found = (selector: string) => findGpu(devices, selector)?.index ?? null;
  expect(['0', '2', 'GPU-11111111', '22222222-b', 'GPU-22222222-aaaa-0000'].map(found)).toEqual([0, 2, 0, 2, 1]);
  // Too short, of two, of none.
  expect(['3', '1111111', 'GPU-22222222', 'GPU-33333333', ''].map(found)).toEqual(Array(5).fill(null));
});

it('uses the first that can be used, or the one that was chosen', () => {
  vi.stubEnv('BRAGGBENCH_CUDA_DEVICE', '');
  expect(usedGpu(report)?.index).toBe(1);
  vi.stubEnv('BRAGGBENCH_CUDA_DEVICE', '0');
  expect(usedGpu(report)).toBeNull();
  chooseGpu(report, '2');
  expect(process.env['BRAGGBENCH_CUDA_DEVICE']).toBe('GPU-22222222-bbbb-0000-0000-000000000000');
  expect(usedGpu(report)?.index).toBe(2);
  expect(() => chooseGpu(report, '0')).toThrow('the GPU "0" cannot be used; it is in exclusive use');
  expect(() => chooseGpu(report, '7')).toThrow(
    /^the GPU "7" cannot be used; allowed: 1 \(GPU 1, GPU-22222222-aaaa[-0]+\), 2 \(GPU 2, /,
  );
});

it('names those that share work: all that can be used, or a list', () => {
  const shared = (list: string) => sharingGpus(report, list).map(({ index }) => index);
  expect([shared('all'), shared('2'), shared('2, 1'), shared('1,1')]).toEqual([[1, 2], [2], [2, 1], [1, 1]]);
  expect(() => shared('1,0')).toThrow('the GPU "0" cannot be used; it is in exclusive use');
  expect(() => shared('')).toThrow('the GPU "" cannot be used; allowed: 1 (GPU 1, ');
  const none = { cuda: { ...report.cuda, reason: 'there is no driver', devices: [] } };
  expect(() => sharingGpus(none, 'all')).toThrow('no GPU can be used; there is no driver');
});

it('a host on a GPU that is not here says why, before anything runs', async (context) => {
  vi.stubEnv('BRAGGBENCH_CUDA_DEVICE', '');
  const { cuda } = loadAddon().devices();
  if (cuda.available) context.skip('this machine has a GPU');
  await expect(openTestHost({ gpu: '0' })).rejects.toThrow(`the GPU "0" cannot be used; ${cuda.reason}`);
});
