/** The diffraction workload from scenario to readouts: the published images, and what they read. */

import { expect, test } from 'vitest';
import { correctnessOf, sessionReportSchema } from '../../../../electron/contract/bench/session.ts';
import { imageGeometry } from '../../../../electron/contract/scenario/index.ts';
import { roofline } from '../../../../electron/host/model/bench/roofline.ts';
import { limitsOf } from '../../../../electron/host/model/bench/stopping.ts';
import { sweepFits } from '../../../../electron/host/model/bench/sweep.ts';
import { declaredWork } from '../../../../electron/host/workloads/diffraction/contestant.ts';
import { imageError } from '../../../../electron/host/workloads/diffraction/image-error.ts';
import { imageSummary } from '../../../../electron/host/workloads/diffraction/summary.ts';
import { problemOf } from '../../../../electron/host/workloads/scenarios/index.ts';
import { accuracyIn, benchHere, measuredIn } from '../bench-here.ts';
import { addon, scenarios } from '../model/scenarios/open.ts';
import { renderDocument, renderShipped } from './image.ts';
import { smallImage } from './small-image.ts';

test.each([
  ['simple-cubic-1024', 154.652466, 923805.272898],
  ['mosaic-1000', 154.652466, 901709.572471],
  ['triclinic-512', 136.856888, 300435.891079],
  ['tilted-1024', 152.036682, 849931.517623],
] as const)('%s has the largest pixel and the sum of the published image', async (name, max, sum) => {
  const { image } = imageSummary(await renderShipped(name));
  expect(image.max).toBeCloseTo(max, 6);
  // Twelve digits of a sum of a million FP32 pixels, of which a few round the other way.
  expect(Math.abs(image.sum / sum - 1)).toBeLessThan(1e-11);
});

test('the brightest pixel lies on a reflection, where the host says that it looks', async () => {
  const { brightest } = imageSummary(await renderShipped('triclinic-512'));
  expect([brightest.fast, brightest.slow]).toEqual([382, 301]);
  expect([brightest.h, brightest.k, brightest.l].map(Math.round)).toEqual([6, -7, 4]);
  for (const index of [brightest.h, brightest.k, brightest.l])
    expect(Math.abs(index - Math.round(index))).toBeLessThan(0.02);
});

test('sums in FP64 are gone with the run that made an image: with its handle they would be freed on the main thread', async () => {
  const before = process.memoryUsage.rss();
  const { image } = await renderDocument({ ...smallImage, detector: { width: 4096, height: 4096 } });
  const fp64_bytes = (image.byteLength / Float32Array.BYTES_PER_ELEMENT) * Float64Array.BYTES_PER_ELEMENT;
  // The image itself is there; half of what the sums took is left to all else.
  expect(process.memoryUsage.rss() - before).toBeLessThan(image.byteLength + fp64_bytes / 2);
});

