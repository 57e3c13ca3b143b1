import { expect, test } from 'vitest';
import { parseArguments } from '../../../electron/cli/arguments.ts';
import { roundsAsked } from '../../../electron/cli/benching.ts';
import { bench } from '../../../electron/cli/verbs/bench.ts';

const asked = (...words: readonly string[]) => roundsAsked(parseArguments(['scenario', ...words], bench.flags));

test('what ends a session, and what the same means, are the user’s', () => {
  expect(asked()).toEqual({
    mostRounds: 100,
    mostSeconds: 60,
    mostInstances: Number.POSITIVE_INFINITY,
    precision: 0.01,
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
