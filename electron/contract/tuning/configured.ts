/**
 * Configurations: variants with values for their tunable constants. Their names are used like those of variants:
 * `cuda-gather[kGatherThreads=128;kScoreWarps=8]`. The compiler option `fmad` is written like a constant;
 * `cuda-gather[fmad=0]` rounds products and sums separately.
 */
import { z } from 'zod';
import { MAX_EXPRESSION_LENGTH } from '../../domain/values/expression.ts';

const tunableSchema = z
  .strictObject({
    /** Name of the constant in the source. */
    name: z
      .string()
      .regex(/^[A-Za-z_]\w{0,63}$/)
      .meta({ title: 'Name', $comment: 'a letter or _, then letters, digits and _' }),
    /** Values in their natural order, because a search moves from a value to its neighbours. */
    values: z
      .array(z.number().int().min(-999_999_999).max(999_999_999).meta({ unit: '1' }))
      .min(1)
      .max(1000)
      .meta({ title: 'Values', description: 'Values that tuning tries.' }),
    /** Effect of the constant, in a few words. */
    about: z.string().max(200).meta({ title: 'About' }).default(''),
  })
  .meta({ title: 'Tunable' });
export type Tunable = Readonly<z.infer<typeof tunableSchema>>;

export const searchSpaceShape = {
  tunables: z
    .array(tunableSchema)
    .max(50)
    .meta({ title: 'Tunables', description: 'Constants in the source code that tuning may change.' }),
  /** Conditions over the names of the constants, written as in studies: `kTile * kRows <= 1024`. */
  conditions: z
    .array(z.string().min(1).max(MAX_EXPRESSION_LENGTH))
    .max(100)
    .meta({ title: 'Conditions', description: 'Conditions on the tunables, such as "kTile * kRows <= 1024".' })
    .default([]),
};

/** Values of constants, by their names in the variant's source. */
export type Configuration = Readonly<Record<string, number>>;

export interface ConfiguredVariant {
  /** Id of a built-in variant or of a user kernel. */
  readonly variant: string;
  readonly configuration: Configuration;
}

export const MAX_CONFIGURED_LENGTH = 1000;
const CONFIGURED_PATTERN =
  /^([A-Za-z0-9][\w.-]{0,63})\[([A-Za-z_]\w{0,63}=-?\d{1,9}(?:;[A-Za-z_]\w{0,63}=-?\d{1,9}){0,49})\]$/;

/** Name of a configuration. Constants are sorted, so that each configuration has one name. */
export function configuredName({ variant, configuration }: ConfiguredVariant): string {
  const parts = Object.entries(configuration)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`);
  return parts.length === 0 ? variant : `${variant}[${parts.join(';')}]`;
}

/** Name under which the compiler option appears among the constants. */
const FMAD = 'fmad';

/**
 * Separates the compiler option `fmad` from the constants; undefined if it is not set. If the source has a tunable of
 * that name, it is a constant instead. Null if the value is neither 0 nor 1.
 */
export function splitFmad(
  configuration: Configuration,
  tunables: readonly Pick<Tunable, 'name'>[],
): { readonly constants: Configuration; readonly fmad: boolean | undefined } | null {
  const { [FMAD]: fmad, ...constants } = configuration;
  if (fmad === undefined || tunables.some(({ name }) => name === FMAD))
    return { constants: configuration, fmad: undefined };
  return fmad === 0 || fmad === 1 ? { constants, fmad: fmad === 1 } : null;
}

/** Removes the precision and the GPU from a label. */
export const variantOfLabel = (label: string): string => label.replace(/[@:].*$/, '');

/** Parses the name of a configuration; null if `id` has another form. */
export function parseConfigured(id: string): ConfiguredVariant | null {
  const [, variant, parts] = (id.length <= MAX_CONFIGURED_LENGTH && CONFIGURED_PATTERN.exec(id)) || [];
  if (variant === undefined || parts === undefined) return null;
  const entries = parts.split(';').map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at), Number(part.slice(at + 1))] as const;
  });
  const configuration = Object.fromEntries(entries);
  return Object.keys(configuration).length === entries.length ? { variant, configuration } : null;
}
