/** Parameters that several rows of the claim ledger have. */
import { z } from 'zod';
import { count } from '../quantity.ts';

/** Number of elements of an array, FP32 unless stated otherwise. */
export const elements = (description: string, usual: number, max = 1_000_000_000) =>
  count({ title: 'Elements', description, min: 1, max }).default(usual);

/** A whole number with a default. */
export const number = (title: string, description: string, [min, usual, max]: readonly [number, number, number]) =>
  count({ title, description, min, max }).default(usual);

/** The parameters of one row. */
export function row<K extends string, S extends z.core.$ZodLooseShape>(kind: K, title: string, shape: S) {
  return z.strictObject({ kind: z.literal(kind), ...shape }).meta({ title });
}
