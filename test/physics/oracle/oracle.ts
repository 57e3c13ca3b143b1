/**
 * Reads the stored numbers of the oracle, and writes them as a C++ header for the gates there. write.ts makes both
 * files.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

export const SEED = 20240607;
/** Number of protons of each Monte Carlo case, which determines R80 to 0.01 mm at 150 MeV. */
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

type StoredNumbers = z.infer<typeof schema>;

export function readStored(): StoredNumbers {
  return schema.parse(JSON.parse(readFileSync(path.join(import.meta.dirname, 'oracle.json'), 'utf8')));
}

/** The value of a case and its standard deviation, which is 0 for a quadrature. */
export function expected(name: string, quantity: string): { readonly value: number; readonly error: number } {
  const stored = readStored();
  const drawn = stored.monte_carlo.find((one) => one.name === name);
  const value = (drawn ?? stored.quadrature.find((one) => one.name === name))?.value[quantity];
  if (value === undefined) throw new Error(`the oracle has no ${quantity} of ${name}`);
  return { value, error: drawn?.error[quantity] ?? 0 };
}

const number = (value: number): string => String(Number(value.toPrecision(6)));

export function header({ monte_carlo, quadrature }: Pick<StoredNumbers, 'monte_carlo' | 'quadrature'>): string {
  const all = [...monte_carlo, ...quadrature.map((one) => ({ ...one, error: {} as Record<string, number> }))];
  const rows = all.flatMap(({ name, value, error }) =>
    Object.entries(value).map(([key, one]) => `    {"${name}", "${key}", ${number(one)}, ${number(error[key] ?? 0)}},`),
  );
  return `#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

// Generated with oracle.json by write.ts. Results of the plane model, by code independent of the solver. Do not edit.
namespace bb::test::oracle {

struct Expected {
  const char* of;
  const char* quantity;  // the name contains its unit
  double value, error;   // standard deviation; 0 of a quadrature
};

// clang-format off
inline constexpr Expected kExpected[] = {
${rows.join('\n')}
};
// clang-format on

inline Expected expected(std::string_view of, std::string_view quantity) {
  for (const Expected& one : kExpected) {
    if (of == one.of && quantity == one.quantity) return one;
  }
  throw std::invalid_argument("the oracle has no " + std::string(quantity) + " of " + std::string(of));
}

}  // namespace bb::test::oracle
`;
}
