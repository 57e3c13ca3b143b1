import { expect, test } from 'vitest';
import { csvText } from '../../../electron/contract/csv.ts';
import { figureCsv } from '../../../renderer/drawing/export/csv.ts';

test('text that a spreadsheet would compute is text, and a line ends where a row does', () => {
  const rows = [
    ['=HYPERLINK("x")', '+1+2', '-2+3', '@SUM(A1)', '\t=1'],
    ['a\rb', 'a\nb', 'a,b', 'a"b', 'plain'],
  ];
  expect(csvText(['a', 'b', 'c', 'd', 'e'], rows)).toBe(
    `a,b,c,d,e\n"'=HYPERLINK(""x"")",'+1+2,'-2+3,'@SUM(A1),'\t=1\n"a\rb","a\nb","a,b","a""b",plain\n`,
  );
});

test('numbers keep their digits and their sign, as numbers and as text', () => {
  expect(csvText(['n'], [[-1.5e-9], ['-2.5'], ['+1e5'], [null], [true]])).toBe('n\n-1.5e-9\n-2.5\n+1e5\n\ntrue\n');
});

test('names of curves in exported figures are text too', () => {
  const depth = { name: 'z', unit: 'mm', shape: [2], values: [0, 1] };
  const curve = { name: '=cmd|"/c calc",x', unit: '', shape: [2], values: [1, 2], axes: ['z'] };
  const [head] = figureCsv([depth, curve] as unknown as Parameters<typeof figureCsv>[0]).split('\n');
  expect(head).toBe(`z_mm,"'=cmd|""/c calc"",x"`);
});
