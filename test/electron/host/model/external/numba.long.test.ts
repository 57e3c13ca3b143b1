/**
 * Kernels of the Numba candidate, in Numba's simulator on the CPU: hundreds of Python threads, so a small grid and few
 * steps.
 */
import { expect, test } from 'vitest';
import { check, scenarios } from '../scenarios/open.ts';
import { imageApart, imageNames, needsPython, runPython } from './python-kernels.ts';

const environment = { NUMBA_ENABLE_CUDASIM: '1' };

/** Two steps of both solvers on the problem of standard input; prints what differs, over the largest. */
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

test('a beam across the side takes the steps of the array solver', { timeout: 600_000 }, async (ctx) => {
  needsPython(ctx, 'numba');
  const parts = {
    ...{ beam: { energy_MeV: 30, angle_deg: 10, x_mm: 1 }, geometry: { width_mm: 3, depth_mm: 8 } },
    grid: { dx_mm: 1, dz_mm: 1, dtheta_mrad: 150, energy: { kind: 'uniform', step_MeV: 3 } },
    ...{ physics: { nuclear: 'attenuation' }, solver: { stepping: 'path' } },
  };
  const problem = scenarios.resolve(await check(parts, 30));
  const { lost, ...apart } = runPython(COMPARED, { ...problem, keyframes: 0 }, environment) as Record<string, number>;
  expect(lost).toBeGreaterThan(0);
  for (const [name, difference] of Object.entries(apart)) expect(difference, name).toBeLessThan(1e-12);
});

test.for(imageNames)('an image: %s', { timeout: 600_000 }, async (name, ctx) => {
  needsPython(ctx, 'numba');
  expect(await imageApart(name, { module: 'numba_diffraction', style: 'kernel' }, environment)).toBeLessThan(1e-6);
});
