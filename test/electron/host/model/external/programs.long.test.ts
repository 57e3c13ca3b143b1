/**
 * Cases of `numpy_transport.py` that `external.test.ts` leaves out. Kernels of the Numba candidate run in Numba's
 * simulator on the CPU with hundreds of Python threads, so the grid is small. Kernels that CuPy compiles, including the
 * engine's, run on the host; each CUDA thread is a fiber, so problems are small. Also programs of assets/external on
 * images and small workloads.
 */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { checkBeam, scenarios } from '../scenarios/open.ts';
import {
  type ClaimRow,
  crystal,
  expectImage,
  expectLayer,
  expectRow,
  imageDifference,
  imageNames,
  needsPython,
  runPython,
} from './external-session.ts';
import { expectDose, type TransportCase } from './python-programs.ts';

describe('external programs', () => {
  const cases: readonly TransportCase[] = [
    ['numpy-array', 'attenuation and two materials, fp64', { physics: { nuclear: 'attenuation' } }, 'fp64', 1e-12],
    // Oblique paths are longer, so that rows in depth become wider.
    ['numpy-array', 'many angles, fp64', { beam: { energy_MeV: 20, angle_sigma_mrad: 200 } }, 'fp64', 1e-12],
    [
      'numpy-array',
      'an energy spread within a bin, fp64',
      { beam: { energy_MeV: 30, energy_sigma_MeV: 0.1 } },
      'fp64',
      1e-12,
    ],
    [
      'numpy-array',
      'along the other side, fp64',
      { beam: { energy_MeV: 30, x_mm: -4.8, x_sigma_mm: 1 } },
      'fp64',
      1e-12,
    ],
    [
      'numpy-loop',
      'few cells, fp64',
      { beam: { energy_MeV: 10 }, geometry: { width_mm: 4, depth_mm: 2 } },
      'fp64',
      1e-12,
    ],
  ];

  test.for(cases)("%s: %s: has the engine's dose and a closed ledger", expectDose);
});

describe('numba', () => {
  const environment = { NUMBA_ENABLE_CUDASIM: '1' };

  /**
   * Runs two steps of both solvers on the problem of standard input. Prints their differences, relative to the largest
   * value.
   */
  const COMPARED = `
import json, sys
import numpy as np
from array_solver import ArraySolver
from numba import cuda
from numba_transport import NumbaSolver
from transport_tables import build_tables

tables = build_tables(json.load(sys.stdin))
own, other = NumbaSolver(cuda, tables, np.float64), ArraySolver(np, tables, np.float64)
for _ in range(2):
    own.step()
    other.step()
def apart(a, b):
    return float(np.abs(np.asarray(a) - np.asarray(b)).max() / np.abs(b).max())
names = sorted(other.losses)
print(json.dumps({
    "dose": apart(own.dose, other.dose),
    "state": apart(own.psi.copy_to_host(), other.psi.ravel()),
    "flight": apart(own.in_flight(), other.in_flight()),
    "losses": apart([own.losses[name] for name in names], [other.losses[name] for name in names]),
    "lost": float(other.losses["escaped_x"][0]),
}))
`;

  test('a beam that crosses the side uses the steps of the array solver', { timeout: 600_000 }, async (ctx) => {
    needsPython(ctx, 'numba');
    const parts = {
      ...{ beam: { energy_MeV: 30, angle_deg: 10, x_mm: 1 }, geometry: { width_mm: 3, depth_mm: 8 } },
      grid: { dx_mm: 1, dz_mm: 1, dtheta_mrad: 150, energy: { kind: 'uniform', step_MeV: 3 } },
      ...{ physics: { nuclear: 'attenuation' }, solver: { stepping: 'path' } },
    };
    const problem = scenarios.resolve(await checkBeam(parts, 30));
    const { lost, ...apart } = runPython(COMPARED, { ...problem, keyframes: 0 }, environment) as Record<string, number>;
    expect(lost).toBeGreaterThan(0);
    for (const [name, difference] of Object.entries(apart)) expect(difference, name).toBeLessThan(1e-12);
  });

  test.for(imageNames)('an image: %s', { timeout: 600_000 }, async (name, ctx) => {
    needsPython(ctx, 'numba');
    expect(await imageDifference(name, { module: 'numba_diffraction', style: 'kernel' }, environment)).toBeLessThan(
      1e-6,
    );
  });
});

