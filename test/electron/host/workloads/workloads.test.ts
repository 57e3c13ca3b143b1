/**
 * Properties of the sessions of diffraction images recorded on the H200. Published claims about diffraction images,
 * compared with recorded and new sessions. Clocks of every sample of an image session: recorded, flagged if they
 * dropped or were throttled, and reported. The README's statements about the sessions of the linear layer that were
 * recorded on a GPU. The diffraction workload from scenario to readouts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { layerTargets, readSessions } from '../../../../electron/build/bench/targets.mjs';
import { environmentFacts } from '../../../../electron/contract/bench/bench-session.ts';
import {
  correctnessOf,
  type MeasuredSessionEntry,
  type Session,
  type SessionReport,
  sessionReportSchema,
  sessionSchema,
} from '../../../../electron/contract/bench/session.ts';
import type { ClockState } from '../../../../electron/contract/capabilities.ts';
import { imageGeometry } from '../../../../electron/contract/scenario/index.ts';
import { deriveSession, parseSession, readCurrentRules } from '../../../../electron/host/app/sessions/index.ts';
import type { NativeAddon } from '../../../../electron/host/io/addon/addon.ts';
import { readBenchmarkClaims } from '../../../../electron/host/model/bench/claims.ts';
import { roofline } from '../../../../electron/host/model/bench/entry.ts';
import { collectMeasurements } from '../../../../electron/host/model/bench/report-claims.ts';
import { createLimits } from '../../../../electron/host/model/bench/stopping.ts';
import { fitSweep } from '../../../../electron/host/model/bench/sweep.ts';
import { readRegistry } from '../../../../electron/host/model/external/conversation.ts';
import { declaredWork } from '../../../../electron/host/workloads/diffraction/bench-candidate.ts';
import { imageError } from '../../../../electron/host/workloads/diffraction/image-data.ts';
import { imageSummary } from '../../../../electron/host/workloads/diffraction/summary.ts';
import { problemOf } from '../../../../electron/host/workloads/scenarios/scenarios.ts';
import { unitBySuffix } from '../../../../electron/host/workloads/workload.ts';
import { addon, assetsFolder, scenarios } from '../model/scenarios/open.ts';
import { accuracyIn, benchInProcess, measuredEntry } from '../test-host.ts';
import { renderDocument, renderShipped, smallProblem } from './image.ts';
import { smallImage } from './small-image.ts';

describe('measures of results', () => {
  test('have names that end with their unit, also for quotients', () => {
    const units = ['r80_mm', 'plateau_MeV_per_mm', 'solve_s', 'per_term_and_core_ns', 'peak_to_entrance', 'mm'].map(
      unitBySuffix,
    );
    expect(units).toEqual(['mm', 'MeV/mm', 's', 'ns', '', '']);
  });
});

describe('recorded images on a GPU', () => {
  function openSession(name: string): Session {
    const file = path.resolve(import.meta.dirname, '../../../../assets/runs/diffraction', `${name}.json`);
    return sessionSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  }

  function warmTimeOf(of: Session, id: string) {
    const found = of.reports[0]?.entries.find(({ label }) => label === `diffraction-cuda-${id}`);
    if (found?.status !== 'measured') throw new Error(`no ${id}`);
    const bright = found.accuracy.find((one) => one.id === 'bright')?.value ?? Number.NaN;
    return { ...found, bright };
  }

  const still = openSession('h200-simple-cubic-1024');
  const rotated = openSession('h200-rotation-100-orientations');

  test('need less than 0.2 ms for the still image, with bright pixels correct to 2e-5', () => {
    for (const id of ['fp64', 'mixed', 'double-float', 'constant', 'shared', 'in-loop', 'fixed-point', 'chebyshev']) {
      const { time_s, bright, verdict } = warmTimeOf(still, id);
      expect(time_s).toBeLessThan(0.2e-3);
      expect(bright).toBeLessThan(2e-5);
      expect(verdict).not.toBe('wrong');
    }
  });

  test('are wrong in every session with naive or phase-reduced FP32 or the hardware sine', () => {
    for (const one of [still, rotated]) {
      for (const id of ['naive-fp32', 'delta-fp32', 'fast-math', 'unfused-fp32']) {
        const { bright, verdict } = warmTimeOf(one, id);
        expect(bright).toBeGreaterThan(2e-5);
        expect(verdict).toBe('wrong');
      }
    }
  });

  test('are several times faster with one kernel than in stages, and a graph of the stages gains a tenth', () => {
    for (const one of [still, rotated]) {
      expect(warmTimeOf(one, 'unfused').time_s / warmTimeOf(one, 'fp64').time_s).toBeGreaterThan(4);
      const graph = warmTimeOf(one, 'unfused').time_s / warmTimeOf(one, 'unfused-graph').time_s;
      expect(graph).toBeGreaterThan(1.05);
      expect(graph).toBeLessThan(1.3);
    }
  });

  test('are faster in FP32 than in FP64, which set-up hides in end-to-end runs', () => {
    const fits = openSession('h200-sweep-simple-cubic').sweep?.fits ?? [];
    const [fp64, fp32] = ['fp64', 'delta-fp32'].map((id) =>
      fits.find(({ label }) => label === `diffraction-cuda-${id}`),
    );
    expect((fp64?.slope_s ?? Number.NaN) / (fp32?.slope_s ?? Number.NaN)).toBeGreaterThan(1.3);
    expect(fp64?.points.length).toBeGreaterThan(3);
    const shares = fp64?.points.map(({ setup_share }) => setup_share) ?? [];
    expect(shares).toHaveLength(5);
    // In all images but the largest, 4096², set-up is most of the run.
    for (const share of shares.slice(0, -1)) expect(share).toBeGreaterThan(0.7);
    expect(shares.at(-1)).toBeGreaterThan(0.4);
  });
});

describe('claims about images', async () => {
  const claims = await readBenchmarkClaims(assetsFolder, { workload: 'diffraction', bench: '' });

  const recorded = (name: string): string => path.join(assetsFolder, 'runs/diffraction', `${name}.json`);
  const open = (file: string): Session => parseSession(readFileSync(file, 'utf8'), path.basename(file));

  test('name existing variants, or the reason why no pair isolates the claim', async () => {
    const { baselines } = await readRegistry(assetsFolder);
    const ids = [...addon.diffractionVariants(), ...baselines].map(({ id }) => id);
    expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length);
    for (const { id, pairs, values, reason, command, from, to, source } of claims) {
      const named = [
        ...pairs.flatMap(({ slower, faster }) => [slower.variant, faster.variant]),
        ...values.map(({ variant }) => variant),
      ];
      expect(ids, id).toEqual(expect.arrayContaining(named));
      // A claim without variants has a reason, or a command that records a profile.
      if (named.length === 0) expect(reason !== null || command !== undefined, id).toBe(true);
      else expect(reason, id).toBeNull();
      expect(from).toBeLessThanOrEqual(to ?? Number.POSITIVE_INFINITY);
      expect(source).not.toBe('');
    }
  });

  test('include the claims about each size of a sweep', async () => {
    const swept = deriveSession(open(recorded('h200-sweep-simple-cubic')), await readCurrentRules(assetsFolder));
    const sizes = swept.reports.map(({ claims: told }) =>
      told.flatMap(({ id }) => (id.startsWith('c-over-gpu-') ? [id.slice('c-over-gpu-'.length)] : [])),
    );
    // The source note has an additional number for a later run at 1024².
    const warm = (size: string): readonly string[] => (size === '1024' ? ['warm-1024'] : []);
    expect(sizes).toEqual(['256', '512', '1024', '2048', '4096'].map((size) => [size, ...warm(size), `total-${size}`]));
  });

  test('are part of a new session', async () => {
    const report = await benchInProcess(
      addon,
      { kind: 'diffraction', problem: await smallProblem() },
      {
        scenario: 'Small',
        variants: ['diffraction-fp64', 'diffraction-mixed'],
        seed: 1,
        limits: createLimits(5, 60),
        claims,
      },
    );
    const found = report.claims.find(({ id }) => id === 'fp64-as-fast');
    expect(found?.pairs.map(({ gain }) => gain !== null)).toEqual([false, false, false, true, false]);
    const none = claims.filter((one) => one.where['pixels'] !== undefined).map(({ id }) => id);
    expect(report.claims.map(({ id }) => id)).toEqual(claims.map(({ id }) => id).filter((id) => !none.includes(id)));
  });
});

describe('GPU clocks during image sessions', () => {
  const state = (sm_MHz: number, reasons: string[] = []): ClockState => ({
    ...{ sm_MHz, reasons, throttled: reasons.length > 0 },
    ...{ memory_MHz: null, power_W: null, powerLimit_W: null, temperature_C: null },
  });

  /** The engine with simulated GPU clocks: each read returns the next of `readings`. */
  function addonWithClocks(readings: readonly ClockState[]): NativeAddon {
    let next = 0;
    return {
      ...addon,
      createDiffraction: (problem) => {
        const run = addon.createDiffraction(problem);
        return {
          ...run,
          start: async (onProgress, measuring = {}) => {
            const result = await run.start(onProgress, measuring);
            if (measuring.clocks !== true) return result;
            const after = readings[next] ?? null;
            next += 1;
            return { ...result, clocks: { before: after, after } };
          },
        };
      },
    };
  }

  test('flag a sample under a dropped or throttled clock, which is saved and reported in every form of the session', async () => {
    // Each round has two series, the second of which is the control. The first runs do not read clocks.
    const [best, dropped, hot] = [state(1980), state(1500), state(1980, ['hardware-thermal'])];
    const readings = [best, best, best, best, dropped, dropped, best, best, hot, hot, best, best];
    const problem = { kind: 'diffraction', problem: await smallProblem() } as const;
    const report = await benchInProcess(addonWithClocks(readings), problem, {
      scenario: 'Small',
      variants: ['diffraction-fp64'],
      seed: 1,
      limits: createLimits(6, 60),
    });
    const entry = measuredEntry(report, 'diffraction-fp64');
    expect(entry.samples.map(({ sm_MHz, flag }) => ({ sm_MHz, flag }))).toEqual([
      { sm_MHz: 1980, flag: null },
      { sm_MHz: 1980, flag: null },
      { sm_MHz: 1500, flag: 'clock at 1500 MHz, below the highest of 1980 MHz' },
      { sm_MHz: 1980, flag: null },
      { sm_MHz: 1980, flag: 'hardware-thermal' },
      { sm_MHz: 1980, flag: null },
    ]);
    expect(entry).toMatchObject({ flagged: 2 });
    expect(report.environment).toMatchObject({ gpu: { sm_MHz: { low: 1500, high: 1980 }, power_W: null } });
    expect(entry.ratio_unflagged?.value).toBe(1);
    expect(environmentFacts(report.environment, 1)).toContainEqual(['GPU during the measurement', '1500 to 1980 MHz']);
    expect(sessionReportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
  });
});

