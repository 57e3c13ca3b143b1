/** Bounded numbers with a unit: the leaves of every scenario schema. */
import { z } from 'zod';
import type { Unit } from '../units.ts';

interface QuantityDescription {
  /** Label of the field in a form. */
  readonly title: string;
  /** One or two sentences: what it is, what it does to the result. */
  readonly description: string;
  readonly unit: Unit;
  /** Smallest and largest allowed value, both included. */
  readonly min: number;
  readonly max: number;
}

/** A finite number from `min` to `max`. */
export function quantity({ min, max, ...meta }: QuantityDescription): z.ZodNumber {
  return z.number().min(min).max(max).meta(meta);
}

/** A whole number from `min` to `max`. */
export function count({ min, max, ...meta }: Omit<QuantityDescription, 'unit'>): z.ZodNumber {
  return z
    .int()
    .min(min)
    .max(max)
    .meta({ ...meta, unit: '1' });
}

/** An interval [from, to] with from < to. */
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
