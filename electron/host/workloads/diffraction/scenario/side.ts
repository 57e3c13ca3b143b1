/** Diffraction's side of reading scenarios. */
import type { DiffractionDocument } from '../../../../contract/scenario/index.ts';
import { ofKind, type ScenarioSide } from '../../scenarios/side.ts';
import { readDiffraction } from './index.ts';

export const diffractionScenario: ScenarioSide = {
  files: (any) => {
    const { file } = ofKind(['diffraction'], any).structure_factors;
    return file === undefined ? [] : [file];
  },
  find: async (any, _value, leftOut, place, { variants, memoryLimit_bytes }) => {
    const filled = ofKind(['diffraction'], any);
    const services = { variants: variants(filled.kind).map(({ id }) => id), memoryLimit_bytes };
    const { scenario, reflections, problem, ...found } = await readDiffraction(filled, leftOut, place, services);
    return {
      ...found,
      warnings: () => Promise.resolve([]),
      reading: ({ draft, document, issues, valid, locate }) => ({
        kind: filled.kind,
        draft,
        document: document as DiffractionDocument | null,
        issues,
        scenario,
        reflections,
        problem: valid ? problem : null,
        locate,
      }),
    };
  },
};
