/**
 * Keyframes between the engine and the thread that saves them. Beams on one grid: the result of a beam does not depend
 * on earlier contents of its memory block. Dose files compared with a run: exports of the program itself, and volumes
 * made from them, are read back unchanged.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, test, vi } from 'vitest';
import { BraggError } from '../../../../../electron/contract/errors.ts';
import { gammaOfCurves } from '../../../../../electron/domain/dose/gamma-curve.ts';
import { runPacker } from '../../../../../electron/host/app/run-files/packer.ts';
import {
  loadAddon,
  type Marginals,
  type TransportResult,
  type TransportRun,
} from '../../../../../electron/host/io/addon/addon.ts';
import { BEAM_PARAMETERS, writeBeamParameters } from '../../../../../electron/host/io/addon/beam-block.ts';
import { gammaIndex, normalizeToPeak } from '../../../../../electron/host/model/fields/gamma.ts';
import { hostWorkloads } from '../../../../../electron/host/workloads/index.ts';
import { problemOf } from '../../../../../electron/host/workloads/scenarios/scenarios.ts';
import {
  type BatchOptions,
  requireBeam,
  type SolvedBeam,
  solvedBeamOf,
} from '../../../../../electron/host/workloads/transport/batch.ts';
import { inspectDose, planeOfDose, readDoseFile } from '../../../../../electron/host/workloads/transport/dose-file.ts';
import { depthDoseOf } from '../../../../../electron/host/workloads/transport/metrics/run-metrics.ts';
import {
  readoutsOnOneGrid,
  runsOnOneGrid,
  solveOnOneGrid,
} from '../../../../../electron/host/workloads/transport/one-grid.ts';
import { exportRun, gammaMap } from '../../../../../electron/host/workloads/transport/readouts.ts';
import { keyframesOf, measuredRunOf, type RunData } from '../../../../../electron/host/workloads/transport/run-data.ts';
import {
  depthDoseError,
  depthDoseLimit,
  shareCells,
} from '../../../../../electron/host/workloads/transport/user-kernels.ts';
import { readingForReadouts } from '../../../../../electron/host/workloads/transport/variants.ts';
import { doseOf } from '../../io/volumes/phantom.ts';
import { memoryLimit_bytes, openTestScenarios, runScenario, smallScenario, tinyScenario } from '../../small-run.ts';

describe('keyframes of a run', () => {
  /** Engine output of one keyframe with several large maps and a small one. */
  function frame(): Marginals {
    const of = (length: number): Float32Array => Float32Array.from({ length }, (_, i) => i);
    const large = { zx: of(2 ** 19), xtheta: of(2 ** 13), ez: of(2 ** 13), ex: of(2 ** 13), ztheta: of(2 ** 13) };
    return { step: 1, depth_mm: 2, ...large, etheta: of(100) };
  }

  const keptOf = async (handed: Marginals): Promise<Marginals | undefined> => {
    const native = { keyframe: () => handed } as unknown as TransportRun;
    return (await keyframesOf(native, { keyframes: [{}] } as unknown as TransportResult))[0];
  };

  test('copied memory is freed at once, without garbage collection, and other memory stays intact', async () => {
    const handed = frame();
    expect(await keptOf(handed)).toEqual(frame());
    const { zx, xtheta, ez, ex, ztheta, etheta } = handed;
    expect([zx, xtheta, ez, ex, ztheta].map(({ length }) => length)).toEqual([0, 0, 0, 0, 0]);
    expect(etheta).toHaveLength(100);
  });

  test('arrays that share one buffer all stay intact', async () => {
    const { zx, etheta, ...rest } = frame();
    const together = new Float32Array([...etheta, ...zx]).buffer;
    const handed = {
      ...rest,
      etheta: new Float32Array(together, 0, etheta.length),
      zx: new Float32Array(together, etheta.byteLength),
    };
    expect(await keptOf(handed)).toEqual(frame());
  });
});

