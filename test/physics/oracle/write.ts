/**
 * Writes oracle.json and expected.hpp for the gates in TypeScript and C++: numbers of the plane model, calculated
 * without any code of the product.
 *
 *   node test/physics/oracle/write.ts && npm run format
 *
 * Needs ten minutes on one core, so no test may import it. oracle.test.ts checks that program and files agree.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { integrateCase, protonCases, simulateCase, spreadCases, type Values } from './evaluate.ts';
import { header, PROTONS, SEED, SHORT_PROTONS } from './oracle.ts';

const roundValues = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Number(value.toPrecision(9))]));

const storedOracle = {
  program: 'test/physics/oracle/write.ts',
  model: 'plane model, PSTAR (ICRU 49), Bohr straggling, Gottschalk scattering power, no nuclear reactions',
  seed: SEED,
  protons: PROTONS,
  short_protons: SHORT_PROTONS,
  monte_carlo: protonCases.map((one) => {
    const long = simulateCase(one, one.times * PROTONS, SEED);
    console.log(one.name, long.value['r80_mm']?.toFixed(3), '±', long.error['r80_mm']?.toFixed(3));
    return {
      name: one.name,
      ...one.setup,
      value: roundValues(long.value),
      error: roundValues(long.error),
      short: roundValues(simulateCase(one, SHORT_PROTONS, SEED).value),
    };
  }),
  quadrature: spreadCases.map((one) => ({ ...one, value: roundValues(integrateCase(one)) })),
};

const pathOf = (name: string): string => path.join(import.meta.dirname, name);
writeFileSync(pathOf('oracle.json'), `${JSON.stringify(storedOracle, null, 2)}\n`);
writeFileSync(pathOf('expected.hpp'), header(storedOracle));
