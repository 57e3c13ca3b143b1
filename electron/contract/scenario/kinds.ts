/**
 * List of workloads. A new workload is added by an import and a list entry; everything else is derived from its object.
 */
import { z } from 'zod';
import { diffraction } from './diffraction/index.ts';
import { linearRelu } from './linear-relu/workload.ts';
import { micro } from './micro/index.ts';
import { transport } from './transport/workload.ts';
import { userProblem } from './user-problem/index.ts';
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

/** Workloads by kind. */
export const scenarioKinds = Object.fromEntries(workloads.map((each) => [each.kind, each])) as {
  readonly [W in AnyWorkload as W['kind']]: W;
};

export const scenarioKindNames: readonly ScenarioKindName[] = workloads.map(({ kind }) => kind);

/** Kind of new documents, and of documents that do not state a kind. */
export const defaultKind = workloads[0].kind;

/** Kinds of scenarios whose runs measure several variants instead of computing a result. */
export type TaskKind = Extract<AnyWorkload, { runs: 'measurements' }>['kind'];
export const taskKinds = workloads.flatMap((each): readonly TaskKind[] =>
  each.runs === 'measurements' ? [each.kind] : [],
);

type PropertyTuple<All extends readonly ContractWorkload[], P extends keyof ContractWorkload> = {
  readonly [I in keyof All]: All[I][P];
};

/** Returns one property of each workload, in the order of the list. */
export function propertyOfWorkloads<P extends keyof ContractWorkload>(part: P) {
  return workloads.map((each) => each[part]) as unknown as PropertyTuple<Workloads, P>;
}

export function isScenarioKind(name: unknown): name is ScenarioKindName {
  return typeof name === 'string' && Object.hasOwn(scenarioKinds, name);
}

/** Returns the kind that a document states, or the default kind if it states no known one. */
export function kindOfDocument(document: Readonly<Record<string, unknown>>): ScenarioKindName {
  const { kind } = document;
  return isScenarioKind(kind) ? kind : defaultKind;
}

export function newDocument(kind: ScenarioKindName): Record<string, unknown> {
  const { version, fresh } = scenarioKinds[kind];
  return { kind, version, ...fresh };
}

/** Schema of scenario files of all kinds. */
export const scenarioSchema = z.discriminatedUnion('kind', propertyOfWorkloads('schema'));

/** Document as written in a file, in which keys with defaults may be absent. */
export type ScenarioDocument = z.input<typeof scenarioSchema>;

/** Document with constant defaults filled in, but without defaults that depend on other fields. */
export type ScenarioWithStaticDefaults = z.output<typeof scenarioSchema>;

/** Scenario of a small measured workload, whose `problem` is a flat object. */
export type TaskScenario = Extract<ScenarioWithStaticDefaults, { kind: TaskKind }>;
export type TaskDocument = Extract<ScenarioDocument, { kind: TaskKind }>;