describe('the variant that auto chooses if only readouts are needed', () => {
  const beam = { energy_MeV: 70 };
  const { geometry } = smallScenario;
  const slab = (material: string, x_mm: readonly number[]) => ({
    geometry: { ...geometry, regions: [{ material, x_mm, z_mm: [2, 4] }] },
  });
  const chosenFor = async (changes: object): Promise<string> => {
    const addon = loadAddon();
    const document = { ...smallScenario, beam, ...changes };
    const reading = requireBeam(
      'test',
      await (await openTestScenarios(addon)).any.check(document, { name: 'test', folder: null }),
    );
    expect(reading.issues.filter(({ severity }) => severity === 'error')).toEqual([]);
    const { problem, scenario } = await readingForReadouts(addon, reading);
    const { variant, stepping } = problem?.().solver ?? {};
    expect([scenario?.solver.variant, scenario?.solver.stepping]).toEqual([variant, stepping]);
    return `${variant} by ${stepping}`;
  };

  it.each([
    ['in water', {}],
    ['behind a slab across the whole width', slab('bone-compact-icru', [-6, 6])],
    [
      'for a field',
      {
        beam: {
          spots: [
            { ...beam, x_mm: -1 },
            { energy_MeV: 60, x_mm: 1 },
          ],
        },
      },
    ],
    ['if reactions are followed', { physics: { nuclear: 'icru63' } }],
    ['for LET', { output: { let: true } }],
    ['if depth stepping is requested', { solver: { stepping: 'depth' } }],
  ])('is moments %s', async (_, changes) => {
    expect(await chosenFor(changes)).toBe('moments by depth');
  });

  it.each([
    ['next to a slab', slab('bone-compact-icru', [0, 6]), 'auto by path'],
    ['in lead, where the falloff is not within the gates', slab('lead', [-6, 6]), 'auto by path'],
    ['below 30 MeV', { beam: { energy_MeV: 20 } }, 'auto by path'],
    ['for a beam tilted by more than 15°', { beam: { ...beam, angle_deg: 20 } }, 'auto by path'],
    ['for a tilted beam above 150 MeV', { beam: { energy_MeV: 160, angle_deg: 10 } }, 'auto by path'],
    ['without straggling', { physics: { straggling: 'off' } }, 'auto by path'],
    ['if path stepping is requested', { solver: { stepping: 'path' } }, 'auto by path'],
    ['if the streaming of the grid is requested', { solver: { remap: 'linear' } }, 'auto by path'],
    ['for another named variant', { solver: { variant: 'depth' } }, 'depth by depth'],
  ])('is another one %s', async (_, changes, wanted) => {
    expect(await chosenFor(changes)).toBe(wanted);
  });
});

describe('the accuracy of variants on different cells', () => {
  it('is compared cell by cell only between variants with the same cells', () => {
    expect(shareCells('depth', 'cuda-window')).toBe(true);
    expect(shareCells('moments', 'moments')).toBe(true);
    expect(shareCells('moments', 'depth')).toBe(false);
    expect(shareCells('reference', 'moments')).toBe(false);
    expect(shareCells('moments', 'cuda-moments')).toBe(true);
    expect(shareCells('cuda-depth', 'cuda-moments')).toBe(false);
  });

  it('is compared by sums of rows, so that a dose that is only wider across has no error', () => {
    const reference = Float64Array.of(2, 2, 3, 0);
    const wider = depthDoseError(Float64Array.of(3, 1, 1, 2), reference, 2, depthDoseLimit);
    expect(wider.value).toBe(0);
    expect(wider.holds).toBe(true);
  });

  it('is wrong for a depth dose that differs by more than 1 %', () => {
    // Row sums 4 and 2 instead of 4 and 3: a difference of 1 over the norm of 5.
    const short = depthDoseError(Float64Array.of(2, 2, 1, 1), Float64Array.of(2, 2, 3, 0), 2, depthDoseLimit);
    expect(short.value).toBeCloseTo(0.2, 12);
    expect(short.holds).toBe(false);
    const told = depthDoseError(Float64Array.of(2, 2, 1, 1), Float64Array.of(2, 2, 3, 0), 2, null);
    expect(told.holds).toBe(true);
  });

  it('has no value without a reference', () => {
    expect(depthDoseError(Float64Array.of(1, 1), null, 2, depthDoseLimit).value).toBeNull();
  });
});

