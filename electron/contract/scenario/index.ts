/** Scenarios as every process sees them. */
export { scenarioDifferences } from './diff.ts';
export { type ImageGeometry, imageGeometry } from './diffraction/geometry.ts';
export type { DiffractionDocument, DiffractionScenario, DiffractionWithConstants } from './diffraction/index.ts';
export { elementOf, elements, isElement } from './elements.ts';
export { type Fault, fault, missing, unknownVariant, warning } from './fault.ts';
export { allowedText, branchFor, schemaAt, unitOf } from './fields.ts';
export { atomsOf, type Composition, compositionOfAtoms } from './formula.ts';
export { formatIssue, showValue } from './issue-text.ts';
export { type JsonSchema, publishedSchema, schemaOfKind } from './json-schema.ts';
export {
  defaultKind,
  isScenarioKind,
  kindOfDocument,
  newDocument,
  type ScenarioDocument,
  type ScenarioKindName,
  type ScenarioWithConstants,
  scenarioKindNames,
  scenarioKinds,
  scenarioSchema,
  type TaskDocument,
  type TaskScenario,
} from './kinds.ts';
export { type MaterialName, materialNames, materialSummaries } from './materials.ts';
export { asOfToday } from './migrate.ts';
export { formatPath, isWithin, type Path, type PathStep, parsePath, valueAt, withValueAt } from './path.ts';
export { suggest } from './suggest.ts';
export type { TaskValue } from './task/shape.ts';
export { type CtPlacement, huTableSchema } from './transport/ct.ts';
export {
  type CompleteBeam,
  spotsOf,
  type TransportDocument,
  type TransportScenario,
  type TransportWithBeam,
  type TransportWithConstants,
} from './transport/index.ts';
export type { OwnMaterial } from './transport/own-material.ts';
export { type Spot, spotListSchema } from './transport/spots.ts';
export { type Validated, validateScenario } from './validate.ts';
export type { ContractWorkload } from './workload.ts';
export { scenarioTextInSteps, writeScenarioText } from './write.ts';