describe('CuPy kernels', () => {
  const environment = {
    PYTHONPATH: path.join(import.meta.dirname, 'cupy-on-host'),
    CUPY_ON_HOST: scratchFolder('cupy-on-host'),
  };

  function needsCompiler(ctx: TestContext): void {
    needsPython(ctx, 'numpy');
    try {
      execFileSync('g++', ['-std=c++20', '-fsyntax-only', '-x', 'c++', '-'], {
        input: '#include <bit>',
        stdio: 'pipe',
      });
    } catch {
      ctx.skip('g++ of C++20 is not installed');
    }
  }

  /** Runs the same steps by two solvers, and prints their differences, relative to the largest value. */
  const STEPPED = `
import json, sys
import numpy as np
import cupy
from array_solver import ArraySolver
from %MODULE% import %SOLVER%
from transport_tables import build_tables

asked = json.load(sys.stdin)
tables = build_tables(asked["problem"])
dtype = np.float32 if asked["problem"]["solver"]["precision"] == "fp32" else np.float64
other = ArraySolver(np, tables, dtype)
own = %SOLVER%(cupy, tables, dtype%MORE%)
for _ in range(asked["steps"]):
    own.step()
    other.step()
def apart(a, b):
    return float(np.abs(np.asarray(a) - np.asarray(b)).max() / np.abs(b).max())
def losses(solver):
    # Whose energy stopped protons hold is dose: kernels do not count it.
    return [solver.losses[name][: 1 if name == "stopped" else 2] for name in sorted(other.losses)]
print(json.dumps({
    "dose": apart(own.dose, other.dose),
    "state": apart(own.psi, other.psi),
    "flight": apart([own.protons(), *own.in_flight()], [other.protons(), *other.in_flight()]),
    "losses": apart(np.concatenate(losses(own)), np.concatenate(losses(other))),
    "lost": float(other.losses["escaped_x"][0]),
}))
`;
  const solvers = {
    'cupy_ours.OurSolver': ', asked["problem"], asked["steps"]',
    'cupy_raw.RawSolver': '',
    'cupy_elementwise.ElementwiseSolver': '',
  } as const;

  const tilted = { beam: { energy_MeV: 30, angle_deg: 10, x_mm: 1 }, geometry: { width_mm: 3, depth_mm: 8 } };
  const beams = {
    'across the side, fp64': { ...tilted, solver: { precision: 'fp64' } },
    'across the side, fp32': { ...tilted, solver: { precision: 'fp32' } },
    'two materials, fp64': {
      geometry: { ...tilted.geometry, regions: [{ material: 'bone-compact-icru', x_mm: [0, 1.5], z_mm: [1, 2] }] },
      solver: { precision: 'fp64' },
    },
  } as const;

  describe.for(Object.entries(solvers))('%s', ([place, more]) => {
    test.for(Object.entries(beams))('%s', { timeout: 600_000 }, async ([, parts], ctx) => {
      needsCompiler(ctx);
      const [module = '', solver = ''] = place.split('.');
      const document = {
        ...parts,
        grid: { dx_mm: 1, dz_mm: 1, dtheta_mrad: 100, energy: { kind: 'uniform', step_MeV: 2 } },
        physics: { nuclear: 'attenuation' },
        solver: { stepping: 'path', ...parts.solver },
      };
      const problem = { ...scenarios.resolve(await checkBeam(document, 30)), keyframes: 0 };
      const code = STEPPED.replaceAll('%MODULE%', module).replaceAll('%SOLVER%', solver).replaceAll('%MORE%', more);
      const { lost, ...apart } = runPython(code, { problem, steps: 5 }, environment) as Record<string, number>;
      expect(lost).toBeGreaterThan('beam' in parts ? 0 : -1);
      const limit = parts.solver.precision === 'fp64' ? 1e-12 : 1e-6;
      for (const [name, difference] of Object.entries(apart)) expect(difference, name).toBeLessThan(limit);
    });
  });

  /**
   * Runs both programs end to end and prints their reports. The second one synchronizes with the device every eight
   * steps.
   */
  const ENDED = `
import json, sys
import numpy as np
import cupy_transport
from array_solver import ArraySolver
from transport_program import TransportProgram

asked = {**json.load(sys.stdin), "style": "ours"}
programs = TransportProgram(asked, lambda tables, dtype: ArraySolver(np, tables, dtype)), cupy_transport.program(asked)
doses, steps = [], []
for program in programs:
    program.prepare()
    program.repeat(1)
    doses.append(program.answer()["dose"])
    steps.append(program.facts()["steps"])
print(json.dumps({"steps": steps, "apart": float(np.abs(doses[1] - doses[0]).max() / doses[0].max())}))
`;

  test('the CuPy kernels end at the step that leaves too few protons, even if more are requested', {
    timeout: 600_000,
  }, async (ctx) => {
    needsCompiler(ctx);
    const document = {
      ...{ geometry: { width_mm: 4, depth_mm: 6 }, physics: { nuclear: 'off' } },
      grid: { dx_mm: 1, dz_mm: 0.5, dtheta_mrad: 100, energy: { kind: 'uniform', step_MeV: 1 } },
      solver: { ...{ stepping: 'path', step_mm: 0.5, precision: 'fp64', stop_weight: 0.4 } },
    };
    const problem = { ...scenarios.resolve(await checkBeam(document, 20)), keyframes: 0 };
    const ended = runPython(ENDED, { problem, steps_max: 20 }, environment) as { steps: number[]; apart: number };
    const [steps = 0] = ended.steps;
    expect(steps % 8).not.toBe(0);
    expect(ended.steps).toEqual([steps, steps]);
    expect(ended.apart).toBeLessThan(1e-12);
  });

  /** Images whose code per pixel is the same in both styles. */
  const elementwise = ['square crystals, all alike', 'listed reflections'] as const;

  describe.for(['elementwise', 'raw', 'ours'])('images, %s', (style) => {
    const names = style === 'elementwise' ? elementwise : imageNames;
    test.for(names)('%s', { timeout: 600_000 }, async (name, ctx) => {
      needsCompiler(ctx);
      expect(await imageDifference(name, { module: 'cupy_diffraction', style }, environment)).toBeLessThan(1e-6);
    });
  });
});