describe('recorded layers', () => {
  const folder = path.join(assetsFolder, 'runs/linear-relu');

  function layerReport(name: string): SessionReport {
    const [only] = sessionSchema.parse(JSON.parse(readFileSync(path.join(folder, name), 'utf8'))).reports;
    if (only === undefined) throw new Error(`${name} is empty`);
    return only;
  }

  function layerEntry(name: string, label: string): MeasuredSessionEntry {
    const found = layerReport(name).entries.find((one) => one.label === label);
    if (found?.status !== 'measured') throw new Error(`${label} was not measured in ${name}`);
    return found;
  }

  /** Fields that sessions of any form share. */
  const machineSchema = z.object({ machine: z.object({ gpu: z.object({ name: z.string() }) }) });

  describe.each(readdirSync(folder))('%s', (name) => {
    test('comes from an H200 or an H100', () => {
      const kept: unknown = JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
      const { reports } = z.object({ reports: z.array(machineSchema).min(1) }).parse(kept);
      for (const { machine } of reports) expect(machine.gpu.name).toMatch(/^NVIDIA (H200|H100 80GB HBM3)$/);
    });
  });

  test('meet their targets', () => {
    const targets = layerTargets(readSessions(folder));
    expect(targets).toHaveLength(4);
    for (const { what, met } of targets) expect(met, what).toBe(true);
  });

  test('gain less from fusion the larger the layer, and the mask that sets a bit where Z is 0 is wrong', () => {
    const fusion = ['layer-256.json', 'layer-1024.json', 'layer-8192.json'].map(
      (name) => layerEntry(name, 'cuda-cublas').quantities.find(({ id }) => id === 'fusion')?.value ?? Number.NaN,
    );
    expect(fusion).toEqual([...fusion].sort((a, b) => b - a));
    const mask = layerEntry('layer-odd.json', 'cuda-lt-bf16-mask');
    expect(mask.verdict).toBe('wrong');
    expect(mask.accuracy.filter(({ holds }) => !holds).map(({ id }) => id)).toEqual(['bits']);
  });

  test('are counted for the medium layer: twice its multiply-adds, and bytes that need a small share of its time', () => {
    const { numberOf } = collectMeasurements(layerReport('layer-1024.json'));
    const multiplyAdds = 1024 * 784 * 2048;
    expect(numberOf('cuda-cublas', 'operations')?.value).toBeCloseTo((2 * multiplyAdds) / 1e9, 1);
    const rate = numberOf('cuda-cublas', 'rate');
    expect(rate?.unit).toBe('GFLOP/s');
    expect(rate?.value).toBeGreaterThan(10_000);
    const share = numberOf('cuda-cublas', 'memory-share')?.value ?? Number.NaN;
    // In per cent, as in the source note.
    expect(share).toBeGreaterThan(1);
    expect(share).toBeLessThan(20);
  });
});

