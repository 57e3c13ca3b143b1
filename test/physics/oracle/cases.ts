/** Cases of the oracle. */
import type { Setup } from './protons.ts';

export interface ProtonCase {
  readonly name: string;
  readonly setup: Setup;
  /** Standard deviation of the stopping depth, mm, roughly: bins and fits go by it. */
  readonly scale_mm: number;
  /** Bins reach this far, mm. */
  readonly reach_mm: number;
  /** The peak lies behind this depth, mm. */
  readonly peak_from_mm: number;
  readonly columns: readonly (readonly [number, number])[];
  readonly planes_mm: readonly number[];
  /** Protons, in units of those of the others. */
  readonly times: number;
}

export interface SpreadCase {
  readonly name: string;
  readonly material: string;
  readonly energy_MeV: number;
  readonly sigma_MeV: number;
}

const EVERYWHERE = [-1000, 1000] as const;

const WATER = {
  70: { scale_mm: 0.47, reach_mm: 46, peak_from_mm: 30 },
  90: { scale_mm: 0.71, reach_mm: 70, peak_from_mm: 50 },
  150: { scale_mm: 1.7, reach_mm: 172, peak_from_mm: 120 },
} as const;

type Change = Partial<Omit<Setup, 'beam'>> & Partial<Setup['beam']> & Partial<Omit<ProtonCase, 'name' | 'setup'>>;

function beam(name: string, energy_MeV: keyof typeof WATER, change: Change = {}): ProtonCase {
  return {
    name,
    setup: {
      beam: {
        energy_MeV,
        angle_deg: change.angle_deg ?? 0,
        x_mm: change.x_mm ?? 0,
        x_sigma_mm: change.x_sigma_mm ?? 0,
      },
      background: change.background ?? 'water',
      regions: change.regions ?? [],
      box_x_mm: change.box_x_mm ?? EVERYWHERE,
      scattering: change.scattering ?? true,
    },
    scale_mm: change.scale_mm ?? WATER[energy_MeV].scale_mm,
    reach_mm: change.reach_mm ?? WATER[energy_MeV].reach_mm,
    peak_from_mm: change.peak_from_mm ?? WATER[energy_MeV].peak_from_mm,
    columns: change.columns ?? [],
    planes_mm: change.planes_mm ?? [],
    times: change.times ?? 1,
  };
}

const slab = (material: string, from: number, to: number): Pick<Setup, 'regions'> => ({
  regions: [{ material, x_mm: EVERYWHERE, z_mm: [from, to] }],
});

const TILTS_DEG = [0, 10, 30, 45] as const;
/** Places of a beam in a box that ends at 20 mm. */
export const EDGES_MM = [19.9, 19.5, 19, 18] as const;

export const protonCases: readonly ProtonCase[] = [
  ...([90, 150] as const).flatMap((energy) =>
    TILTS_DEG.map((angle_deg) => beam(`tilt-${energy}MeV-${angle_deg}deg`, energy, { angle_deg })),
  ),
  // Along its axis the front of a wide beam is sheared by the entry plane.
  beam('tilt-90MeV-30deg-wide', 90, { angle_deg: 30, x_sigma_mm: 2, scale_mm: 1.2 }),
  beam('slab-bone-150MeV', 150, { ...slab('bone-compact-icru', 40, 60), planes_mm: [70, 100] }),
  beam('slab-lead-150MeV', 150, { ...slab('lead', 20, 26), reach_mm: 160, peak_from_mm: 80, planes_mm: [30, 60, 90] }),
  beam('thin-lead-70MeV', 70, { ...slab('lead', 10, 10.1), planes_mm: [12, 20, 30] }),
  beam('thin-lead-70MeV-off-planes', 70, { ...slab('lead', 10.07, 10.17), planes_mm: [12, 20, 30] }),
  beam('half-slab-bone-150MeV', 150, {
    regions: [{ material: 'bone-compact-icru', x_mm: [0, 1000], z_mm: [40, 60] }],
    x_sigma_mm: 5,
    columns: [
      [-15, -5],
      [5, 15],
    ],
    planes_mm: [80],
  }),
  beam('lead-150MeV', 150, { background: 'lead', scale_mm: 0.5, reach_mm: 30, peak_from_mm: 18 }),
  // Along a side of the box, through which protons leave.
  ...([70, 150] as const).flatMap((energy) =>
    EDGES_MM.map((x_mm) => {
      const times = energy === 150 && x_mm > 19 ? 4 : 1;
      return beam(`edge-${energy}MeV-${x_mm}mm`, energy, { x_mm, x_sigma_mm: 0.4, box_x_mm: [-20, 20], times });
    }),
  ),
];

const spreadCase = (material: string, energy_MeV: number, share: number): SpreadCase => ({
  name: `${material}-${energy_MeV}MeV${share > 0 ? `-spread-${100 * share}%` : ''}`,
  material,
  energy_MeV,
  sigma_MeV: share * energy_MeV,
});

export const spreadCases: readonly SpreadCase[] = [
  ...[30, 65, 70, 90, 110, 150, 210].map((energy) => spreadCase('water', energy, 0)),
  ...[70, 150, 210].flatMap((energy) => [0.005, 0.01, 0.02].map((share) => spreadCase('water', energy, share))),
  spreadCase('pmma', 140, 0),
];
