/** Spread-out Bragg peaks: requested shape and the resulting plan. */
import { z } from 'zod';

const positiveNumber = z.number().positive();

/**
 * Objective when fitting the layer weights: the flattest plateau, small second differences of the weights, or weights
 * per mm of range that decrease from layer to layer.
 */
export const weightKinds = ['flattest', 'smooth', 'monotone'] as const;
export type WeightKind = (typeof weightKinds)[number];

/** Largest number of energies in a list. */
const MAX_ENERGIES = 1000;

const HIGHEST_MEV = 1000;

type ParsedEnergies =
  | { readonly ok: true; readonly energies_MeV: readonly number[] }
  | { readonly ok: false; readonly reason: string };

/**
 * Parses energies in MeV, separated by commas, blanks or line breaks. If the text contains semicolons, commas are
 * decimal marks. `#` begins a comment.
 */
export function parseEnergies(text: string): ParsedEnergies {
  const refused = (reason: string): ParsedEnergies => ({ ok: false, reason });
  const energies_MeV: number[] = [];
  const plain = text.replace(/#.*/g, '');
  const lines = (plain.includes(';') ? plain.replaceAll(',', '.') : plain).split(/\r\n?|\n/);
  const header = lines.findIndex((line) => line.trim() !== '');
  for (const [index, line] of lines.entries()) {
    if (index === header && /^[\s"]*(energy|energie|e)?_?[\s([]*MeV[\s)\]"]*$/i.test(line)) continue;
    if (lines.length > 1 && /^\s*\d+,\d+\s*$/.test(line)) {
      return refused(
        `line ${index + 1}: ${line.trim()} contains two energies or a decimal comma; allowed: one energy per line, with a decimal point`,
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
  /** Depth in water, distal to the plateau, at which the dose is 90 % of the plateau dose. */
  range_mm: positiveNumber.max(400),
  /** Distance from the proximal to the distal depth with 95 % of the plateau dose. */
  modulation_mm: positiveNumber.max(400),
  /** Lateral distance between the points with 50 % of the dose; 0 puts all spots on the beam axis. */
  width_mm: z.number().min(0).max(500).default(0),
  /** Distance between neighbouring spots across the beam; by default, the standard deviation of a spot. */
  spacing_mm: positiveNumber.optional(),
  /** Distance between the ranges of neighbouring layers; by default, a fraction of their range spread. */
  layer_spacing_mm: positiveNumber.optional(),
  /** Energies that the machine can deliver; layers use no others. Not allowed together with `layer_spacing_mm`. */
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
  /** Lateral positions of the spots, mm. */
  places_mm: z.array(z.number()),
  /** Properties of the plateau, computed by one run with all layers. */
  plateau: plateauSchema,
  /** Flatness with the analytical weights of Jette and Chen, from which the fit starts. */
  firstFlatness: z.number(),
  curve: z.strictObject({ step_mm: z.number(), values: z.array(z.number()) }),
  seconds: z.number(),
});
export type Sobp = z.infer<typeof sobpSchema>;

/** Returns one spot for each layer and lateral position; all weights add up to 1. */
export function spotsOfSobp({ layers, places_mm }: Pick<Sobp, 'layers' | 'places_mm'>) {
  return layers.flatMap(({ energy_MeV, weight }) =>
    places_mm.map((x_mm) => ({
      energy_MeV: Number(energy_MeV.toFixed(3)),
      ...(places_mm.length > 1 ? { x_mm: Number(x_mm.toFixed(4)) } : {}),
      weight: Number((weight / places_mm.length).toPrecision(6)),
    })),
  );
}

/** Sentence about the deviation from the requested range if the machine's energies do not reach it; otherwise null. */
export function rangeDeviationText({ plateau }: Sobp, { range_mm, energies_MeV }: SobpRequest): string | null {
  if (energies_MeV === undefined || Math.abs(plateau.r90_mm - range_mm) < 0.05) return null;
  return `Requested R90 ${range_mm} mm: the nearest available energy gives ${plateau.r90_mm.toFixed(2)} mm.`;
}

export const sobpMethods = {
  /** Plans a spread-out Bragg peak with the scenario's beam and physics. */
  'beam.sobp': {
    params: z.strictObject({ document: z.record(z.string(), z.unknown()), request: sobpRequestSchema }),
    result: sobpSchema,
  },
} as const;
