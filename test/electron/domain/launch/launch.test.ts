/**
 * Launches counted thread by thread, and common pitfalls. The occupancy calculation compared with NVIDIA's own and with
 * the driver of an H200.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deviceReportSchema } from '../../../../electron/contract/capabilities.ts';
import {
  type Extent,
  elementsOfThread,
  explainLaunch,
  findLimits,
  occupancyCurve,
  threadOfElement,
  threadPosition,
  threadsAlongX,
} from '../../../../electron/domain/launch/launch.ts';
import {
  computeOccupancy,
  launchLimitsOf,
  publishedLimits,
  publishedLimitsOf,
} from '../../../../electron/domain/launch/occupancy.ts';
import { explainReduction, reductionKinds, valuesAfterSteps } from '../../../../electron/domain/launch/reduction.ts';

describe('occupancy', () => {
  const golden = (name: string): unknown =>
    JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../golden', name), 'utf8'));

  const calculator = golden('occupancy-cuda-13.0.json') as { architectures: Record<string, number[][]> };

  describe.each(publishedLimits)('occupancy on $architecture', (limits) => {
    it("equals NVIDIA's cuda_occupancy.h for resident blocks", () => {
      const rows = calculator.architectures[limits.architecture] ?? [];
      expect(rows.length).toBeGreaterThan(300);
      const wrong = rows.filter(([registers = 0, shared_bytes = 0, dynamic = 0, barriers = 0, threads = 1, blocks]) => {
        const kernel = { registers, shared_bytes, barriers };
        return computeOccupancy(kernel, limits, threads, dynamic).blocks !== blocks;
      });
      expect(wrong).toEqual([]);
    });
  });

  /** `npm run test:gpu` queries the driver again, about the current kernels. */
  it("equals the driver's answer on an H200 for every kernel at every block size", () => {
    const h200 = publishedLimitsOf('sm_90');
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
        const ours = threads.map((size) => h200 && computeOccupancy(kernel, h200, size, dynamic_bytes).blocks);
        expect(ours, name).toEqual(blocks);
      }
    }
  });

  describe('limits of a GPU', () => {
    it('agree between the driver and the published tables for an H200', () => {
      const [device] = deviceReportSchema.parse(golden('devices-nvidia-h200.json')).cuda.devices;
      expect(device).toBeDefined();
      if (device === undefined) return;
      expect(launchLimitsOf(device)).toEqual({ ...publishedLimitsOf('sm_90a'), origin: 'driver' });
    });

    it('are null for an unknown architecture', () => {
      expect(publishedLimitsOf('sm_200')).toBeNull();
    });
  });

  describe('occupancy', () => {
    const h200 = publishedLimits.find(({ architecture }) => architecture === 'sm_90');
    if (h200 === undefined) throw new Error('sm_90 is not in the table');
    const plain = { registers: 32, shared_bytes: 0, barriers: 0 };

    it('lists every resource that prevents another resident block', () => {
      expect(computeOccupancy(plain, h200, 256)).toMatchObject({
        blocks: 8,
        warps: 64,
        share: 1,
        limitedBy: ['registers', 'threads'],
      });
      expect(computeOccupancy({ ...plain, registers: 64 }, h200, 256)).toMatchObject({
        blocks: 4,
        limitedBy: ['registers'],
      });
      expect(computeOccupancy(plain, h200, 32)).toMatchObject({ blocks: 32, share: 0.5, limitedBy: ['blocks'] });
      expect(computeOccupancy(plain, h200, 256, 60_000)).toMatchObject({ blocks: 3, limitedBy: ['shared memory'] });
    });

    it('is zero for a block that cannot be launched', () => {
      expect(computeOccupancy(plain, h200, 1056)).toMatchObject({ blocks: 0, share: 0, limitedBy: ['threads'] });
      expect(computeOccupancy({ ...plain, max_threads: 256 }, h200, 288)).toMatchObject({
        blocks: 0,
        limitedBy: ['threads'],
      });
      expect(computeOccupancy({ ...plain, registers: 96 }, h200, 1024)).toMatchObject({
        blocks: 0,
        limitedBy: ['registers'],
      });
      expect(computeOccupancy(plain, h200, 256, 240_000)).toMatchObject({ blocks: 0, limitedBy: ['shared memory'] });
    });
  });
});

