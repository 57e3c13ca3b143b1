export type { Material, Materials } from './materials.ts';
export { type Override, parseOverride } from './overrides.ts';
export { openScenarios, type Place, type Reading, type ScenarioServices, Scenarios } from './scenarios.ts';
export type { GridEstimate } from './transport/index.ts';
export { writeAtomically } from './write-file.ts';
