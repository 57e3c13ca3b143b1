/**
 * Parts shared by the schemas of all scenarios: bounded numbers with units, the first fields of the file, file names
 * relative to the scenario, and the variant to run.
 */
import { z } from 'zod';
import type { Unit } from '../../domain/values/units.ts';
import { MAX_CONFIGURED_LENGTH } from '../tuning/configured.ts';

interface QuantityDescription {
  /** Label of the field in a form. */
  readonly title: string;
  /** Meaning of the field and its effect on the result, in one or two sentences. */
  readonly description: string;
  readonly unit: Unit;
  /** Smallest and largest allowed value, inclusive. */
  readonly min: number;
  readonly max: number;
}

/** Schema of a finite number from `min` to `max`. */
export function quantity({ min, max, ...meta }: QuantityDescription): z.ZodNumber {
  return z.number().min(min).max(max).meta(meta);
}

/** Schema of an integer from `min` to `max`. */
export function count({ min, max, ...meta }: Omit<QuantityDescription, 'unit'>): z.ZodNumber {
  return z
    .int()
    .min(min)
    .max(max)
    .meta({ ...meta, unit: '1' });
}

/** Schema of an interval [from, to] with from < to. */
export function interval(meta: QuantityDescription) {
  const { min, max, unit, title, description } = meta;
  const end = z.number().min(min).max(max).meta({ unit });
  return z
    .tuple([end, end])
    .refine(([from, to]) => from < to, {
      error: 'runs backwards',
      params: { allowed: 'two numbers [from, to] with from < to' },
    })
    .meta({ title, description });
}

/** Fields at the beginning of the file, before `kind` and `version`. */
export const editorShape = {
  $schema: z
    .string()
    .max(2000)
    .meta({ title: 'JSON Schema', description: 'Location of the JSON Schema for editors.' })
    .optional(),
};

/** Fields that follow `kind` and `version` in the file. */
export const namingShape = {
  name: z
    .string()
    .max(200)
    .meta({ title: 'Name', description: 'Name of this scenario in lists and titles.' })
    .default(''),
  notes: z
    .string()
    .max(20_000)
    .meta({ title: 'Notes', description: 'Notes on the purpose and origin of this scenario.' })
    .default(''),
};

/** Schema of a relative path that does not leave the scenario file's folder. */
export function companionFile(meta: {
  readonly title: string;
  readonly description: string;
  readonly example: string;
}) {
  return z
    .string()
    .min(1)
    .max(500)
    .regex(/^(?![/\\])(?!.*(?:^|[/\\])\.\.(?:[/\\]|$))(?!.*[:\\\0]).+$/)
    .meta({
      title: meta.title,
      description: `${meta.description} The path is relative to this file, uses '/', and stays inside its folder.`,
      $comment: `a relative path inside the scenario's folder, such as ${meta.example}`,
    });
}

/** Schema of a variant name or `auto`; `description` explains which variant `auto` selects. */
export function variantName(description: string) {
  return z
    .string()
    .min(1)
    .max(MAX_CONFIGURED_LENGTH)
    .regex(/^(?:[a-z0-9][a-z0-9-]{0,63}|[A-Za-z0-9][\w.-]{0,59}\.(?:cu|cpp|py))(?:\[[\w=;-]+\])?$/)
    .meta({
      title: 'Variant',
      description: `Variant that solves the scenario. ${description}; my.cu or my.cpp is a user kernel next to this file, and name[kTile=16] sets other constants.`,
      $comment:
        'lower-case letters, digits and hyphens, such as auto; or a file name that ends in .cu, .cpp or .py; optionally followed by constants in []',
    })
    .default('auto');
}
