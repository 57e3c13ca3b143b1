export { engineIssue, engineRefusal } from './engine-issue.ts';
export type { Material, Materials } from './materials.ts';
export { type Override, parseOverride } from './overrides.ts';
export type { AnyReading, DiffractionReading, Reading, TaskReading, TransportReading } from './reading.ts';
export { openScenarios, type Place, problemOf, refusalOf, type ScenarioServices, Scenarios } from './scenarios.ts';
export type { GridEstimate } from './transport/index.ts';
export { checkWritable, renameToFreeName, writeAtomically } from './write-file.ts';
