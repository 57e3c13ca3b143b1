/** `braggbench claims` as a program of its own. */
import { expect, test } from 'vitest';
import { braggbenchHere } from './command.ts';

test('the claims as text, as JSON and as a table: 32 rows, what was recorded beside what is claimed', async () => {
  const [text, json, table] = await Promise.all([
    braggbenchHere(['claims']),
    braggbenchHere(['claims', '--json']),
    braggbenchHere(['claims', '--markdown']),
  ]);
  const { rows } = JSON.parse(json.stdout) as {
    rows: { row: number; claims: { findings: { session: string }[] }[] }[];
  };
  expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 32 }, (_, i) => i + 1));
  expect(rows[24]?.claims[0]?.findings.length).toBeGreaterThan(0);
  expect(text.stdout).toMatch(/^25 {2}All of it together gives 10–100×$/m);
  expect(text.stdout).toMatch(/^ *10–100× +[\d.]+× +[\d.]+–[\d.]+ +(less|as claimed|more) +cuda-scatter/m);
  // Values of a sweep as the scenario has them.
  expect(text.stdout).toMatch(/sweep-launch\.json at 100$/m);
  expect(text.stdout).toMatch(/sweep-elementwise\.json at 10000000$/m);
  // What one sweep leaves out is no line of its own, and no verdict beside what was measured.
  const lines = table.stdout.split('\n').map((line) => line.split(' | ').slice(1, 3).join(' | '));
  expect(new Set(lines.filter((line) => line.startsWith('A launch costs'))).size).toBe(1);
  expect(table.stdout).not.toMatch(/, not measured|not measured, /);
  expect(table.stdout).not.toMatch(/ ([\d.]+)–\1 /);
  expect(table.stdout).toMatch(/^\| 25 \| All of it together \| 10–100× \| [\d.–]+× \|/m);
});

test('its earlier name still works, and is not offered', async () => {
  const [earlier, now, help] = await Promise.all([
    braggbenchHere(['ledger', '--markdown']),
    braggbenchHere(['claims', '--markdown']),
    braggbenchHere(['--help']),
  ]);
  expect(earlier.stdout).toBe(now.stdout);
  expect(help.stdout).toMatch(/^ *claims /m);
  expect(help.stdout).not.toMatch(/^ *ledger /m);
});
