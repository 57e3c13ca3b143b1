/** The form's sections, and the order of the fields in them. Titles and words come from the schema. */
import type { Path } from '../../../electron/contract/scenario/index.ts';
import { valueAt } from '../../../electron/contract/scenario/index.ts';
import type { ScenarioDraft } from '../../../electron/contract/scenarios.ts';
import { unitOfKey, withUnit } from '../../../electron/contract/units.ts';

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly fields: readonly Path[];
  /** Values that the closed section shows. */
  readonly summary: readonly Path[];
}

const below = (head: string, ...keys: readonly string[]): readonly Path[] => keys.map((key) => [head, key]);

export const sections: readonly Section[] = [
  {
    id: 'beam',
    title: 'Beam',
    fields: below(
      'beam',
      'energy_MeV',
      'energy_sigma_MeV',
      'angle_deg',
      'angle_sigma_mrad',
      'x_mm',
      'x_sigma_mm',
      'z_mm',
      'weight',
    ),
    summary: below('beam', 'energy_MeV', 'angle_deg'),
  },
  {
    id: 'geometry',
    title: 'Geometry',
    fields: below('geometry', 'width_mm', 'depth_mm', 'background', 'regions'),
    summary: below('geometry', 'width_mm', 'depth_mm', 'background'),
  },
  {
    id: 'grid',
    title: 'Grid',
    fields: below('grid', 'dx_mm', 'dz_mm', 'dtheta_mrad', 'theta_max_mrad', 'energy', 'cutoff_MeV'),
    summary: below('grid', 'dx_mm', 'dz_mm', 'dtheta_mrad'),
  },
  {
    id: 'physics',
    title: 'Physics',
    fields: below('physics', 'stopping_power', 'scattering', 'straggling', 'nuclear'),
    summary: below('physics', 'stopping_power', 'scattering'),
  },
  {
    id: 'solver',
    title: 'Solver',
    fields: [
      ...below('solver', 'variant', 'stepping', 'step_mm', 'precision', 'remap', 'max_steps', 'stop_weight', 'threads'),
      ['initial'],
      ['output', 'keyframes'],
    ],
    summary: below('solver', 'variant', 'stepping', 'precision'),
  },
];

function shownValue(path: Path, value: unknown): string | null {
  if (typeof value === 'number') return withUnit(Number(value.toPrecision(4)), unitOfKey(String(path.at(-1))));
  return typeof value === 'string' && value !== '' ? value : null;
}

/** `70 MeV · 0°`: what a closed section says. */
export function sectionSummary(section: Section, draft: ScenarioDraft, resolved: ScenarioDraft | null): string {
  return section.summary
    .map((path) => shownValue(path, valueAt(draft, path) ?? valueAt(resolved, path)))
    .filter((text) => text !== null)
    .join(' · ');
}
