/** The occupancy calculation against NVIDIA's own and against the driver of an H200. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { deviceReportSchema } from '../../../../electron/contract/devices.ts';
import { limitsOf, publishedFor, publishedLimits } from '../../../../electron/contract/launch/limits.ts';
import { occupancyOf } from '../../../../electron/contract/launch/occupancy.ts';

const golden = (name: string): unknown =>
  JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../golden', name), 'utf8'));

const calculator = golden('occupancy-cuda-13.0.json') as { architectures: Record<string, number[][]> };

describe.each(publishedLimits)('on $architecture', (limits) => {
  it("holds as many blocks as NVIDIA's cuda_occupancy.h says", () => {
    const rows = calculator.architectures[limits.architecture] ?? [];
    expect(rows.length).toBeGreaterThan(300);
    const wrong = rows.filter(([registers = 0, shared_bytes = 0, dynamic = 0, barriers = 0, threads = 1, blocks]) => {
      const kernel = { registers, shared_bytes, barriers };
      return occupancyOf(kernel, limits, threads, dynamic).blocks !== blocks;
    });
    expect(wrong).toEqual([]);
  });
});

/** `npm run test:gpu` asks the driver again, of the kernels as they are then. */
it('is what the driver of an H200 said of every kernel at every block size', () => {
  const h200 = publishedFor('sm_90');
  const { threads, record } = golden('occupancy-nvidia-h200.json') as {
    threads: number[];
    record: {
      workload: string;
      dynamic_bytes: number;
      kernels: {
        name: string;
        registers: number;
        shared_bytes: number;
        barriers: number;
        max_threads: number;
        blocks: number[];
      }[];
    }[];
  };
  expect(record.flatMap(({ kernels }) => kernels).length).toBeGreaterThan(240);
  for (const { dynamic_bytes, kernels } of record) {
    for (const { name, blocks, ...kernel } of kernels) {
      const ours = threads.map((size) => h200 && occupancyOf(kernel, h200, size, dynamic_bytes).blocks);
      expect(ours, name).toEqual(blocks);
    }
  }
});

describe('limits', () => {
  it('of an H200 are the same from its driver as from what is published', () => {
    const [device] = deviceReportSchema.parse(golden('devices-nvidia-h200.json')).cuda.devices;
    expect(device).toBeDefined();
    if (device === undefined) return;
    expect(limitsOf(device)).toEqual({ ...publishedFor('sm_90a'), origin: 'driver' });
  });

  it('of an architecture that is not known are null', () => {
    expect(publishedFor('sm_200')).toBeNull();
  });
});

describe('occupancy', () => {
  const h200 = publishedLimits.find(({ architecture }) => architecture === 'sm_90');
  if (h200 === undefined) throw new Error('sm_90 is not in the table');
  const plain = { registers: 32, shared_bytes: 0, barriers: 0 };

  it('names everything that allows no further block', () => {
    expect(occupancyOf(plain, h200, 256)).toMatchObject({
      blocks: 8,
      warps: 64,
      share: 1,
      limitedBy: ['registers', 'threads'],
    });
    expect(occupancyOf({ ...plain, registers: 64 }, h200, 256)).toMatchObject({ blocks: 4, limitedBy: ['registers'] });
    expect(occupancyOf(plain, h200, 32)).toMatchObject({ blocks: 32, share: 0.5, limitedBy: ['blocks'] });
    expect(occupancyOf(plain, h200, 256, 60_000)).toMatchObject({ blocks: 3, limitedBy: ['shared memory'] });
  });

  it('is nothing for a block that cannot be launched', () => {
    expect(occupancyOf(plain, h200, 1056)).toMatchObject({ blocks: 0, share: 0, limitedBy: ['threads'] });
    expect(occupancyOf({ ...plain, max_threads: 256 }, h200, 288)).toMatchObject({ blocks: 0, limitedBy: ['threads'] });
    expect(occupancyOf({ ...plain, registers: 96 }, h200, 1024)).toMatchObject({ blocks: 0, limitedBy: ['registers'] });
    expect(occupancyOf(plain, h200, 256, 240_000)).toMatchObject({ blocks: 0, limitedBy: ['shared memory'] });
  });
});
