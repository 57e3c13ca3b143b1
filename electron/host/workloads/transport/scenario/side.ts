/** Transport's side of reading scenarios. */
import type { TransportDocument } from '../../../../contract/scenario/index.ts';
import { ofKind, type ScenarioSide } from '../../scenarios/side.ts';
import { readTransport } from './index.ts';

export const transportScenario: ScenarioSide = {
  files: (any) => {
    const { physics, beam, geometry } = ofKind(['transport'], any);
    const { stopping_power } = physics;
    const spots = beam.spots === undefined || Array.isArray(beam.spots) ? [] : [beam.spots.file];
    const ct = geometry.ct === undefined ? [] : [geometry.ct.file];
    return [...(typeof stopping_power === 'string' ? [] : [stopping_power.file]), ...spots, ...ct];
  },
  find: async (any, value, leftOut, place, known) => {
    const filled = ofKind(['transport'], any);
    const services = { ...known, variants: known.variants(filled.kind).map(({ id }) => id) };
    const found = await readTransport(filled, value, leftOut, place, services);
    const { scenario, estimate, range_mm, waterRange_mm, table, ct, problem, ...rest } = found;
    const numbers = { scenario, estimate, range_mm, waterRange_mm, table: table.title, ct };
    return {
      ...rest,
      reading: ({ draft, document, issues, valid, locate }) => ({
        kind: filled.kind,
        draft,
        document: document as TransportDocument | null,
        issues,
        ...numbers,
        problem: valid ? problem : null,
        locate,
      }),
    };
  },
};
