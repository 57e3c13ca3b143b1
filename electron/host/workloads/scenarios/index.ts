export { checkWritable, renameToFreeName, writeAtomically } from '../../io/files/write-file.ts';
export type { Material, Materials } from '../../model/scenarios/materials.ts';
export { type Override, parseOverride } from '../../model/scenarios/overrides.ts';
export type { GridEstimate } from '../transport/scenario/index.ts';
export { engineIssue, engineRefusal } from './engine-issue.ts';
export type { AnyReading, DiffractionReading, Reading, TaskReading, TransportReading } from './reading.ts';
export { openScenarios, type Place, problemOf, refusalOf, type ScenarioServices, Scenarios } from './scenarios.ts';