describe('the linear layer', () => {
  test.for([{ direction: 'backward' }, { bias: false, values: 'with-nan' }, { direction: 'backward', bias: false }])(
    '%o',
    expectLayer,
  );
});

const rows: readonly ClaimRow[] = [
  ['launch', { n: 1001, steps: 3 }, 'cpu-passes', ['numpy']],
  ['reduction', { n: 100_001 }, 'cpu-chains', ['numpy']],
  ['host-loop', { rows: 7, length: 65, radius: 3 }, 'cpu-rows', ['numpy', 'numpy-rows']],
  ['gemm', { m: 70, n: 65, k: 33 }, 'cpu-rows', ['numpy']],
];
describe('rows of the table of claims', () => {
  for (const row of rows) test(row[0], (ctx) => expectRow(row, ctx));
});

const images = {
  round: { crystal: { ...crystal, shape: 'round' } },
  gauss: { crystal: { ...crystal, shape: 'gauss' } },
  tophat: { crystal: { ...crystal, shape: 'tophat' } },
  'turning blocks': {
    crystal: { ...crystal, mosaic_spread_deg: 1, mosaic_domains: 3 },
    rotation: { oscillation_deg: 1, steps: 2 },
  },
  'sub-pixels and polarised light': {
    crystal,
    detector: { oversample: 2, corrections: 'subpixel' },
    beam: { wavelength_A: 1, polarisation: 0.5 },
  },
};
describe('external programs for images', () => {
  for (const [name, more] of Object.entries(images)) test(name, (ctx) => expectImage(more, ctx));
});
