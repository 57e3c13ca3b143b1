import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatPath } from '../../../../electron/contract/scenario/index.ts';
import {
  ExpressionError,
  parseExpression,
  publishedStudySchema,
  validateStudy,
} from '../../../../electron/contract/study/index.ts';

describe('documents of a study', () => {
  const valid = {
    kind: 'study',
    version: 1,
    base: [{ file: 'water-70MeV' }],
    axes: [
      { kind: 'log', path: 'beam.energy_MeV', from: 50, to: 200, count: 5 },
      { kind: 'latin', count: 4, axes: [{ kind: 'between', path: 'grid.dx_mm', from: 0.5, to: 1 }] },
    ],
    conditions: ['beam.energy_MeV < 100'],
  };

  test('the published JSON Schema accepts the same documents as zod', () => {
    const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
    ajv.addVocabulary(['unit']);
    const accepts = ajv.compile(publishedStudySchema());
    expect(accepts(valid)).toBe(true);
    expect(validateStudy(valid).faults).toEqual([]);
    expect(accepts({ ...valid, base: [] })).toBe(false);
  });

  test.each([
    [{ ...valid, kind: 'transport' }, 'kind', /"study"/],
    [{ ...valid, base: [] }, 'base', /has 0 entries/],
    [{ ...valid, axis: [] }, 'axis', /did you mean axes/],
    [{ ...valid, axes: [{ kind: 'rnage', path: 'a' }] }, 'axes[0].kind', /did you mean range/],
    [{ ...valid, axes: [{ kind: 'range', path: 'a', from: 1, to: 2, count: 1.5 }] }, 'axes[0].count', /whole number/],
    [{ ...valid, axes: [{ kind: 'list', path: 'a' }] }, 'axes[0].values', /is missing/],
    [{ ...valid, conditions: ['1 +'] }, 'conditions[0]', /at character 4/],
    [{ ...valid, grids: 'shared', repeats: 5 }, 'repeats', /one by one/],
    [{ ...valid, grids: 'shared', timing: 'alone' }, 'timing', /one by one/],
    [[], '', /is not/],
  ])('%j is rejected with its path', (document, place, message) => {
    const { study, faults } = validateStudy(document);
    expect(study).toBeNull();
    const found = faults.find(({ path }) => formatPath(path) === place);
    expect(found?.message, JSON.stringify(faults)).toMatch(message);
  });
});

const document = { beam: { energy_MeV: 70 }, solver: { variant: 'depth' }, regions: [{ x_mm: 3 }], list: [1] };
const value = (text: string) => parseExpression(text).evaluate(document);

describe('conditions in a study', () => {
  test.each([
    ['1 + 2 * 3 - 4 / 2', 5],
    ['(1 + 2) * 3', 9],
    ['-2 * -3 - 1', 5],
    ['10 - 3 - 2', 5],
    ['beam.energy_MeV / 7 <= 10', true],
    ['solver.variant == "depth" && !(beam.energy_MeV > 100)', true],
    ["solver.variant != 'depth' || regions[0].x_mm == 3", true],
    ['false && nowhere > 1', false],
    ['max(1, min(beam.energy_MeV, 5), 2) % 3', 2],
    ['log2(8) == 3 == true', true],
    ['1.5e1 >= .5', true],
  ])('%s', (text, expected) => expect(value(text)).toBe(expected));

  test.each([
    ['1 +', /"the end": expected a value/],
    ['(1', /"the end": expected \)/],
    ['1 2', /unexpected "2"/],
    ['a ; b', /"; b" cannot be parsed/],
    ['process.exit(1)', /process.exit is not a known function/],
    ['constructor(1)', /constructor is not a known function/],
    ['beam > 1', /beam is not a single value/],
    ['beam.constructor', /beam.constructor is not set for this point/],
    ['beam.missing > 1', /beam.missing is not set for this point/],
    ['solver.variant > 1', /"depth" is not a number/],
    ['1 && true', /1 is neither true nor false/],
    ['('.repeat(300), /nested too deep/],
  ])('%s is rejected', (text, message) => {
    expect(() => value(text)).toThrow(ExpressionError);
    expect(() => value(text)).toThrow(message);
  });

  test('any text evaluates to a value or to an ExpressionError', () => {
    const words = fc.constantFrom(
      '1',
      '(',
      ')',
      '&&',
      '-',
      '!',
      'beam.energy_MeV',
      '<',
      ' ',
      '"',
      ',',
      'min',
      '*',
      '==',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map((all) => all.join('')),
        ),
        (text) => {
          try {
            expect(['number', 'string', 'boolean']).toContain(typeof value(text));
          } catch (error) {
            expect(error).toBeInstanceOf(ExpressionError);
          }
        },
      ),
    );
  });

  test('arithmetic is that of JavaScript', () => {
    const sign = fc.constantFrom('+', '-', '*', '/', '%');
    const number = fc.integer({ min: 0, max: 999 });
    fc.assert(
      fc.property(number, fc.array(fc.tuple(sign, number)), (first, rest) => {
        const text = [first, ...rest.flat()].join(' ');
        expect(value(text)).toBe(new Function(`return ${text}`)());
      }),
    );
  });
});