describe('the launch model', () => {
  const found = publishedLimitsOf('sm_90');
  if (found === null) throw new Error('sm_90 is not in the table');
  const h200 = found;
  const plain = { registers: 32, shared_bytes: 0, barriers: 0 };
  const line = (elements: number, threads: number, more = {}) => ({
    elements: [elements, 1, 1] as Extent,
    block: [threads, 1, 1] as Extent,
    mapping: 'one-per-thread' as const,
    blocks: null,
    dynamic_bytes: 0,
    ...more,
  });

  describe('a launch', () => {
    it('covers a million elements on an H200', () => {
      const launch = explainLaunch(plain, h200, line(1_000_000, 256));
      expect(launch).toMatchObject({
        grid: [3907, 1, 1],
        blocks: 3907,
        threads: 1_000_192,
        elementsPerThread: 1,
        residentBlocks: 8 * 132,
        lastBlockUsed: 64 / 256,
      });
      expect(launch.waves).toBeCloseTo(3907 / 1056, 12);
      expect(launch.tail).toBeCloseTo(1 - 3907 / 1056 / 4, 12);
      expect(launch.notes).toEqual([]);
    });

    it('uses the threads and elements that a brute-force count finds', () => {
      const small = fc.integer({ min: 1, max: 12 });
      const extent = fc.tuple(small, small, small);
      fc.assert(
        fc.property(
          extent,
          fc.tuple(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 2 })),
          fc.constantFrom('one-per-thread' as const, 'grid-stride' as const),
          fc.option(fc.integer({ min: 1, max: 4 })),
          (elements, block, mapping, blocks) => {
            const launch = explainLaunch(plain, h200, { elements, block, mapping, blocks, dynamic_bytes: 0 });
            const done = new Map<string, number>();
            let busy = 0;
            let most = 0;
            const [gx, gy, gz] = launch.grid;
            for (let x = 0; x < gx * block[0]; x += 1) {
              for (let y = 0; y < gy * block[1]; y += 1) {
                for (let z = 0; z < gz * block[2]; z += 1) {
                  if (y >= elements[1] || z >= elements[2]) continue;
                  const { first, count } = elementsOfThread(launch, x, 1000);
                  if (count > 0) busy += 1;
                  most = Math.max(most, count);
                  for (const element of first)
                    done.set(`${element},${y},${z}`, (done.get(`${element},${y},${z}`) ?? 0) + 1);
                }
              }
            }
            expect([...done.values()].every((times) => times === 1)).toBe(true);
            expect(done.size).toBe(launch.elements);
            expect(launch.threadsUsed).toBeCloseTo(busy / launch.threads, 12);
            expect(launch.elementsPerThread).toBe(most);
            for (let element = 0; element < elements[0]; element += 1) {
              const place = threadOfElement(launch, element);
              expect(place.thread + place.turn * threadsAlongX(launch)).toBe(element);
              expect(place).toEqual(threadPosition(launch, place.thread, place.turn));
              expect(place.block * block[0] + place.lane).toBe(place.thread);
            }
          },
        ),
        { numRuns: 60 },
      );
    });

    it('fills the GPU once with a grid-stride loop', () => {
      const launch = explainLaunch(plain, h200, line(100_000_000, 256, { mapping: 'grid-stride' }));
      expect(launch).toMatchObject({ grid: [1056, 1, 1], waves: 1, tail: 0, elementsPerThread: 370, notes: [] });
      expect(elementsOfThread(launch, 3, 2)).toEqual({ first: [3, 3 + 1056 * 256], count: 370 });
      expect(explainLaunch(plain, h200, line(1000, 256, { mapping: 'grid-stride' })).grid).toEqual([4, 1, 1]);
    });

    const about = (request: ReturnType<typeof line>, kernel: typeof plain & { max_threads?: number } = plain) =>
      explainLaunch(kernel, h200, request).notes.map(({ severity, about: what }) => `${severity}: ${what}`);

    it('reports why it is invalid', () => {
      expect(about(line(1e6, 100))).toEqual(['warning: block']);
      expect(explainLaunch(plain, h200, line(1e6, 100)).notes[0]?.text).toContain('28 lanes');
      expect(about(line(1e6, 2048))).toEqual(['refused: block', 'refused: block']);
      expect(about(line(1e6, 512), { ...plain, max_threads: 256 })).toEqual(['refused: block']);
      expect(about(line(1e6, 1024), { ...plain, registers: 96 })).toEqual(['refused: registers']);
      expect(about(line(1e6, 256, { dynamic_bytes: 300_000 }))).toEqual(['refused: shared memory']);
      expect(about(line(1e6, 256, { dynamic_bytes: 60_000 }))).toEqual(['warning: shared memory']);
      expect(about(line(10_000, 256))).toEqual(['warning: waves']);
      expect(about(line(150 * 256, 256))).toEqual(['warning: waves']);
      expect(about(line(1100 * 256, 256))).toEqual(['warning: tail']);
      expect(about(line(3e9, 256))).toEqual(['warning: index']);
      expect(about({ ...line(1, 1), elements: [32, 70_000, 1], block: [32, 1, 1] })).toEqual(['refused: grid']);
      expect(about({ ...line(1, 1), elements: [256, 1, 70_000], block: [256, 1, 1] })).toEqual(['refused: grid']);
      expect(about({ ...line(1, 1), elements: [1e6, 1, 1], block: [32, 1, 128] })).toContain('refused: block');
      expect(about({ ...line(1, 1), elements: [33, 8192, 1], block: [32, 8, 1] })).toEqual(['warning: tail']);
    });

    it('has an occupancy at every multiple of a warp', () => {
      const curve = occupancyCurve({ ...plain, registers: 64 }, h200, 0);
      expect(curve.map(({ threads }) => threads)).toEqual(Array.from({ length: 32 }, (_, i) => 32 * (i + 1)));
      expect(curve.find(({ threads }) => threads === 256)?.occupancy.share).toBe(0.5);
      expect(curve.find(({ threads }) => threads === 672)?.occupancy.share).toBe(21 / 64);
    });

    it('has its limits looked up from user input', () => {
      for (const text of ['sm_90', '9.0', 'H200', 'sm_90a', 'nvidia h200']) {
        expect(findLimits(publishedLimits, text)?.name).toBe('NVIDIA H200');
      }
      expect(findLimits(publishedLimits, 'h100')).toMatchObject({ name: 'NVIDIA H100 SXM', architecture: 'sm_90' });
      expect(findLimits(publishedLimits, 'V100')).toBeNull();
    });
  });

  describe('a tree reduction', () => {
    it('adds every value once, in as many steps as the tree has levels', () => {
      for (const threads of [1, 2, 3, 31, 32, 33, 96, 100, 256, 1000, 1024]) {
        for (const kind of reductionKinds.filter((one) => one !== 'shuffle')) {
          const { steps } = explainReduction(kind, threads);
          expect(steps.reduce((sum, step) => sum + step.threads, 0)).toBe(threads - 1);
          expect(steps.length).toBe(Math.ceil(Math.log2(threads)));
        }
      }
      expect(explainReduction('shuffle', 256).steps.length).toBe(5 + 1 + 3);
      expect(explainReduction('shuffle', 32).steps.length).toBe(5);
    });

    it('leaves the sum of all values in the first element, whatever the block size', () => {
      for (const threads of [1, 2, 3, 31, 32, 33, 96, 100, 256, 1000, 1024]) {
        const start = Array.from({ length: threads }, (_, t) => t + 1);
        for (const kind of reductionKinds) {
          const states = valuesAfterSteps(kind, start);
          const { steps } = explainReduction(kind, threads);
          expect(states.length).toBe(steps.length + 1);
          expect(states.at(-1)?.values[0], `${kind} of ${threads}`).toBe((threads * (threads + 1)) / 2);
          expect(states[0]?.values).toEqual(start);
        }
      }
    });

    it('reports for each step which elements it wrote, and what was added to them', () => {
      const ones = new Array<number>(8).fill(1);
      const [, first, second] = valuesAfterSteps('divergent', ones);
      expect(first?.values).toEqual([2, 1, 2, 1, 2, 1, 2, 1]);
      expect([...(second?.wrote ?? [])]).toEqual([
        [0, 2],
        [4, 6],
      ]);
      expect(valuesAfterSteps('sequential', ones)[1]?.values).toEqual([2, 2, 2, 2, 1, 1, 1, 1]);
      expect(valuesAfterSteps('strided', ones)[2]?.values).toEqual([4, 1, 2, 1, 4, 1, 2, 1]);
      // A lane that reads beyond its warp adds its own value; an absent lane adds nothing.
      const full = valuesAfterSteps('shuffle', new Array<number>(32).fill(1));
      expect(full[1]?.values).toEqual(new Array<number>(32).fill(2));
      expect(full[1]?.wrote.get(16)).toBe(16);
      const five = valuesAfterSteps('shuffle', new Array<number>(5).fill(1));
      expect(five[1]?.values).toEqual([2, 1, 1, 1, 1]);
      // Two warps: the first continues with one value of each warp, and zero in its other lanes.
      const two = valuesAfterSteps('shuffle', new Array<number>(64).fill(1));
      expect(two[6]?.values.slice(0, 4)).toEqual([32, 32, 0, 0]);
    });

    it('has its known cost with 256 threads', () => {
      // Eight warps. Divergent: all eight run in the strides 1 to 16, then 4, 2 and 1 of them, each with idle lanes.
      expect(explainReduction('divergent', 256)).toMatchObject({ barriers: 8, warps: 47, divergent: 47, worstWays: 1 });
      expect(explainReduction('strided', 256)).toMatchObject({ barriers: 8, warps: 12, divergent: 5, worstWays: 8 });
      expect(explainReduction('strided', 1024).worstWays).toBe(32);
      expect(explainReduction('sequential', 256)).toMatchObject({ barriers: 8, warps: 12, divergent: 5, worstWays: 1 });
      expect(explainReduction('shuffle', 256)).toMatchObject({ barriers: 1, divergent: 8 });
    });
  });
});
