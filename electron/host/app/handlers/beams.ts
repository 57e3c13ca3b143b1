/** Calls that make beams: spread-out peaks. */
import { BraggError } from '../../../contract/errors.ts';
import type { NativeAddon } from '../../io/addon/addon.ts';
import type { Scenarios } from '../../workloads/scenarios/index.ts';
import { buildSobp } from '../../workloads/transport/beams/sobp.ts';
import { asTransport, type Reading } from '../../workloads/transport/scenario/reading.ts';
import type { Handlers } from '../service/service.ts';

export interface BeamParts {
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

export function beamHandlers({ addon, scenarios }: BeamParts): Pick<Handlers, 'beam.sobp'> {
  const check = async (document: unknown): Promise<Reading> =>
    asTransport(await scenarios.check(document, nowhere), null);
  return {
    'beam.sobp': async ({ document, request }, signal) => {
      const { scenario, issues } = await check(withAnyEnergy(document));
      const wrong = issues.filter(({ severity, path }) => severity === 'error' && /^(beam|physics)/.test(path));
      if (scenario === null || wrong.length > 0) {
        throw new BraggError('invalid', 'the beam or the physics of the scenario is at fault', wrong);
      }
      return buildSobp({ physics: scenario.physics, check, addon }, scenario, request, { signal });
    },
  };
}
