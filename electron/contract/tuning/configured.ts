/** Names of configurations, used in place of variant names: `cuda-gather[kGatherThreads=128;kScoreWarps=8]`. */
import { z } from 'zod';
import { LONGEST_EXPRESSION } from '../study/expression.ts';

const tunableSchema = z.strictObject({
  /** The constant's, as the source has it. */
  name: z.string().regex(/^[A-Za-z_]\w{0,63}$/),
  /** In their natural order: neighbours are tried after each other. */
  values: z
    .array(z.number().int().min(-999_999_999).max(999_999_999).meta({ unit: '1' }))
    .min(1)
    .max(1000),
  /** Effect of the constant in a few words. */
  about: z.string().max(200).default(''),
});
export type Tunable = Readonly<z.infer<typeof tunableSchema>>;

export const spaceShape = {
  tunables: z.array(tunableSchema).max(50),
  /** As those of studies, by the names of the constants: `kTile * kRows <= 1024`. */
  conditions: z.array(z.string().min(1).max(LONGEST_EXPRESSION)).max(100).default([]),
};

/** Values by the names of constants in the variant's source. */
export type Configuration = Readonly<Record<string, number>>;

export interface Configured {
  /** A shipped variant, or a user kernel. */
  readonly variant: string;
  readonly configuration: Configuration;
}

export const LONGEST_CONFIGURED = 1000;
const SHAPE = /^([A-Za-z0-9][\w.-]{0,63})\[([A-Za-z_]\w{0,63}=-?\d{1,9}(?:;[A-Za-z_]\w{0,63}=-?\d{1,9}){0,49})\]$/;

/** Names in order, so that one configuration has one name. */
export function configuredName({ variant, configuration }: Configured): string {
  const parts = Object.entries(configuration)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`);
  return parts.length === 0 ? variant : `${variant}[${parts.join(';')}]`;
}

/** A label without the precision and the GPU that it asks for. */
export const withoutSuffix = (label: string): string => label.replace(/[@:].*$/, '');

/** Null if `id` is not the name of a configuration. */
export function parseConfigured(id: string): Configured | null {
  const [, variant, parts] = (id.length <= LONGEST_CONFIGURED && SHAPE.exec(id)) || [];
  if (variant === undefined || parts === undefined) return null;
  const entries = parts.split(';').map((part) => {
    const at = part.indexOf('=');
    return [part.slice(0, at), Number(part.slice(at + 1))] as const;
  });
  const configuration = Object.fromEntries(entries);
  return Object.keys(configuration).length === entries.length ? { variant, configuration } : null;
}
