/** Calls that make beams: spread-out peaks, and beams from measured depth doses. */
import { BraggError } from '../../../contract/errors.ts';
import type { NativeAddon, TransportProblem } from '../../io/addon/addon.ts';
import type { Scenarios } from '../../workloads/scenarios/index.ts';
import { commission } from '../../workloads/transport/beams/commission.ts';
import { readMeasured } from '../../workloads/transport/beams/commission-fit.ts';
import { buildSobp } from '../../workloads/transport/beams/sobp.ts';
import { uncertaintyOf } from '../../workloads/transport/beams/uncertainty.ts';
import { solveVolume } from '../../workloads/transport/beams/volume.ts';
import { asTransport, type Reading } from '../../workloads/transport/scenario/reading.ts';
import type { Handlers } from '../service/service.ts';

interface BeamParts {
  readonly addon: NativeAddon;
  readonly scenarios: Scenarios;
}

const nowhere = { name: 'the beam', folder: null };

/** The scenario's beam with some energy: what is made has energies of its own. */
function withAnyEnergy(document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const {
    spots: _spots,
    range_mm: _range,
    energy_MeV: _energy,
    ...beam
  } = (document['beam'] ?? {}) as Record<string, unknown>;
  return { ...document, beam: { ...beam, energy_MeV: 100 } };
}

async function measured(file: string, text: string, unit: Parameters<typeof readMeasured>[0]['unit']) {
  const read = await readMeasured({ text, unit });
  if (read.ok) return read.curve;
  const issues = read.faults.map(({ line, message }) => {
    const at = { severity: 'error', file, path: '', line, column: null } as const;
    return { ...at, message, value: null, allowed: null };
  });
  throw new BraggError('invalid', `${file} is no depth dose`, issues);
}

export function beamHandlers({
  addon,
  scenarios,
}: BeamParts): Pick<Handlers, 'beam.sobp' | 'beam.commission' | 'beam.uncertainty' | 'beam.volume'> {
  const check = async (document: unknown): Promise<Reading> =>
    asTransport(await scenarios.check(document, nowhere), null);
  async function ready(document: Readonly<Record<string, unknown>>) {
    const { scenario, issues } = await check(withAnyEnergy(document));
    const wrong = issues.filter(({ severity, path }) => severity === 'error' && /^(beam|physics)/.test(path));
    if (scenario !== null && wrong.length === 0) return scenario;
    throw new BraggError('invalid', 'the beam or the physics of the scenario is at fault', wrong);
  }
  async function problemOf(document: Readonly<Record<string, unknown>>): Promise<TransportProblem> {
    const { problem, issues } = await check(document);
    const errors = issues.filter(({ severity }) => severity === 'error');
    if (problem === null || errors.length > 0) throw new BraggError('invalid', 'the scenario has errors', errors);
    return problem();
  }
  return {
    'beam.commission': async ({ document, file, text, unit }, signal) => {
      const [curve, { physics }] = [await measured(file, text, unit), await ready(document)];
      return commission({ physics, check, addon }, curve, signal);
    },
    'beam.sobp': async ({ document, request }, signal) => {
      const scenario = await ready(document);
      return buildSobp({ physics: scenario.physics, check, addon }, scenario, request, { signal });
    },
    'beam.uncertainty': async ({ document, model }, signal) =>
      uncertaintyOf(addon, await problemOf(document), model, signal),
    'beam.volume': async ({ document, request }, signal) =>
      solveVolume(addon, await problemOf(document), request, signal),
  };
}
