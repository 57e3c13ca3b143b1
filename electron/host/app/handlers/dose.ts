/**
 * Handles calls that compare the dose of a run with another dose, and its width with theory.
 *
 * Also handles calls that create beams: spread-out Bragg peaks, and beams from measured depth doses.
 */
import { planeUnits } from '../../../contract/dose/units.ts';
import type { GammaQuantity, ImportedPlane } from '../../../contract/dose.ts';
import { BraggError } from '../../../contract/errors.ts';
import { errorFromNative, type NativeAddon, type TransportProblem } from '../../io/addon/addon.ts';
import type { FileAccess } from '../../io/files/access.ts';
import { computeGammaField, type DoseMap } from '../../model/fields/gamma.ts';
import { problemOf, type Scenarios } from '../../workloads/scenarios/scenarios.ts';
import { commission, readMeasured } from '../../workloads/transport/beams/commission.ts';
import { pencilDose, pencilFile } from '../../workloads/transport/beams/pencils.ts';
import { buildSobp } from '../../workloads/transport/beams/sobp.ts';
import { uncertaintyOf } from '../../workloads/transport/beams/uncertainty.ts';
import { type DoseVolumes, solveVolume } from '../../workloads/transport/beams/volume.ts';
import { type GridAxes, gridAxes, makeField, planeAxes } from '../../workloads/transport/display/maps.ts';
import { gammaMapOfRun, normalizedToPeak, supportedGammaQuantity } from '../../workloads/transport/readouts.ts';
import type { RunData } from '../../workloads/transport/run-data.ts';
import { ctPicture, ctSeriesOf } from '../../workloads/transport/scenario/placed-ct.ts';
import { narrowToTransport, type Reading } from '../../workloads/transport/scenario/problem.ts';
import type { ImportedDoses } from '../doses/imported.ts';
import type { Runs } from '../runs/runs.ts';
import { transportRun } from '../runs/transport-maps.ts';
import type { Handlers, Sources } from '../service/service.ts';
import { originOf } from './scenarios.ts';

/** Dependencies of the handlers for CT images. */
interface CtParts {
  readonly scenarios: Scenarios;
  readonly files: FileAccess;
}

export function ctHandlers({ scenarios, files }: CtParts): Pick<Handlers, 'ct.picture' | 'ct.series'> {
  return {
    'ct.series': async ({ name, file }) => ({
      series: [...(await ctSeriesOf(name, (await originOf(files, file)).folder))],
    }),
    'ct.picture': async ({ scenario, file, pixels }) => {
      const {
        ct,
        scenario: complete,
        range_mm,
      } = narrowToTransport(await scenarios.check(scenario, await originOf(files, file)), null);
      return { picture: ct === null || complete === null ? null : await ctPicture(ct, complete, range_mm, pixels) };
    },
  };
}

interface DoseParts {
  readonly addon: NativeAddon;
  readonly runs: Runs;
  readonly files: FileAccess;
  readonly scenarios: Scenarios;
  readonly doses: ImportedDoses;
}

interface GammaOperands {
  readonly by: GammaQuantity;
  readonly wanted: DoseMap;
  readonly here: DoseMap;
  /** Axes of the reference dose. */
  readonly axes: Pick<GridAxes, 'z' | 'x'>;
}

async function gammaOperandsOfRun(run: RunData, reference: RunData, requested: GammaQuantity): Promise<GammaOperands> {
  const by = supportedGammaQuantity(requested, [run, reference]);
  const [wanted, here] = [await gammaMapOfRun(reference, by), await gammaMapOfRun(run, by)];
  return { by, wanted, here, axes: gridAxes(reference.axes) };
}

async function gammaOperandsOfImport(
  run: RunData,
  doses: ImportedDoses,
  { dose, unit, ...plane }: ImportedPlane,
  asked: GammaQuantity,
): Promise<GammaOperands> {
  const by = supportedGammaQuantity(unit === null ? asked : planeUnits[unit].by, [run]);
  if (unit !== null && by !== planeUnits[unit].by) {
    const title = planeUnits[unit].title;
    throw new BraggError('unsupported', `${title} is a dose per mass, but this run was stored without densities.`);
  }
  const wanted = await doses.plane(dose, { plane, unit, protons: run.beam.weight });
  const own = await gammaMapOfRun(run, by);
  const here = unit === null ? await normalizedToPeak(own) : own;
  return { by, wanted, here, axes: planeAxes(wanted) };
}

type DoseHandlers = Pick<Handlers, Extract<keyof Handlers, `dose.${string}`>>;

