/** Calls that hold a run's dose against another's, and its width against theory. */
import { BraggError } from '../../../contract/errors.ts';
import { fromNative, type NativeAddon } from '../../io/addon/addon.ts';
import { gammaField } from '../../model/fields/gamma.ts';
import { problemOf, type Scenarios } from '../../workloads/scenarios/index.ts';
import { gammaMapOfRun } from '../../workloads/transport/aside.ts';
import { makeField } from '../../workloads/transport/display/maps.ts';
import { gammaDoseOf } from '../../workloads/transport/metrics/gamma-dose.ts';
import { asTransport } from '../../workloads/transport/scenario/reading.ts';
import type { Runs } from '../runs/runs.ts';
import { transportRun } from '../runs/transport-maps.ts';
import type { Handlers } from '../service/service.ts';

export interface DoseParts {
  readonly addon: NativeAddon;
  readonly runs: Runs;
  readonly scenarios: Scenarios;
}

export function doseHandlers({ addon, runs, scenarios }: DoseParts): Pick<Handlers, 'dose.gamma' | 'dose.fermiEyges'> {
  return {
    'dose.gamma': async ({ run, reference, dose, distance_mm, local, threshold, by: asked, viewport }, signal) => {
      const [evaluated, wanted] = [await transportRun(runs, run), await transportRun(runs, reference)];
      const by = gammaDoseOf(asked, [evaluated, wanted]);
      const { values, passed, points, worst, histogram } = await gammaField(
        await gammaMapOfRun(wanted, by),
        await gammaMapOfRun(evaluated, by),
        { dose, distance_mm, local, threshold },
        signal,
      );
      const field = { values, axes: ['z', 'x'], quantity: 'gamma index', unit: '' } as const;
      // Cells that are not judged are NaN, and have no part in the extremes.
      const map = {
        ...(await makeField(wanted.axes, field, 'z', 'x', viewport)),
        min: 0,
        max: worst,
        minPositive: worst,
      };
      return { map, by, passed, points, worst, histogram: [...histogram] };
    },
    'dose.fermiEyges': async ({ run }) => {
      try {
        const reading = asTransport(
          await scenarios.check(runs.scenario(run), { name: 'the scenario of the run', folder: null }),
          null,
        );
        const problem = problemOf(reading);
        const { sigma_x_mm } = addon.fermiEyges(problem);
        const { dz_mm } = problem.grid;
        const first = Math.floor(problem.beam.z_mm / dz_mm);
        return {
          curve: {
            quantity: 'Fermi–Eyges σx',
            unit: 'mm',
            axis: 'depth',
            axisUnit: 'mm',
            positions: sigma_x_mm.map((_, i) => (first + i + 0.5) * dz_mm),
            values: sigma_x_mm,
          },
          reason: null,
        };
      } catch (error) {
        const failure = fromNative(error);
        // A table of the user's that is gone, or a tilted beam: the plots do without the curve, and say why.
        if (failure instanceof BraggError && failure.code !== 'internal')
          return { curve: null, reason: failure.message };
        throw failure;
      }
    },
  };
}
