/** The workloads of the contract: a further one is one import and one name in the list. All else works from its object. */
import { z } from 'zod';
import { diffraction } from './diffraction/workload.ts';
import { linearRelu } from './linear-relu/workload.ts';
import { micro } from './micro/workload.ts';
import { transport } from './transport/workload.ts';
import { userProblem } from './user-problem/workload.ts';
import type { ContractWorkload } from './workload.ts';

const workloads = [
  transport,
  diffraction,
  linearRelu,
  userProblem,
  micro,
] as const satisfies readonly ContractWorkload[];
type Workloads = typeof workloads;
type AnyWorkload = Workloads[number];

export type ScenarioKindName = AnyWorkload['kind'];

/** By name. */
export const scenarioKinds = Object.fromEntries(workloads.map((each) => [each.kind, each])) as {
  readonly [W in AnyWorkload as W['kind']]: W;
};

export const scenarioKindNames: readonly ScenarioKindName[] = workloads.map(({ kind }) => kind);

/** Kind of a new document, and of one that names none. */
export const defaultKind = workloads[0].kind;

/** The kinds whose runs are measurements. */
export type TaskKind = Extract<AnyWorkload, { runs: 'measurements' }>['kind'];
export const taskKinds = workloads.flatMap((each): readonly TaskKind[] =>
  each.runs === 'measurements' ? [each.kind] : [],
);

type Each<All extends readonly ContractWorkload[], P extends keyof ContractWorkload> = {
  readonly [I in keyof All]: All[I][P];
};

/** The same part of every workload, in their order. */
export function eachWorkloads<P extends keyof ContractWorkload>(part: P) {
  return workloads.map((each) => each[part]) as unknown as Each<Workloads, P>;
}

export function isScenarioKind(name: unknown): name is ScenarioKindName {
  return typeof name === 'string' && Object.hasOwn(scenarioKinds, name);
}

/** The kind that a document names; the first of all where it names none that is known. */
export function kindOfDocument(document: Readonly<Record<string, unknown>>): ScenarioKindName {
  const { kind } = document;
  return isScenarioKind(kind) ? kind : defaultKind;
}

export function newDocument(kind: ScenarioKindName): Record<string, unknown> {
  const { version, fresh } = scenarioKinds[kind];
  return { kind, version, ...fresh };
}

/** Any scenario as a file holds it. */
export const scenarioSchema = z.discriminatedUnion('kind', eachWorkloads('schema'));

/** Document as written in a file: omitted keys get their defaults. */
export type ScenarioDocument = z.input<typeof scenarioSchema>;

/** With the defaults that are plain constants. */
export type ScenarioWithConstants = z.output<typeof scenarioSchema>;

/** Small measured workloads: their problem is flat. */
export type TaskScenario = Extract<ScenarioWithConstants, { kind: TaskKind }>;
export type TaskDocument = Extract<ScenarioDocument, { kind: TaskKind }>;