describe('diffraction images', () => {
  test.each([
    ['simple-cubic-1024', 154.652466, 923805.272898],
    ['mosaic-1000', 154.652466, 901709.572471],
    ['triclinic-512', 136.856888, 300435.891079],
    ['tilted-1024', 152.036682, 849931.517623],
  ] as const)('%s has the largest pixel and the sum of the published image', async (name, max, sum) => {
    const { image } = imageSummary(await renderShipped(name));
    expect(image.max).toBeCloseTo(max, 6);
    // The sum over a million FP32 pixels agrees in about twelve digits, because a few pixels may round differently.
    expect(Math.abs(image.sum / sum - 1)).toBeLessThan(1e-11);
  });

  test('the brightest pixel lies on a reflection, at the position that the host computes', async () => {
    const run = await renderShipped('triclinic-512');
    const { brightest, peak_rss_MB } = imageSummary(run);
    // The unit is megabytes, as for runs of beams, not mebibytes.
    expect(peak_rss_MB).toBeCloseTo(run.peak_rss_bytes / 1e6, 9);
    expect([brightest.fast, brightest.slow]).toEqual([382, 301]);
    expect([brightest.h, brightest.k, brightest.l].map(Math.round)).toEqual([6, -7, 4]);
    for (const index of [brightest.h, brightest.k, brightest.l])
      expect(Math.abs(index - Math.round(index))).toBeLessThan(0.02);
  });

  test('FP64 sums are freed with the run that computed the image, not on the main thread through its handle', async () => {
    const before = process.memoryUsage.rss();
    const { image } = await renderDocument({ ...smallImage, detector: { width: 4096, height: 4096 } });
    const fp64_bytes = (image.byteLength / Float32Array.BYTES_PER_ELEMENT) * Float64Array.BYTES_PER_ELEMENT;
    // The image itself remains in memory. Everything else may use half of the memory of the sums.
    expect(process.memoryUsage.rss() - before).toBeLessThan(image.byteLength + fp64_bytes / 2);
  });

  test("resolution follows Bragg's law, and the beam centre is straight ahead", async () => {
    const reading = await scenarios.any.parse(JSON.stringify(smallImage), { name: 's.json', folder: null });
    if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
    const { at, close_mm, foot } = imageGeometry(reading.scenario);
    expect(close_mm).toBeCloseTo(100, 12);
    expect([foot.fast, foot.slow]).toEqual([expect.closeTo(17, 9), expect.closeTo(13, 9)]);
    expect(at(foot.fast, foot.slow).resolution_A).toBeGreaterThan(1e6);
    const { resolution_A, twotheta_deg } = at(foot.fast + 300, foot.slow);
    expect(twotheta_deg).toBeCloseTo((Math.atan(0.3) * 180) / Math.PI, 10);
    expect(resolution_A).toBeCloseTo(6.2 / (2 * Math.sin(Math.atan(0.3) / 2)), 10);
  });

  test('a matrix converts back to the cell from which it was computed', async () => {
    const lattice = {
      kind: 'matrix',
      a_star: { x: 0.01, y: 0, z: 0 },
      b_star: { x: 0, y: 0.01, z: 0 },
      c_star: { x: 0, y: 0, z: 0.01 },
    };
    const byCell = await renderDocument(smallImage);
    const byMatrix = await renderDocument({ ...smallImage, crystal: { ...smallImage.crystal, lattice } });
    expect(imageError(byMatrix.image, byCell.image).bright).toBeLessThan(1e-6);
  });

  test('errors of images are distinguished by kind', () => {
    const reference = Float32Array.of(0, 1, 2, 1000);
    const same = { rel_l2: 0, max: 0, bright: 0, sum: 0, mean: 0, correlation: expect.closeTo(1, 12) };
    expect(imageError(reference, reference)).toEqual(same);
    const { max, bright, sum, mean, correlation } = imageError(Float32Array.of(0, 1, 3, 1000), reference);
    expect(max).toBeCloseTo(1e-3, 12);
    expect(bright).toBeCloseTo(0.5, 12);
    expect(sum).toBeCloseTo(1 / 1003, 12);
    // Only two pixels count as bright: they exceed a thousandth of the largest value. One of the two is off by half.
    expect(mean).toBeCloseTo(0.25, 12);
    // Sums of products minus products of the means: 1000007 - 1004 · 1003 / 4, and likewise for the others.
    expect(correlation).toBeCloseTo(748254 / Math.sqrt(748006 * 748502.75), 12);
    const nothing = { rel_l2: null, max: null, bright: null, sum: null, mean: null, correlation: null };
    expect(imageError(Float32Array.of(0, Number.NaN, 2, 1000), reference)).toEqual(nothing);
    expect(imageError(reference, new Float32Array(4))).toEqual(nothing);
  });

  test('a benchmark reports wrong variants, and rejects unsuitable ones', async () => {
    const document = {
      ...smallImage,
      crystal: { ...smallImage.crystal, cells: { a: 20, b: 20, c: 20 } },
      detector: { width: 400, height: 400 },
    };
    const reading = await scenarios.any.parse(JSON.stringify(document), { name: 's.json', folder: null });
    if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
    const variants = ['diffraction-fp64', 'diffraction-naive-fp32', 'diffraction-mixed', 'diffraction-chebyshev'];
    const problem = { kind: reading.kind, problem: problemOf(reading) };
    const report = await benchInProcess(addon, problem, {
      scenario: 'Small',
      variants,
      seed: 1,
      limits: createLimits(5, 600),
    });
    expect(report.entries.map(({ variant }) => variant)).toEqual(variants);
    const [fp64, naive, mixed, chebyshev] = report.entries;
    const measured = [fp64, naive, mixed].flatMap((entry) => (entry?.status === 'measured' ? [entry] : []));
    expect(measured.map(({ samples }) => samples.length)).toEqual([5, 5, 5]);
    expect(measured.map(({ accuracy }) => correctnessOf(accuracy))).toEqual(['correct', 'wrong', 'correct']);
    expect(measured.map(({ verdict }) => verdict === 'wrong')).toEqual([false, true, false]);
    expect(chebyshev).toMatchObject({ reason: expect.stringMatching(/crystal\.cells has 20 along an edge/) });
    expect(accuracyIn(measuredEntry(report, 'diffraction-naive-fp32'), 'bright').value).toBeGreaterThan(1e-4);
    expect(report.noise.floor).toBeGreaterThan(0);

    const ended = await benchInProcess(addon, problem, {
      scenario: 'Small',
      variants,
      seed: 1,
      limits: createLimits(5, 600),
      signal: AbortSignal.abort(),
    });
    expect(ended).toMatchObject({ stopped: 'cancelled', rounds: 0, entries: [] });
  });

  test('a size sweep gives a fixed cost and a slope for the same pixels, for the computation and for the complete run', async () => {
    const sizes = [48, 96, 192];
    const reports = [];
    for (const size of sizes) {
      const document = { ...smallImage, detector: { width: size, height: size } };
      const reading = await scenarios.any.parse(JSON.stringify(document), { name: 's.json', folder: null });
      if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
      reports.push(
        await benchInProcess(
          addon,
          { kind: reading.kind, problem: problemOf(reading) },
          {
            scenario: 'Small',
            variants: ['diffraction-mixed'],
            modes: ['graph'],
            seed: 1,
            limits: createLimits(3, 600),
          },
        ),
      );
    }
    const [first] = reports;
    if (first === undefined) throw new Error('no report');
    const [graph] = measuredEntry(first, 'diffraction-mixed').modes;
    expect(graph?.reason).toMatch(/CPU variants have no launches/);
    const [fit] = fitSweep(sizes, reports);
    expect(fit?.points.map(({ size }) => size)).toEqual([2304, 9216, 36864]);
    for (const { setup_share } of fit?.points ?? []) {
      expect(setup_share).toBeGreaterThan(0);
      expect(setup_share).toBeLessThan(1);
    }
    for (const report of reports) {
      const { wall_s, time_s } = measuredEntry(report, 'diffraction-mixed');
      expect(wall_s).toBeGreaterThan(time_s);
    }
    expect(fit?.slope_s).toBeGreaterThan(0);
    expect(sessionReportSchema.parse(JSON.parse(JSON.stringify(first)))).toEqual(first);
  });

  test('the roofline is the lowest applicable ceiling', () => {
    const plan = { width: 100, height: 100, orientations: 10, terms: 100_000 };
    const declared = {
      precision: 'fp32',
      flopsPerTerm: 100,
      fp64FlopsPerTerm: 40,
      flopsPerBeam: 20,
      fp64FlopsPerBeam: 0,
      bytesPerTerm: 0,
    } as const;
    const ceilings = { copy_bytes_per_s: 4e12, fp32_flops_per_s: 6e13, fp64_flops_per_s: 3e13 } as never;
    const work = declaredWork(declared, plan);
    expect(work.fp64_flops).toBeCloseTo(4e6, 3);
    expect(work.fp32_flops).toBeCloseTo(6.2e6, 3);
    const found = roofline(work, 1e-6, ceilings);
    expect(found?.bytes_per_s).toBeCloseTo(4e10, -3);
    // The larger of the shares in FP64 and FP32 counts: 4 of 30 in FP64, compared with 6.2 of 60 in FP32.
    expect(found?.share_of_flops).toBeCloseTo(4 / 30, 9);
    expect(found?.share_of_copy).toBeCloseTo(0.01, 9);
    expect(roofline(work, 1e-6, null)).toMatchObject({ share_of_copy: null, share_of_flops: null });
  });
});
