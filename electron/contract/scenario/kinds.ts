/**
 * The kinds of scenario. A further workload is one schema and one entry here;
 * everything else in this folder works from the entry.
 */
import { z } from 'zod';
import {
  type DiffractionDocument,
  type DiffractionScenario,
  type DiffractionWithConstants,
  diffractionSchema,
} from './diffraction/index.ts';
import { type LinearReluDocument, type LinearReluScenario, linearReluSchema } from './linear-relu/index.ts';
import { type MicroDocument, type MicroScenario, microSchema } from './micro/index.ts';
import type { Path } from './path.ts';
import {
  type TransportDocument,
  type TransportScenario,
  type TransportWithConstants,
  transportSchema,
} from './transport/index.ts';

/** Rewrites a document of one version as the next. Gets and returns plain JSON; never mutates. */
export type Migration = (document: Readonly<Record<string, unknown>>) => Record<string, unknown>;

export interface ScenarioKind {
  readonly title: string;
  readonly schema: z.ZodType;
  /** The version that this program writes. */
  readonly version: number;
  /** `migrations[v]` takes version v to v + 1. */
  readonly migrations: Readonly<Record<number, Migration>>;
  /**
   * A value for every required key that has no default. They stand in for values
   * at fault so that the checks which do not use them can run; never computed with.
   */
  readonly standIns: readonly { readonly path: Path; readonly value: unknown }[];
  /** What a new document holds beside kind and version: as little as is worth running. */
  readonly fresh: Readonly<Record<string, unknown>>;
  /** Values of one of its parameters that are worth a sweep, as the user types them. */
  readonly sweepExample: string;
}

/** The kind that a document names; the first of all where it names none that is known. */
export function kindOfDocument(document: Readonly<Record<string, unknown>>): ScenarioKindName {
  const { kind } = document;
  return isScenarioKind(kind) ? kind : defaultKind;
}

export const scenarioKinds = {
  transport: {
    title: 'Proton transport',
    schema: transportSchema,
    version: 1,
    migrations: {},
    standIns: [{ path: ['beam', 'energy_MeV'], value: 100 }],
    fresh: { beam: { energy_MeV: 70 } },
    sweepExample: 'grid.dx_mm=1,0.5,0.25',
  },
  diffraction: {
    title: 'X-ray diffraction',
    schema: diffractionSchema,
    version: 1,
    migrations: {},
    standIns: [{ path: ['crystal', 'lattice'], value: { kind: 'cell', a_A: 100, b_A: 100, c_A: 100 } }],
    fresh: {
      beam: { wavelength_A: 6.2 },
      crystal: { lattice: { kind: 'cell', a_A: 100, b_A: 100, c_A: 100 }, cells: { a: 5, b: 5, c: 5 } },
      structure_factors: { default_electrons: 100 },
    },
    sweepExample: 'detector.width=128,256,512',
  },
  'linear-relu': {
    title: 'Linear layer with ReLU',
    schema: linearReluSchema,
    version: 1,
    migrations: {},
    standIns: (['batch', 'inputs', 'outputs'] as const).map((size) => ({ path: ['problem', size], value: 1 })),
    fresh: { problem: { batch: 256, inputs: 256, outputs: 512 } },
    sweepExample: 'problem.batch=64,256,1024',
  },
  micro: {
    title: 'Small workloads',
    schema: microSchema,
    version: 1,
    migrations: {},
    standIns: [{ path: ['problem'], value: { kind: 'launch' } }],
    fresh: { problem: { kind: 'launch' } },
    sweepExample: 'problem.steps=10,100,1000',
  },
} as const satisfies Record<string, ScenarioKind>;

export type ScenarioKindName = keyof typeof scenarioKinds;

export const scenarioKindNames = Object.keys(scenarioKinds) as readonly ScenarioKindName[];

export function newDocument(kind: ScenarioKindName): Record<string, unknown> {
  const { version, fresh } = scenarioKinds[kind];
  return { kind, version, ...fresh };
}

/** Kind of a new document, and of one that names none. */
export const defaultKind: ScenarioKindName = 'transport';

export function isScenarioKind(name: unknown): name is ScenarioKindName {
  return typeof name === 'string' && Object.hasOwn(scenarioKinds, name);
}

/** Any scenario as a file holds it. */
export const scenarioSchema = z.discriminatedUnion('kind', [
  transportSchema,
  diffractionSchema,
  linearReluSchema,
  microSchema,
]);

/** What a file may hold: keys that were left out take their defaults. */
export type ScenarioDocument = TransportDocument | DiffractionDocument | LinearReluDocument | MicroDocument;

/** With the defaults that are plain constants. */
export type ScenarioWithConstants =
  | TransportWithConstants
  | DiffractionWithConstants
  | LinearReluScenario
  | MicroScenario;

/** Every value present. */
export type CompleteScenario = TransportScenario | DiffractionScenario | LinearReluScenario | MicroScenario;

/** Small measured workloads: their problem is flat. */
export type TaskScenario = LinearReluScenario | MicroScenario;
export type TaskDocument = LinearReluDocument | MicroDocument;