test('resolution follows Bragg, and the beam centre is straight ahead', async () => {
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

test('a matrix is the cell that it was made of', async () => {
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

test('image errors are told apart', () => {
  const reference = Float32Array.of(0, 1, 2, 1000);
  const same = { rel_l2: 0, max: 0, bright: 0, sum: 0, mean: 0, correlation: expect.closeTo(1, 12) };
  expect(imageError(reference, reference)).toEqual(same);
  const { max, bright, sum, mean, correlation } = imageError(Float32Array.of(0, 1, 3, 1000), reference);
  expect(max).toBeCloseTo(1e-3, 12);
  expect(bright).toBeCloseTo(0.5, 12);
  expect(sum).toBeCloseTo(1 / 1003, 12);
  // Two pixels are above a thousandth of the largest: one of them is off by half.
  expect(mean).toBeCloseTo(0.25, 12);
  // Sums of products less those of the means: 1000007 - 1004 · 1003 / 4 and so on.
  expect(correlation).toBeCloseTo(748254 / Math.sqrt(748006 * 748502.75), 12);
  const nothing = { rel_l2: null, max: null, bright: null, sum: null, mean: null, correlation: null };
  expect(imageError(Float32Array.of(0, Number.NaN, 2, 1000), reference)).toEqual(nothing);
  expect(imageError(reference, new Float32Array(4))).toEqual(nothing);
});

test('a benchmark says which variants are wrong, and refuses those that do not fit', async () => {
  const document = {
    ...smallImage,
    crystal: { ...smallImage.crystal, cells: { a: 20, b: 20, c: 20 } },
    detector: { width: 400, height: 400 },
  };
  const reading = await scenarios.any.parse(JSON.stringify(document), { name: 's.json', folder: null });
  if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
  const variants = ['diffraction-fp64', 'diffraction-naive-fp32', 'diffraction-mixed', 'diffraction-chebyshev'];
  const problem = { kind: reading.kind, problem: problemOf(reading) };
  const report = await benchHere(addon, problem, {
    scenario: 'Small',
    variants,
    seed: 1,
    limits: limitsOf(5, 600),
  });
  expect(report.entries.map(({ variant }) => variant)).toEqual(variants);
  const [fp64, naive, mixed, chebyshev] = report.entries;
  const measured = [fp64, naive, mixed].flatMap((entry) => (entry?.status === 'measured' ? [entry] : []));
  expect(measured.map(({ samples }) => samples.length)).toEqual([5, 5, 5]);
  expect(measured.map(({ accuracy }) => correctnessOf(accuracy))).toEqual(['correct', 'wrong', 'correct']);
  expect(measured.map(({ verdict }) => verdict === 'wrong')).toEqual([false, true, false]);
  expect(chebyshev).toMatchObject({ reason: expect.stringMatching(/crystal\.cells has 20 along an edge/) });
  expect(accuracyIn(measuredIn(report, 'diffraction-naive-fp32'), 'bright').value).toBeGreaterThan(1e-4);
  expect(report.noise.floor).toBeGreaterThan(0);

  const ended = await benchHere(addon, problem, {
    scenario: 'Small',
    variants,
    seed: 1,
    limits: limitsOf(5, 600),
    signal: AbortSignal.abort(),
  });
  expect(ended).toMatchObject({ stopped: 'cancelled', rounds: 0, entries: [] });
});

test('a size sweep gives fixed cost and slope, of the same pixels for compute and for everything', async () => {
  const sizes = [48, 96, 192];
  const reports = [];
  for (const size of sizes) {
    const document = { ...smallImage, detector: { width: size, height: size } };
    const reading = await scenarios.any.parse(JSON.stringify(document), { name: 's.json', folder: null });
    if (reading.kind !== 'diffraction') throw new Error('not a diffraction scenario');
    reports.push(
      await benchHere(
        addon,
        { kind: reading.kind, problem: problemOf(reading) },
        {
          scenario: 'Small',
          variants: ['diffraction-mixed'],
          modes: ['graph'],
          seed: 1,
          limits: limitsOf(3, 600),
        },
      ),
    );
  }
  const [first] = reports;
  if (first === undefined) throw new Error('no report');
  const [graph] = measuredIn(first, 'diffraction-mixed').modes;
  expect(graph?.reason).toMatch(/The CPU launches nothing/);
  const [fit] = sweepFits(sizes, reports);
  expect(fit?.points.map(({ size }) => size)).toEqual([2304, 9216, 36864]);
  for (const { setup_share } of fit?.points ?? []) {
    expect(setup_share).toBeGreaterThan(0);
    expect(setup_share).toBeLessThan(1);
  }
  for (const report of reports) {
    const { wall_s, time_s } = measuredIn(report, 'diffraction-mixed');
    expect(wall_s).toBeGreaterThan(time_s);
  }
  expect(fit?.slope_s).toBeGreaterThan(0);
  expect(sessionReportSchema.parse(JSON.parse(JSON.stringify(first)))).toEqual(first);
});

test('the roof is the ceiling that allows least', () => {
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
  // FP64 is the bound: 4 of 30 compared with 6.2 of 60.
  expect(found?.share_of_flops).toBeCloseTo(4 / 30, 9);
  expect(found?.share_of_copy).toBeCloseTo(0.01, 9);
  expect(roofline(work, 1e-6, null)).toMatchObject({ share_of_copy: null, share_of_flops: null });
});
