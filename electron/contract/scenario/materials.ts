/**
 * The materials that a scenario can name, with what a form shows of them. The
 * full data (composition, stopping power) are in assets/materials; a test holds
 * the two together.
 */
interface MaterialSummary {
  readonly name: string;
  readonly title: string;
  /** Density, g/cm³. */
  readonly density_g_cm3: number;
  /** Mean excitation energy, eV. */
  readonly mean_excitation_eV: number;
  /** Radiation length, g/cm². */
  readonly radiation_length_g_cm2: number;
  /** Scattering length, g/cm². */
  readonly scattering_length_g_cm2: number;
}

function material(
  name: string,
  title: string,
  density_g_cm3: number,
  mean_excitation_eV: number,
  radiation_length_g_cm2: number,
  scattering_length_g_cm2: number,
): MaterialSummary {
  return { name, title, density_g_cm3, mean_excitation_eV, radiation_length_g_cm2, scattering_length_g_cm2 };
}

export const materialNames = [
  'water',
  'air',
  'lung',
  'adipose-icrp',
  'muscle-skeletal',
  'bone-compact-icru',
  'bone-cortical-icrp',
  'pmma',
  'a150',
  'graphite',
  'aluminium',
  'copper',
  'lead',
] as const;

export type MaterialName = (typeof materialNames)[number];

export const materialSummaries: Readonly<Record<MaterialName, MaterialSummary>> = {
  water: material('water', 'Water, liquid', 1, 75, 36.08, 46.88),
  air: material('air', 'Air, dry', 0.00120479, 85.7, 36.62, 46.76),
  lung: material('lung', 'Lung (muscle, inflated)', 0.26, 75.3, 36.81, 47.95),
  'adipose-icrp': material('adipose-icrp', 'Adipose tissue (ICRP)', 0.92, 63.2, 41.73, 56.18),
  'muscle-skeletal': material('muscle-skeletal', 'Muscle, skeletal (ICRP)', 1.05, 75.3, 36.81, 47.95),
  'bone-compact-icru': material('bone-compact-icru', 'Bone, compact (ICRU)', 1.85, 91.9, 30.49, 38.13),
  'bone-cortical-icrp': material('bone-cortical-icrp', 'Bone, cortical (ICRP)', 1.85, 106.4, 27.42, 33.66),
  pmma: material('pmma', 'PMMA (acrylic)', 1.19, 74, 40.55, 53.76),
  a150: material('a150', 'A-150 tissue-equivalent plastic', 1.127, 65.1, 41.86, 56.19),
  graphite: material('graphite', 'Graphite', 1.7, 78, 42.7, 56.34),
  aluminium: material('aluminium', 'Aluminium', 2.699, 166, 24.01, 28.75),
  copper: material('copper', 'Copper', 8.96, 322, 12.86, 14.62),
  lead: material('lead', 'Lead', 11.35, 823, 6.37, 6.63),
};