describe('beams on one grid', () => {
  afterEach(() => vi.unstubAllEnvs());

  /** More beams than memory blocks. */
  const energies = Array.from({ length: 140 }, (_, i) => 30 - i / 20);

  const byEnergy = { spots: energies.map((energy_MeV) => ({ energy_MeV })) };

  async function readBeams({ variant = 'depth', beam = byEnergy as object, physics = {} } = {}) {
    const solver = { step_mm: 0.5, stepping: 'depth', variant, threads: 1 };
    return requireBeam(
      'beams',
      await (await openTestScenarios()).any.check(
        { ...tinyScenario, beam, solver, physics, output: {} },
        { name: 'beams', folder: null },
      ),
    );
  }

  function batchOptions(): Omit<BatchOptions, 'onEnded'> {
    const addon = loadAddon();
    const { cpu, logicalCores, memoryBytes, os } = addon.machine();
    return {
      ...{ addon, memoryLimit_bytes, signal: new AbortController().signal, gpu: () => null },
      program: { ...addon.buildInfo(), commit: null },
      machine: { id: null, cpu, logicalCores, memory_bytes: memoryBytes, os },
    };
  }

  const numbers = ({ summary, depthDose }: SolvedBeam) => {
    const { metrics, ledger, notes, gray, steps, cell_steps, extra_straggling_mm } = summary;
    return { metrics, ledger, notes, gray, steps, cell_steps, extra_straggling_mm, depthDose };
  };

  /** Rounds all numbers in a structure to nine digits: sums of rows on request are added in another order. */
  const rounded = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (_, one: unknown) => (typeof one === 'number' ? Number(one.toPrecision(9)) : one)),
    );

  const sideBySide = (count: number, angle_deg: number) => ({
    spots: Array.from({ length: count }, (_, i) => ({ energy_MeV: 30, x_mm: i / 200 })),
    ...{ x_sigma_mm: 1, angle_deg },
  });

  test.each([
    ['depth', {}],
    ['moments', {}],
    ['moments, without maps, beams of one energy', { beam: sideBySide(140, 0) }],
    ['moments, reactions followed', { physics: { nuclear: 'icru63' } }],
    ['moments, reactions of tilted beams', { beam: sideBySide(20, 5), physics: { nuclear: 'icru63' } }],
  ])(
    'have the same answers as end-to-end runs, including beams that reuse the block of another: %s',
    async (of, how) => {
      const beams = await readBeams({ variant: of.split(',')[0], ...how });
      const runs: RunData[] = [];
      const answers: SolvedBeam[] = [];
      await runsOnOneGrid('beams', beams, {
        ...batchOptions(),
        onEnded: (index, run) => {
          if (run instanceof BraggError) throw run;
          runs[index] = run;
        },
      });
      await solveOnOneGrid('beams', beams, {
        ...batchOptions(),
        onEnded: (index, answer) => {
          if (answer instanceof BraggError) throw answer;
          answers[index] = answer;
        },
      });
      expect(answers).toHaveLength(problemOf(beams).spots?.length ?? 0);
      expect(rounded(answers.map(numbers))).toEqual(rounded(runs.map((run) => numbers(solvedBeamOf(run)))));
      for (const { summary } of answers) {
        const { deposited_local } = summary.ledger.energy;
        expect(of.includes('reactions') ? (deposited_local ?? 0) > 0 : deposited_local === undefined).toBe(true);
      }
      // Results of complete runs are retained: no two share an array.
      expect(new Set(runs.map(({ dose }) => dose.buffer)).size).toBe(answers.length);
    },
  );

  test('are limited by the cells that each beam visits, as single beams are', async () => {
    const geometry = { ...tinyScenario.geometry, depth_mm: 1100 };
    const solver = { stepping: 'depth', variant: 'depth', threads: 1 };
    const { any } = await openTestScenarios();
    const readingOf = async (beam: object) =>
      requireBeam(
        'b',
        await any.check({ ...tinyScenario, geometry, beam, solver, output: {} }, { name: 'b', folder: null }),
      );
    const alone = await hostWorkloads.transport.needs(loadAddon(), await readingOf({ energy_MeV: 30 }));
    const beams = await readingOf({ spots: Array.from({ length: 4 }, () => ({ energy_MeV: 30 })) });
    const solve = async (most: number) => {
      vi.stubEnv('BRAGGBENCH_MOST_MINUTES', String((most * (alone.least_s ?? 0)) / 60));
      const ended: number[] = [];
      await solveOnOneGrid('beams', beams, { ...batchOptions(), onEnded: (index) => ended.push(index) });
      return ended.length;
    };
    expect(await solve(4.5)).toBe(4);
    await expect(solve(3.5)).rejects.toThrow(/^the batch takes at least .* minutes \(4 in total/);
  });

  test('readouts by moments are those of their runs, with depth doses only on request', async () => {
    const { any } = await openTestScenarios();
    const shared = { ...tinyScenario, output: {}, grid: { ...tinyScenario.grid, dz_mm: 0.2 } };
    const solver = { stepping: 'depth', variant: 'moments', precision: 'fp64', threads: 1 };
    const spots = [{ energy_MeV: 28, x_sigma_mm: 1 }, { energy_MeV: 29.5 }, { energy_MeV: 30, energy_sigma_MeV: 0.3 }];
    const beams = requireBeam(
      'b',
      await any.check({ ...shared, solver, beam: { spots } }, { name: 'b', folder: null }),
    );
    const list = new Float64Array(spots.length * BEAM_PARAMETERS);
    for (const [i, spot] of (problemOf(beams).spots ?? []).entries()) writeBeamParameters(list, i, spot);
    const answers: SolvedBeam[] = [];
    await solveOnOneGrid('b', beams, {
      ...batchOptions(),
      onEnded: (index, answer) => {
        if (answer instanceof BraggError) throw answer;
        answers[index] = answer;
      },
    });
    const table = await readoutsOnOneGrid('b', { reading: beams, list }, { ...batchOptions(), curves: true });
    expect([table.count, table.variant, table.device]).toEqual([3, 'moments', null]);
    for (const [i, { summary, depthDose }] of answers.entries()) {
      const { metrics, ledger } = summary;
      for (const name of ['r80_mm', 'r90_mm', 'r50_mm', 'peak_mm', 'w80_20_mm'] as const) {
        expect(Math.abs((table.column(name)[i] ?? Number.NaN) - (metrics[name] ?? 0))).toBeLessThan(2e-3);
      }
      expect((table.column('energy_in_MeV')[i] ?? 0) / ledger.energy.in).toBeCloseTo(1, 9);
      // Protons can leave the box of a run through its sides, but the box of the readouts has no sides.
      expect(table.column('stopped')[i]).toBeCloseTo(1, 6);
      const peak = Math.max(...depthDose.values);
      for (const [k, depth] of depthDose.positions.entries()) {
        const row = table.curves?.depth_mm.findIndex((one) => Math.abs(one - depth) < 1e-9) ?? -1;
        expect(Math.abs((table.curves?.values[row * 3 + i] ?? Number.NaN) - (depthDose.values[k] ?? 0))).toBeLessThan(
          2e-3 * peak,
        );
      }
    }
    expect(
      (await readoutsOnOneGrid('b', { reading: beams, list }, { ...batchOptions(), curves: false })).curves,
    ).toBeNull();
    const several = readoutsOnOneGrid('b', { reading: beams, list }, { ...batchOptions(), curves: false, gpus: 'all' });
    await expect(several).rejects.toThrow('one GPU');
  });

  /** Blocks this thread until the process's other threads are idle. */
  function waitForIdleThreads(): void {
    const nothing = new Int32Array(new SharedArrayBuffer(4));
    const used = (): number => Object.values(process.cpuUsage()).reduce((sum, one) => sum + one, 0);
    let before = used();
    for (let quiet = 0; quiet < 4; ) {
      Atomics.wait(nothing, 0, 0, 50);
      const now = used();
      quiet = now - before < 2000 ? quiet + 1 : 0;
      before = now;
    }
  }

  test('end when cancelled while every block waits to be read, and reported beams stay', async () => {
    const giving = new AbortController();
    const told: number[] = [];
    await solveOnOneGrid('beams', await readBeams(), {
      ...batchOptions(),
      signal: giving.signal,
      onEnded: (index, answer) => {
        if (answer instanceof BraggError) throw answer;
        if (told.length === 0) {
          waitForIdleThreads();
          giving.abort();
        }
        told.push(index);
      },
    });
    // At most 128 beams have a block. One more may have waited for a block, and one more may have begun.
    expect(told.length).toBeLessThanOrEqual(130);
    expect(new Set(told).size).toBe(told.length);
  });
});

