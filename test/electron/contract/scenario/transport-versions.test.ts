import { expect, test } from 'vitest';
import { newDocument, validateScenario, valueAt } from '../../../../electron/contract/scenario/index.ts';

const beam = { energy_MeV: 150 };
const nuclearOf = (document: Readonly<Record<string, unknown>>): unknown => {
  const found = validateScenario({ kind: 'transport', beam, ...document });
  expect(found.faults).toEqual([]);
  return valueAt(found.document, ['physics', 'nuclear']);
};

test('a scenario of version 1 keeps what it meant: no reactions unless it asks for them', () => {
  expect(nuclearOf({ version: 1 })).toBe('off');
  expect(nuclearOf({ version: 1, physics: { straggling: 'off' } })).toBe('off');
  expect(nuclearOf({ version: 1, physics: { nuclear: 'attenuation' } })).toBe('attenuation');
});

test('reactions are followed unless a scenario of version 2 says otherwise, and in a new one', () => {
  expect(nuclearOf({ version: 2 })).toBeUndefined();
  expect(nuclearOf({ version: 2, physics: { nuclear: 'off' } })).toBe('off');
  expect(newDocument('transport')['version']).toBe(2);
});

test('physics that are none are told as such in either version', () => {
  for (const version of [1, 2]) {
    for (const physics of ['off', 3, [], null]) {
      const { faults } = validateScenario({ kind: 'transport', version, beam, physics });
      expect(faults.map((fault) => fault.path)).toEqual([['physics']]);
    }
  }
});
