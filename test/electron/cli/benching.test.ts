import { expect, test } from 'vitest';
import { parseArguments } from '../../../electron/cli/arguments.ts';
import { roundsAsked } from '../../../electron/cli/benching.ts';
import { bench } from '../../../electron/cli/verbs/bench.ts';

const asked = (...words: readonly string[]) => roundsAsked(parseArguments(['scenario', ...words], bench.flags));

test('what ends a session, and what the same means, are the user’s', () => {
  expect(asked()).toEqual({
    mostRounds: 100_000,
    mostSeconds: 60,
    mostInstances: Number.POSITIVE_INFINITY,
    precision: null,
    margin: 0.01,
  });
  expect(asked('--precision', '0.5%', '--margin', '2 %', '--instances', '12', '--rounds', '9')).toMatchObject({
    mostRounds: 9,
    mostInstances: 12,
    precision: 0.005,
    margin: 0.02,
  });
});

test.each(['0.5', '0%', '51%', 'a%', '-1%'])('a precision of %s is refused with what is allowed', (text) => {
  expect(() => asked(`--precision=${text}`)).toThrow(
    /--precision: ".*" is not a percentage from 0.01% to 50%, such as 0.5%/,
  );
});

test.each([
  ['90', 90],
  ['90s', 90],
  ['5m', 300],
  ['1.5 min', 90],
  ['1h', 3600],
])('a time of %s is %s seconds', (text, seconds) => {
  expect(asked(`--time=${text}`).mostSeconds).toBe(seconds);
});

test.each(['5x', '-1', '', '2d', '25h', '1e3'])('a time of %j is refused with what is allowed', (text) => {
  expect(() => asked(`--time=${text}`)).toThrow(
    /--time: ".*" is not allowed; allowed: 0 to 86400 seconds, such as 90, 90s, 5m or 1h/,
  );
});
