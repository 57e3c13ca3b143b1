/** Sections of the form and order of their fields. Titles and texts are from the schema. */

import {
  type JsonSchema,
  type Path,
  type ScenarioKindName,
  schemaOfKind,
  valueAt,
} from '../../../electron/contract/scenario/index.ts';
import type { ScenarioDraft } from '../../../electron/contract/scenario/workload.ts';
import { formatWithUnit, unitOfKey } from '../../../electron/domain/values/units.ts';

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly fields: readonly Path[];
  /** Values in the header of the collapsed section. */
  readonly summary: readonly Path[];
}

const pathsBelow = (head: string, ...keys: readonly string[]): readonly Path[] => keys.map((key) => [head, key]);

const transport: readonly Section[] = [
  {
    id: 'beam',
    title: 'Beam',
    fields: pathsBelow(
      'beam',
      'energy_MeV',
      'range_mm',
      'range_is',
      'spots',
      'energy_sigma_MeV',
      'angle_deg',
      'angle_sigma_mrad',
      'x_mm',
      'x_sigma_mm',
      'x_sigma_is',
      'y_sigma_mm',
      'focus_mm',
      'z_mm',
      'weight',
    ),
    summary: pathsBelow('beam', 'energy_MeV', 'angle_deg'),
  },
  {
    id: 'geometry',
    title: 'Geometry',
    fields: pathsBelow('geometry', 'width_mm', 'depth_mm', 'background', 'regions', 'materials', 'ct'),
    summary: pathsBelow('geometry', 'width_mm', 'depth_mm', 'background'),
  },
  {
    id: 'grid',
    title: 'Grid',
    fields: pathsBelow('grid', 'dx_mm', 'dz_mm', 'dtheta_mrad', 'theta_max_mrad', 'energy', 'cutoff_MeV'),
    summary: pathsBelow('grid', 'dx_mm', 'dz_mm', 'dtheta_mrad'),
  },
  {
    id: 'physics',
    title: 'Physics',
    fields: pathsBelow('physics', 'stopping_power', 'scattering', 'straggling', 'nuclear'),
    summary: pathsBelow('physics', 'stopping_power', 'scattering'),
  },
  {
    id: 'quality',
    title: 'LET and RBE',
    fields: pathsBelow('output', 'gray', 'let', 'spectra_mm', 'alpha_beta_Gy', 'fraction_Gy'),
    summary: pathsBelow('output', 'let', 'alpha_beta_Gy'),
  },
  {
    id: 'solver',
    title: 'Solver',
    fields: [
      ...pathsBelow(
        'solver',
        'variant',
        'stepping',
        'step_mm',
        'precision',
        'remap',
        'max_steps',
        'stop_weight',
        'threads',
      ),
      ['initial'],
      ['output', 'keyframes'],
    ],
    summary: pathsBelow('solver', 'variant', 'stepping', 'precision'),
  },
];

/** Fields of the document rather than its problem. */
const topLevelKeys = ['$schema', 'kind', 'version', 'name', 'notes'];
const MAX_IN_SUMMARY = 3;

const isGroup = (schema: JsonSchema): boolean => schema.type === 'object' && schema.properties !== undefined;

/** Paths of numbers and enumerations below a schema. */
function leafPaths(schema: JsonSchema, path: Path): readonly Path[] {
  const properties = Object.entries(schema.properties ?? {});
  return properties.flatMap(([key, each]) => {
    const here = [...path, key];
    if (isGroup(each)) return leafPaths(each, here);
    return each.type === 'number' || each.type === 'integer' || each.enum !== undefined ? [here] : [];
  });
}

/** Sections derived from the schema: one for each top-level object, and one for all other top-level values. */
function generateSections(schema: JsonSchema): readonly Section[] {
  const entries = Object.entries(schema.properties ?? {}).filter(([key]) => !topLevelKeys.includes(key));
  const single = entries.filter(([, each]) => !isGroup(each)).map(([key]): Path => [key]);
  const groups = entries.filter(([, each]) => isGroup(each));
  return [
    ...(single.length === 0
      ? []
      : [{ id: 'problem', title: 'Problem', fields: single, summary: single.slice(0, MAX_IN_SUMMARY) }]),
    ...groups.map(([key, each]) => ({
      id: key,
      title: each.title ?? key,
      fields: Object.keys(each.properties ?? {}).map((name): Path => [key, name]),
      summary: leafPaths(each, [key]).slice(0, MAX_IN_SUMMARY),
    })),
  ];
}

/** Kinds with a hand-written form layout; layouts of others follow from their schemas. */
const handWrittenSections: Partial<Record<ScenarioKindName, readonly Section[]>> = { transport };

const cachedSections = new Map<ScenarioKindName, readonly Section[]>();

export function sectionsOf(kind: ScenarioKindName): readonly Section[] {
  const known = handWrittenSections[kind] ?? cachedSections.get(kind);
  if (known !== undefined) return known;
  const sections = generateSections(schemaOfKind(kind));
  cachedSections.set(kind, sections);
  return sections;
}

function shownValue(path: Path, value: unknown): string | null {
  if (typeof value === 'number') return formatWithUnit(Number(value.toPrecision(4)), unitOfKey(String(path.at(-1))));
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Text of a collapsed section, such as `70 MeV · 0°`. */
export function sectionSummary(section: Section, draft: ScenarioDraft, resolved: ScenarioDraft | null): string {
  return section.summary
    .map((path) => shownValue(path, valueAt(draft, path) ?? valueAt(resolved, path)))
    .filter((text) => text !== null)
    .join(' · ');
}
