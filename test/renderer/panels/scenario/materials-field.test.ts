import { describe, expect, test } from 'vitest';
import { atomsOf } from '../../../../electron/contract/scenario/index.ts';
import { compositionText, madeOf } from '../../../../renderer/panels/scenario/materials-field.tsx';

const rest = { name: 'a', density_g_cm3: 1 };

describe('what a material is made of, in one line', () => {
  test.each([
    ['C5H8O2', { formula: 'C5H8O2' }],
    ['H 0.112, O 0.888', { composition: { H: 0.112, O: 0.888 } }],
    ['H: 0.112; O=0.888', { composition: { H: 0.112, O: 0.888 } }],
    ['H 0.112, O much', { composition: { H: 0.112, O: 'much' } }],
    ['CO', { formula: 'CO' }],
    ['nothing known', { formula: 'nothing known' }],
    ['', { formula: '' }],
  ])('%j', (text, expected) => {
    expect(madeOf({ ...rest, formula: 'H2O' }, text, atomsOf)).toEqual({ ...rest, ...expected });
  });

  test.each([['C5H8O2'], ['H 0.112, O 0.888']])('%s comes back as it was typed', (text) => {
    expect(compositionText(madeOf(rest, text, atomsOf))).toBe(text);
  });
});