export function doseHandlers({ addon, runs, files, scenarios, doses }: DoseParts): DoseHandlers {
  return {
    'dose.import': async ({ files: imported }) => doses.add(imported),
    'dose.pencils': async ({ run, file }, signal) => {
      const begun = performance.now();
      const { name } = await transportRun(runs, run);
      const problem = requireProblem(
        narrowToTransport(await scenarios.check(runs.scenario(run), await originOf(files, file)), null),
      );
      const { dose, pencils, columns } = await pencilDose(addon, problem, signal);
      const info = await doses.add([{ name: `pencils of ${name}.mha`, bytes: pencilFile(problem, dose) }]);
      return { ...info, pencils, columns, seconds: (performance.now() - begun) / 1000 };
    },
    'dose.gamma': async ({ run, reference, dose, distance_mm, local, threshold, by: asked, viewport }, signal) => {
      const evaluated = await transportRun(runs, run);
      const { by, wanted, here, axes } =
        typeof reference === 'string'
          ? await gammaOperandsOfRun(evaluated, await transportRun(runs, reference), asked)
          : await gammaOperandsOfImport(evaluated, doses, reference, asked);
      const { values, passed, points, worst, histogram } = await computeGammaField(
        wanted,
        here,
        { dose, distance_mm, local, threshold },
        signal,
      );
      const field = { values, axes: ['z', 'x'], quantity: 'gamma index', unit: '' } as const;
      // Cells that were not evaluated are NaN and must not affect minimum and maximum.
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
        const reading = narrowToTransport(
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
        const failure = errorFromNative(error);
        // If a user's table is missing or the beam is tilted, return the reason. Plots show it instead of the curve.
        if (failure instanceof BraggError && failure.code !== 'internal')
          return { curve: null, reason: failure.message };
        throw failure;
      }
    },
  };
}

interface BeamParts {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
  readonly files: FileAccess;
  readonly memoryLimit_bytes: number;
  readonly volumes: DoseVolumes;
}

const noOrigin = { name: 'the beam', folder: null };

/** Gives the scenario's beam a placeholder energy, because the result has its own energies. */
function withAnyEnergy(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const {
    spots: _spots,
    range_mm: _range,
    energy_MeV: _energy,
    ...beam
  } = (document['beam'] ?? {}) as Record<string, unknown>;
  return { ...document, beam: { ...beam, energy_MeV: 100 } };
}

async function readMeasuredCurve(file: string, text: string, unit: Parameters<typeof readMeasured>[0]['unit']) {
  const read = await readMeasured({ text, unit });
  if (read.ok) return read.curve;
  const issues = read.faults.map(({ line, message }) => {
    const at = { severity: 'error', file, path: '', line, column: null } as const;
    return { ...at, message, value: null, allowed: null };
  });
  throw new BraggError('invalid', `${file} is not a depth dose`, issues);
}

function requireProblem({ problem, issues }: Reading): TransportProblem {
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (problem === null || errors.length > 0) throw new BraggError('invalid', 'the scenario has errors', errors);
  return problem();
}

export function volumeSource({
  scenarios,
  files,
  volumes,
}: Pick<BeamParts, 'scenarios' | 'files' | 'volumes'>): Pick<Sources, 'volume'> {
  return {
    volume: ({ scenario, file, request }, sink) => {
      const problem = async () =>
        requireProblem(narrowToTransport(await scenarios.check(scenario, await originOf(files, file)), null));
      return volumes.open(problem, request, sink);
    },
  };
}

type BeamHandlers = Pick<Handlers, Extract<keyof Handlers, `beam.${string}` | `volume.${string}`>>;

export function beamHandlers({ addon, scenarios, memoryLimit_bytes, volumes }: BeamParts): BeamHandlers {
  const check = async (document: unknown): Promise<Reading> =>
    narrowToTransport(await scenarios.check(document, noOrigin), null);
  async function requireBeamScenario(document: Readonly<Record<string, unknown>>) {
    const { scenario, issues } = await check(withAnyEnergy(document));
    const wrong = issues.filter(({ severity, path }) => severity === 'error' && /^(beam|physics)/.test(path));
    if (scenario !== null && wrong.length === 0) return scenario;
    throw new BraggError('invalid', 'the cause is the beam or the physics of the scenario', wrong);
  }
  const problemOf = async (document: Readonly<Record<string, unknown>>) => requireProblem(await check(document));
  return {
    'beam.commission': async ({ document, file, text, unit }, signal) => {
      const [curve, { physics }] = [await readMeasuredCurve(file, text, unit), await requireBeamScenario(document)];
      return { ...(await commission({ physics, check, addon }, curve, signal)), notes: [...curve.notes] };
    },
    'beam.sobp': async ({ document, request }, signal) => {
      const scenario = await requireBeamScenario(document);
      return buildSobp({ physics: scenario.physics, check, addon }, scenario, request, { signal });
    },
    'beam.uncertainty': async ({ document, model }, signal) =>
      uncertaintyOf(addon, await problemOf(document), model, signal),
    'beam.volume': async ({ document, request }, signal) =>
      solveVolume({ addon, memoryLimit_bytes }, await problemOf(document), request, signal),
    'volume.slice': ({ volume, across, at_mm, viewport }) => volumes.slice(volume, across, at_mm, viewport),
    'volume.file': ({ volume, ending }) => volumes.file(volume, ending),
  };
}
