/** Spread-out Bragg peaks: requested shape and the resulting plan. */
import { z } from 'zod';

const positive = z.number().positive();

export const sobpRequestSchema = z.strictObject({
  /** Depth in water behind the plateau where the dose has fallen to 90 %. */
  range_mm: positive.max(400),
  /** From the proximal to the distal depth at 95 % of the plateau. */
  modulation_mm: positive.max(400),
  /** Between the lateral points at 50 %; 0 is one place. */
  width_mm: z.number().min(0).max(500).default(0),
  /** Between spots across; missing: the spots' standard deviation. */
  spacing_mm: positive.optional(),
  /** Between the ranges of neighbouring layers; missing: a share of their spread. */
  layer_spacing_mm: positive.optional(),
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
  /** Places across, mm. */
  places_mm: z.array(z.number()),
  /** Read from one run of all layers together. */
  plateau: plateauSchema,
  /** Flatness with the weights of Jette and Chen, which the fit began with. */
  firstFlatness: z.number(),
  curve: z.strictObject({ step_mm: z.number(), values: z.array(z.number()) }),
  seconds: z.number(),
});
export type Sobp = z.infer<typeof sobpSchema>;

/** The spots of a built field, of sum 1: each layer at each place. */
export function sobpSpots({ layers, places_mm }: Pick<Sobp, 'layers' | 'places_mm'>) {
  return layers.flatMap(({ energy_MeV, weight }) =>
    places_mm.map((x_mm) => ({
      energy_MeV: Number(energy_MeV.toFixed(3)),
      ...(places_mm.length > 1 ? { x_mm: Number(x_mm.toFixed(4)) } : {}),
      weight: Number((weight / places_mm.length).toPrecision(6)),
    })),
  );
}

export const sobpMethods = {
  /** Builds a spread-out peak for the scenario's beam and physics. */
  'beam.sobp': {
    params: z.strictObject({ document: z.record(z.string(), z.unknown()), request: sobpRequestSchema }),
    result: sobpSchema,
  },
} as const;
