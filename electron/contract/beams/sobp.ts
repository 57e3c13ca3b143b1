/** Spread-out Bragg peaks: requested shape and the resulting plan. */
import { z } from 'zod';

const positiveNumber = z.number().positive();

/**
 * Objective of the fit: flattest dose, small changes of weight between layers, or weights per mm that fall from layer
 * to layer.
 */
export const weightKinds = ['flattest', 'smooth', 'monotone'] as const;
export type WeightKind = (typeof weightKinds)[number];

/** Limit on the length of a list of energies. */
const MAX_ENERGIES = 1000;

const HIGHEST_MEV = 1000;

type ReadEnergies =
  | { readonly ok: true; readonly energies_MeV: readonly number[] }
  | { readonly ok: false; readonly reason: string };

/**
 * Parses energies in MeV, separated by commas, blanks or lines. Next to semicolons, commas are decimal marks. `#`
 * begins a comment.
 */
export function readEnergies(text: string): ReadEnergies {
  const refused = (reason: string): ReadEnergies => ({ ok: false, reason });
  const energies_MeV: number[] = [];
  const plain = text.replace(/#.*/g, '');
  const lines = (plain.includes(';') ? plain.replaceAll(',', '.') : plain).split(/\r\n?|\n/);
  const header = lines.findIndex((line) => line.trim() !== '');
  for (const [index, line] of lines.entries()) {
    if (index === header && /^[\s"]*(energy|energie|e)?_?[\s([]*MeV[\s)\]"]*$/i.test(line)) continue;
    if (lines.length > 1 && /^\s*\d+,\d+\s*$/.test(line)) {
      return refused(
        `line ${index + 1}: ${line.trim()} is two energies or has a decimal comma; allowed: decimal points`,
      );
    }
    for (const word of line.split(/[\s,;]+/).filter((part) => part !== '')) {
      const energy = Number(word);
      if (!(energy > 0 && energy <= HIGHEST_MEV)) {
        return refused(
          `line ${index + 1}: ${word} is not an energy; allowed: above 0 to ${HIGHEST_MEV} MeV, without a unit`,
        );
      }
      energies_MeV.push(energy);
    }
  }
  if (energies_MeV.length === 0) return refused('no energies; allowed: energies in MeV, such as 70, 72.5, 75');
  if (energies_MeV.length > MAX_ENERGIES) {
    return refused(`${energies_MeV.length} energies; allowed: at most ${MAX_ENERGIES}`);
  }
  return { ok: true, energies_MeV };
}

export const sobpRequestSchema = z.strictObject({
  /** Depth in water beyond the plateau at which the dose has fallen to 90 %. */
  range_mm: positiveNumber.max(400),
  /** Distance from the proximal to the distal depth at 95 % of the plateau. */
  modulation_mm: positiveNumber.max(400),
  /** Distance between the lateral points at 50 %; 0 means a single lateral position. */
  width_mm: z.number().min(0).max(500).default(0),
  /** Distance between neighbouring spots across the beam; if absent, the standard deviation of the spots. */
  spacing_mm: positiveNumber.optional(),
  /** Distance between the ranges of neighbouring layers; if absent, a share of their spread. */
  layer_spacing_mm: positiveNumber.optional(),
  /** Energies that the machine provides, the only ones that layers may have. Excludes `layer_spacing_mm`. */
  energies_MeV: z.array(positiveNumber.max(HIGHEST_MEV)).min(1).max(MAX_ENERGIES).optional(),
  weights: z.enum(weightKinds).default('flattest'),
});
export type SobpRequest = z.input<typeof sobpRequestSchema>;

const plateauSchema = z.strictObject({
  flatness: z.number(),
  r90_mm: z.number(),
  r80_mm: z.number(),
  m95_mm: z.number(),
  falloff_mm: z.number(),
});

const sobpSchema = z.strictObject({
  /** Highest energy first. */
  layers: z.array(z.strictObject({ energy_MeV: z.number(), weight: z.number() })),
  /** Positions of the spots across the beam, mm. */
  places_mm: z.array(z.number()),
  /** Measured in one run of all layers together. */
  plateau: plateauSchema,
  /** Flatness with the analytical weights of Jette and Chen, the starting point of the fit. */
  firstFlatness: z.number(),
  curve: z.strictObject({ step_mm: z.number(), values: z.array(z.number()) }),
  seconds: z.number(),
});
export type Sobp = z.infer<typeof sobpSchema>;

/** Returns the spots of a field, each layer at each lateral position; the weights add up to 1. */
export function sobpSpots({ layers, places_mm }: Pick<Sobp, 'layers' | 'places_mm'>) {
  return layers.flatMap(({ energy_MeV, weight }) =>
    places_mm.map((x_mm) => ({
      energy_MeV: Number(energy_MeV.toFixed(3)),
      ...(places_mm.length > 1 ? { x_mm: Number(x_mm.toFixed(4)) } : {}),
      weight: Number((weight / places_mm.length).toPrecision(6)),
    })),
  );
}

/** Deviation from the requested range if a machine's energies cannot reach it; otherwise null. */
export function rangeOff({ plateau }: Sobp, { range_mm, energies_MeV }: SobpRequest): string | null {
  if (energies_MeV === undefined || Math.abs(plateau.r90_mm - range_mm) < 0.05) return null;
  return `Requested R90 ${range_mm} mm: the nearest available energy gives ${plateau.r90_mm.toFixed(2)} mm.`;
}

export const sobpMethods = {
  /** Builds a spread-out peak for the scenario's beam and physics. */
  'beam.sobp': {
    params: z.strictObject({ document: z.record(z.string(), z.unknown()), request: sobpRequestSchema }),
    result: sobpSchema,
  },
} as const;