describe('dose files', () => {
  let folder: string;
  let run: RunData;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'braggbench-dose-'));
    run = await runScenario(smallScenario);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const criteria = { dose: 0.001, distance_mm: 0.05 };

  async function writeExport(what: 'dose' | 'depth-dose'): Promise<string> {
    const { name, bytes } = await exportRun(run, what, runPacker);
    const file = path.join(folder, name);
    await writeFile(file, bytes);
    return file;
  }

  test('an exported map equals the run', async () => {
    const read = await readDoseFile(await writeExport('dose'), {}, null);
    if (read.kind !== 'map') throw new Error('no map');
    expect(read.unit).toBe('MeV/mm2');
    const result = gammaIndex(gammaMap(run, 'area'), read.map, criteria);
    expect([result.passed, result.worst < 1e-4, result.points > 20]).toEqual([1, true, true]);
  });

  test('an exported depth dose equals the run', async () => {
    const read = await readDoseFile(await writeExport('depth-dose'), {}, null);
    if (read.kind !== 'curve') throw new Error('no curve');
    const { positions, values } = depthDoseOf(measuredRunOf(run)).curve;
    expect(gammaOfCurves({ positions, values }, read.curve, criteria)).toMatchObject({ passed: 1, worst: 0 });
  });

  test('a volume in any unit, with depth along y and an offset, is summed over its third axis and matches', async () => {
    const { nz, nx, dz_mm, dx_mm } = run.axes;
    const layers = 3;
    const data = new Float64Array(nx * nz * layers);
    for (let y = 0; y < layers; y += 1)
      for (let z = 0; z < nz; z += 1)
        for (let x = 0; x < nx; x += 1) data[(y * nz + z) * nx + x] = 0.01 * (y + 1) * (run.dose[z * nx + x] ?? 0);
    const header = [
      'NDims = 3',
      `DimSize = ${nx} ${nz} ${layers}`,
      `ElementSpacing = ${dx_mm} ${dz_mm} 2`,
      `Offset = ${(-(nx - 1) / 2) * dx_mm} ${-100 + dz_mm / 2} 0`,
      'ElementType = MET_DOUBLE',
      'ElementDataFile = LOCAL\n',
    ].join('\n');
    const file = path.join(folder, 'plan.mha');
    await writeFile(file, Buffer.concat([Buffer.from(header), Buffer.from(data.buffer)]));
    const at = async (shift_depth_mm: number): Promise<number> => {
      const read = await readDoseFile(file, { depth: 'y', shift_depth_mm }, null);
      if (read.kind !== 'map') throw new Error('no map');
      return gammaIndex(normalizeToPeak(gammaMap(run, 'area')), normalizeToPeak(read.map), criteria).worst;
    };
    expect(await at(100)).toBeLessThan(1e-6);
    expect(await at(101)).toBeGreaterThan(1);
    await expect(readDoseFile(file, { depth: 'x' }, null)).rejects.toThrow(/two of its axes: x, y, z/);
  });

  test.each([
    [
      'a map whose depths are not equal',
      'z_mm,dose_at_x_0_mm,dose_at_x_1_mm\n0,1,1\n1,1,1\n3,1,1\n',
      /must ascend in equal steps/,
    ],
    [
      'a map with a hole',
      'z_mm,dose_at_x_0_mm,dose_at_x_1_mm\n0,1,1\n1,1,x\n',
      /line 3: "x" is not a number; allowed: 3 finite numbers/,
    ],
    [
      'a map with an empty cell',
      'z_mm,dose_at_x_0_mm,dose_at_x_1_mm\n0,1,1\n1,,1\n',
      /line 3: "" is not a number; allowed: 3 finite numbers/,
    ],
    [
      'a map after a comment',
      '# a\nz_mm,dose_at_x_0_mm,dose_at_x_1_mm\n0,1,1\n1,0x1,1\n',
      /line 4: "0x1" is not a number; allowed: 3 finite/,
    ],
    [
      'a map in cm',
      'depth_cm,dose_at_x_0_mm,dose_at_x_1_mm\n0,1,1\n1,1,1\n',
      /its columns are depth_cm; allowed: depth_mm/,
    ],
    [
      'a map of two quantities',
      'z_mm,dose_at_x_0_mm,sigma_at_x_1_mm\n0,1,1\n1,1,1\n',
      /its columns are dose and sigma;/,
    ],
    [
      'a map of fluence',
      'z_mm,fluence_per_mm2_at_x_0_mm,fluence_per_mm2_at_x_1_mm\n0,1,1\n1,1,1\n',
      /its columns contain fluence_per_mm2; allowed: a dose/,
    ],
    [
      'a map of spreads',
      'z_mm,dose_sigma_at_x_0_mm,dose_sigma_at_x_1_mm\n0,1,1\n1,1,1\n',
      /its columns contain dose_sigma; allowed: a dose/,
    ],
    [
      'a curve far below zero',
      `z_mm,dose\n${Array.from({ length: 12 }, (_, i) => `${i},${i === 3 ? -1 : i % 11}`).join('\n')}`,
      /the dose is -1 at 3 mm; allowed: -5 % of its largest/,
    ],
    ['a curve without a unit', 'depth,dose\n0,1\n', / the unit of depth is missing/],
  ])('%s is rejected with its file name', async (name, text, why) => {
    const file = path.join(folder, `${name.replaceAll(' ', '-')}.csv`);
    await writeFile(file, text);
    await expect(readDoseFile(file, {}, null)).rejects.toThrow(why);
  });

  test('a missing file is named', async () => {
    await expect(readDoseFile('nowhere.nrrd', {}, null)).rejects.toMatchObject({ code: 'not-found' });
  });

  test('a table in UTF-16, as spreadsheets write it, equals the table in UTF-8', async () => {
    const cases = path.join(import.meta.dirname, '../../../domain/dose/cases');
    const [wide, plain] = [
      await readDoseFile(path.join(cases, 'c09-utf16.csv'), {}, null),
      await readDoseFile(path.join(cases, 'c13-good.csv'), {}, null),
    ];
    expect(wide).toEqual(plain);
    const file = path.join(folder, 'latin.csv');
    await writeFile(file, Buffer.from('depth_mm,dose\n1,2 \xb5Gy\n', 'latin1'));
    await expect(readDoseFile(file, {}, null)).rejects.toThrow(/latin\.csv: it is not text in UTF-8, nor in UTF-16/);
  });

  describe('the unit stated by a file', () => {
    const nrrd = (unit: string): Uint8Array => {
      const head = `NRRD0004\ntype: double\ndimension: 3\nsizes: 2 2 2\nspacings: 1 1 1\nencoding: raw\nendian: little\nsample units: ${unit}\n\n`;
      return Uint8Array.from(
        Buffer.concat([Buffer.from(head), new Uint8Array(Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8).buffer)]),
      );
    };
    const plane = (unit: string, chosen: 'Gy' | 'MeV/g' | 'Gy/1e9' | null) =>
      planeOfDose({ files: [{ name: 'a.nrrd', bytes: nrrd(unit) }], plane: {}, unit: chosen, protons: 1 });

    test('is the only one that can be selected', async () => {
      await expect(plane('Gy', 'Gy')).resolves.toMatchObject({ nz: 2, nx: 2 });
      await expect(plane('Gy', 'Gy/1e9')).resolves.toMatchObject({ nz: 2, nx: 2 });
      await expect(plane('cGy', null)).resolves.toMatchObject({ nz: 2, nx: 2 });
      for (const unit of ['cGy', 'relative', 'Gy (RBE)']) {
        await expect(plane(unit, 'Gy')).rejects.toThrow(`a.nrrd gives its values in ${unit},`);
      }
    });

    test('is read from a map and from a curve', async () => {
      const file = path.join(folder, 'unit.nrrd');
      await writeFile(file, nrrd('cGy'));
      expect(await readDoseFile(file, {}, null)).toMatchObject({ kind: 'map', unit: 'cGy' });
      const curve = path.join(folder, 'unit.csv');
      await writeFile(curve, `z_mm,dose_Gy\n${Array.from({ length: 12 }, (_, i) => `${i},${i % 11}`).join('\n')}`);
      expect(await readDoseFile(curve, {}, null)).toMatchObject({ kind: 'curve', unit: 'Gy' });
    });
  });

  test('a DICOM dose without a file extension is recognised', async () => {
    const phantom = { columns: 2, rows: 2, slices: 2, spacing_mm: [1, 1, 1], origin_mm: [0, 0, 0] } as const;
    const bytes = doseOf({ ...phantom, hu: (i, j, k) => i + 2 * j + 4 * k });
    const file = path.join(folder, 'RD.1.2.3');
    await writeFile(file, bytes);
    expect(await readDoseFile(file, {}, null)).toMatchObject({ kind: 'map', unit: 'Gy' });
    expect(await inspectDose({ files: [{ name: 'RD.1.2.3', bytes }] })).toMatchObject({ sizes: [2, 2, 2] });
  });

  test('a dose of a single beam, or to water, is reported before the comparison', async () => {
    const phantom = { columns: 2, rows: 2, slices: 2, spacing_mm: [1, 1, 1], origin_mm: [0, 0, 0] } as const;
    const changes = {
      '3004000a': ['CS', 'BEAM'],
      '30040014': ['CS', 'WATER'],
      '30040004': ['CS', 'EFFECTIVE'],
    } as const;
    const bytes = doseOf({ ...phantom, hu: (i) => i }, changes);
    const { notes } = await inspectDose({ files: [{ name: 'a.dcm', bytes }] });
    expect(notes).toEqual([
      'Its values are in Gy (RBE)',
      'DoseSummationType is BEAM: not the dose of a whole plan',
      'TissueHeterogeneityCorrection is WATER: computed as if the patient were water',
    ]);
  });
});
