/** `braggbench claims` as a program of its own. */
import { expect, test } from 'vitest';
import { braggbenchHere } from './command.ts';

test('prints one line a claim, the count of answers, and each claim in full on request', async () => {
  const [text, json, table, one, unknown] = await Promise.all([
    braggbenchHere(['claims']),
    braggbenchHere(['claims', '--json']),
    braggbenchHere(['claims', '--markdown']),
    braggbenchHere(['claims', 'transport/all-together']),
    braggbenchHere(['claims', 'transport/all-togehter']),
  ]);
  const { rows } = JSON.parse(json.stdout) as {
    rows: { row: number; claims: { answer: { word: string } }[] }[];
  };
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 32 }, (_, i) => i + 1));
  const words = rows.flatMap(({ claims }) => claims.map(({ answer }) => answer.word));
  const count = (...wanted: readonly string[]) => words.filter((word) => wanted.includes(word)).length;
  expect(text.stdout.split('\n')[0]).toBe(
    `${count('true')} true, ${count('true-when')} true when, ${count('not-true')} not true, ${count('cannot-judge', 'not-measured')} open of ${words.length} claims`,
  );
  // A heading of three lines, a line each, and two lines of advice.
  expect(text.stdout.trimEnd().split('\n')).toHaveLength(words.length + 5);
  expect(text.stdout).toMatch(
    /^latency\/shared {2,}Shared memory answers in 1–2 cycles {2,}not true: 23 cycles instead/m,
  );
  expect(one.stdout).toMatch(/^All of it together: true when /);
  expect(one.stdout).toMatch(/^10–100× +[\d.]+× +[\d.]+–[\d.]+ +(less|as claimed|more) +cuda-scatter/m);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    'error "transport/all-togehter" is not a known claim (did you mean transport/all-together?); braggbench claims lists them\n',
  ]);
  const lines = table.stdout.split('\n').filter((line) => line.includes('| A launch costs'));
  expect(lines).toHaveLength(1);
});
