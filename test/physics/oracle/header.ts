/** The stored numbers as a C++ header. */
import type { Stored } from './stored.ts';

const number = (value: number): string => String(Number(value.toPrecision(6)));

export function header({ monte_carlo, quadrature }: Pick<Stored, 'monte_carlo' | 'quadrature'>): string {
  const all = [...monte_carlo, ...quadrature.map((one) => ({ ...one, error: {} as Record<string, number> }))];
  const rows = all.flatMap(({ name, value, error }) =>
    Object.entries(value).map(([key, one]) => `    {"${name}", "${key}", ${number(one)}, ${number(error[key] ?? 0)}},`),
  );
  return `#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

// Made by oracle.ts, with oracle.json: what the plane model gives, by code of its own. Do not edit.
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
