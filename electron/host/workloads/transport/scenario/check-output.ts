/** Checks of the requested output against geometry and steps. */
import { type Fault, fault, warning } from '../../../../contract/scenario/index.ts';
import { formatNumber } from '../../../../contract/units.ts';
import type { Check } from './one-check.ts';

/** Steps that are longer by less end in the same cell. */
const ROUNDING = 1.001;

export const outputChecks: readonly Check[] = [
  {
    uses: ['output.spectra_mm', 'output.let'],
    run: ({ output }) =>
      output.spectra_mm.length > 0 && !output.let
        ? [warning(['output', 'spectra_mm'], output.spectra_mm, 'are kept where output.let is true; here none is')]
        : [],
  },
  {
    uses: ['output.spectra_mm', 'geometry.depth_mm'],
    run: ({ output, geometry }): readonly Fault[] =>
      output.spectra_mm.flatMap((depth, i) => {
        if (depth < geometry.depth_mm) return [];
        const allowed = `0 to below ${formatNumber(geometry.depth_mm)} mm`;
        return [fault(['output', 'spectra_mm', i], depth, 'lies behind the geometry', allowed)];
      }),
  },
  {
    uses: ['output.spectra_mm', 'solver.step_mm', 'grid.dz_mm'],
    run: ({ output, solver, grid }) => {
      if (!output.let || output.spectra_mm.length === 0 || solver.stepping === 'depth') return [];
      if (solver.step_mm <= ROUNDING * grid.dz_mm) return [];
      const allowed = `at most grid.dz_mm = ${formatNumber(grid.dz_mm)} mm with output.spectra_mm, or solver.stepping: depth`;
      return [fault(['solver', 'step_mm'], solver.step_mm, 'is longer than a cell in depth', allowed)];
    },
  },
];
