/**
 * Numbers of the plane model that no code of the product had a hand in. Writes oracle.json and expected.hpp, for the
 * gates in TypeScript and C++:
 *
 *   node test/physics/oracle/oracle.ts && npm run format
 *
 * Five minutes on one core. oracle.test.ts holds program and files together.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { protonCases, spreadCases } from './cases.ts';
import { drawn, integrated, type Values } from './evaluate.ts';
import { header } from './header.ts';
import { PROTONS, SEED, SHORT_PROTONS } from './stored.ts';

const rounded = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Number(value.toPrecision(9))]));

const stored = {
  program: 'test/physics/oracle/oracle.ts',
  model: 'plane model, PSTAR (ICRU 49), Bohr straggling, Gottschalk scattering power, no nuclear reactions',
  seed: SEED,
  protons: PROTONS,
  short_protons: SHORT_PROTONS,
  monte_carlo: protonCases.map((one) => {
    const long = drawn(one, one.times * PROTONS, SEED);
    console.log(one.name, long.value['r80_mm']?.toFixed(3), '±', long.error['r80_mm']?.toFixed(3));
    return {
      name: one.name,
      ...one.setup,
      value: rounded(long.value),
      error: rounded(long.error),
      short: rounded(drawn(one, SHORT_PROTONS, SEED).value),
    };
  }),
  quadrature: spreadCases.map((one) => ({ ...one, value: rounded(integrated(one)) })),
};

const place = (name: string): string => path.join(import.meta.dirname, name);
writeFileSync(place('oracle.json'), `${JSON.stringify(stored, null, 2)}\n`);
writeFileSync(place('expected.hpp'), header(stored));
