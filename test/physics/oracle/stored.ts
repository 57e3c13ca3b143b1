/** The stored numbers of the oracle. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

export const SEED = 20240607;
/** Protons of each Monte Carlo case: R80 to 0.01 mm at 150 MeV. */
export const PROTONS = 100_000;
/** Protons per case that the test simulates again, with the same seeds. */
export const SHORT_PROTONS = 400;

const values = z.record(z.string(), z.number());
const schema = z.object({
  seed: z.number(),
  protons: z.number(),
  short_protons: z.number(),
  monte_carlo: z.array(z.object({ name: z.string(), value: values, error: values, short: values })),
  quadrature: z.array(z.object({ name: z.string(), value: values })),
});

export type Stored = z.infer<typeof schema>;

export function readStored(): Stored {
  return schema.parse(JSON.parse(readFileSync(path.join(import.meta.dirname, 'oracle.json'), 'utf8')));
}

/** The value of a case and its standard deviation; 0 of a quadrature. */
export function expected(name: string, quantity: string): { readonly value: number; readonly error: number } {
  const stored = readStored();
  const drawn = stored.monte_carlo.find((one) => one.name === name);
  const value = (drawn ?? stored.quadrature.find((one) => one.name === name))?.value[quantity];
  if (value === undefined) throw new Error(`the oracle has no ${quantity} of ${name}`);
  return { value, error: drawn?.error[quantity] ?? 0 };
}
