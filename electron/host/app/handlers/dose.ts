/** Calls that hold a run's dose against another's, and its width against theory. */
import { planeUnits } from '../../../contract/dose/units.ts';
import type { GammaDose, ImportedPlane } from '../../../contract/dose.ts';
import { BraggError } from '../../../contract/errors.ts';
import { fromNative, type NativeAddon } from '../../io/addon/addon.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { type DoseMap, gammaField } from '../../model/fields/gamma.ts';
import { problemOf, type Scenarios } from '../../workloads/scenarios/index.ts';
import { gammaMapOfRun, toPeakOf } from '../../workloads/transport/aside.ts';
import { type GridAxes, gridAxes, planeAxes } from '../../workloads/transport/display/grid-axes.ts';
import { makeField } from '../../workloads/transport/display/maps.ts';
import { gammaDoseOf } from '../../workloads/transport/metrics/gamma-dose.ts';
import type { RunData } from '../../workloads/transport/run-data.ts';
import { ctPicture } from '../../workloads/transport/scenario/ct/ct-picture.ts';
import { asTransport } from '../../workloads/transport/scenario/reading.ts';
import type { ImportedDoses } from '../doses/imported.ts';
import type { Runs } from '../runs/runs.ts';
import { transportRun } from '../runs/transport-maps.ts';
import type { Handlers } from '../service/service.ts';
import { placeOf } from './scenarios.ts';

/** The CT that a scenario takes its matter from. */
interface CtParts {
  readonly scenarios: Scenarios;
  readonly files: FileAccess;
}

export function ctHandlers({ scenarios, files }: CtParts): Pick<Handlers, 'ct.picture'> {
  return {
    'ct.picture': async ({ scenario, file, pixels }) => {
      const {
        ct,
        scenario: complete,
        range_mm,
      } = asTransport(await scenarios.check(scenario, await placeOf(files, file)), null);
      return { picture: ct === null || complete === null ? null : await ctPicture(ct, complete, range_mm, pixels) };
    },
  };
}

interface DoseParts {
  readonly addon: NativeAddon;
  readonly runs: Runs;
  readonly scenarios: Scenarios;
  readonly doses: ImportedDoses;
}

interface Judged {
  readonly by: GammaDose;
  readonly wanted: DoseMap;
  readonly here: DoseMap;
  /** Those of the reference. */
  readonly axes: Pick<GridAxes, 'z' | 'x'>;
}

async function againstRun(run: RunData, reference: RunData, asked: GammaDose): Promise<Judged> {
  const by = gammaDoseOf(asked, [run, reference]);
  const [wanted, here] = [await gammaMapOfRun(reference, by), await gammaMapOfRun(run, by)];
  return { by, wanted, here, axes: gridAxes(reference.axes) };
}

async function againstImport(
  run: RunData,
  doses: ImportedDoses,
  { dose, unit, ...plane }: ImportedPlane,
  asked: GammaDose,
): Promise<Judged> {
  const by = gammaDoseOf(unit === null ? asked : planeUnits[unit].by, [run]);
  if (unit !== null && by !== planeUnits[unit].by) {
    const title = planeUnits[unit].title;
    throw new BraggError('unsupported', `${title} is a dose by mass, and this run was stored without densities.`);
  }
  const wanted = await doses.plane(dose, { plane, unit, protons: run.beam.weight });
  const own = await gammaMapOfRun(run, by);
  const here = unit === null ? await toPeakOf(own) : own;
  return { by, wanted, here, axes: planeAxes(wanted) };
}

type DoseHandlers = Pick<Handlers, Extract<keyof Handlers, `dose.${string}`>>;

export function doseHandlers({ addon, runs, scenarios, doses }: DoseParts): DoseHandlers {
  return {
    'dose.import': async ({ files }) => doses.take(files),
    'dose.gamma': async ({ run, reference, dose, distance_mm, local, threshold, by: asked, viewport }, signal) => {
      const evaluated = await transportRun(runs, run);
      const { by, wanted, here, axes } =
        typeof reference === 'string'
          ? await againstRun(evaluated, await transportRun(runs, reference), asked)
          : await againstImport(evaluated, doses, reference, asked);
      const { values, passed, points, worst, histogram } = await gammaField(
        wanted,
        here,
        { dose, distance_mm, local, threshold },
        signal,
      );
      const field = { values, axes: ['z', 'x'], quantity: 'gamma index', unit: '' } as const;
      // Cells that are not judged are NaN, and have no part in the extremes.
      const map = {
        ...(await makeField(axes, field, viewport)),
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
