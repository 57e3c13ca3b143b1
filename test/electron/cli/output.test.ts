import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { duration, metric, millimetres, short, significant, smallError } from '../../../electron/cli/numbers.ts';
import { bar, ProgressBar } from '../../../electron/cli/progress-bar.ts';
import { progressLine } from '../../../electron/cli/run-progress.ts';
import { displayWidth, pairs, table, wrap } from '../../../electron/cli/table.ts';
import { Terminal } from '../../../electron/cli/terminal.ts';
import { stepWords } from '../../../electron/cli/workloads/transport/index.ts';

/** A stream that keeps what was written. */
function stream(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  return { isTTY, ...(columns === undefined ? {} : { columns }), written, write: (text: string) => written.push(text) };
}

describe('numbers', () => {
  test('have as many digits as mean something', () => {
    expect(
      [0, 1, 0.99999999, 12.345, 123456, 0.012345, 1e-7, 123456789, Number.NaN].map((value) => significant(value, 3)),
    ).toEqual(['0', '1.00', '1.00', '12.3', '123000', '0.0123', '1.00e-7', '1.23e8', '–']);
    expect([80, 0.5, 2 / 3].map((value) => short(value, 3))).toEqual(['80', '0.5', '0.667']);
    expect([0.4, 40.7612, null].map(millimetres)).toEqual(['0.40 mm', '40.76 mm', '–']);
    expect([2e-6, 0.0123, 1.5, 119, 125, 179.7].map(duration)).toEqual([
      '2.00 µs',
      '12.3 ms',
      '1.50 s',
      '119 s',
      '2 min 05 s',
      '3 min 00 s',
    ]);
    expect([12, 1234, 6.2e9].map(metric)).toEqual(['12.0', '1.23 k', '6.20 G']);
    expect([0, 1.234e-9].map(smallError)).toEqual(['0', '1.2e-9']);
  });
});

describe('tables', () => {
  test('line up, also with styles, and end without spaces', () => {
    const bold = (text: string): string => `\u001B[1m${text}\u001B[22m`;
    const lines = table(
      [{ title: 'a' }, { title: 'number', align: 'right' }],
      [
        [bold('long one'), '1'],
        ['b', '20'],
      ],
      { styleTitle: bold },
    );
    expect(lines.map(stripVTControlCharacters)).toEqual(['a         number', 'long one       1', 'b             20']);
  });

  test('wrap their last column to the terminal', () => {
    const lines = table([{ title: 'id' }, { title: 'text' }], [['x', 'some words that are too long for it']], {
      width: 28,
    });
    expect(lines).toEqual(['id  text', 'x   some words that are too', '    long for it']);
    expect(lines.every((line) => displayWidth(line) <= 28)).toBe(true);
  });

  test('of any text keep every word', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[!-~]{1,12}$/)), fc.integer({ min: 5, max: 60 }), (words, width) => {
        const text = words.join(' ');
        expect(wrap(text, width).join(' ')).toBe(text);
      }),
    );
    expect(
      pairs([
        ['a', '1'],
        ['long', '2'],
      ]),
    ).toEqual(['  a     1', '  long  2']);
  });
});

describe('the progress bar', () => {
  test('fills by eighths and keeps its width', () => {
    expect(bar(0, 4)).toBe('░░░░');
    expect(bar(null, 4)).toBe('░░░░');
    expect(bar(0.5, 4)).toBe('██░░');
    expect(bar(0.53125, 4)).toBe('██▏░');
    expect(bar(1, 4)).toBe('████');
    fc.assert(
      fc.property(fc.double({ min: -1, max: 2, noNaN: true }), (fraction) => {
        expect([...bar(fraction)]).toHaveLength(24);
      }),
    );
  });

  test('draws on a terminal only, cut to its width, and cleans up', () => {
    const seen = stream(true, 30);
    const progress = new ProgressBar(new Terminal(stream(true), seen, {}));
    progress.draw('x'.repeat(100));
    progress.draw('too soon');
    progress.clear();
    progress.clear();
    expect(seen.written).toEqual([`\r\u001B[2K${'x'.repeat(28)}…`, '\r\u001B[2K']);
    for (const [tty, environment] of [
      [false, {}],
      [true, { TERM: 'dumb' }],
    ] as const) {
      const silent = stream(tty);
      const other = new ProgressBar(new Terminal(stream(true), silent, environment));
      other.draw('line');
      other.clear();
      expect(silent.written).toEqual([]);
    }
  });

  test('says how far a run is and how long it takes', () => {
    const progress = {
      run: 'r',
      state: 'running',
      eta_s: 0.3,
      elapsed_s: 0.7,
      detail: {
        workload: 'transport',
        step: 86,
        steps_max: 5000,
        depth_mm: 17.31,
        weight_left: 0.998,
        ledger_error: 1e-9,
        steps_per_s: 480.4,
      },
    } as const;
    expect(progressLine(progress, stepWords)).toBe(
      `${bar(0.7)}  70 %  300 ms left  step 86  depth 17.3 mm  99.8 % in flight  480 steps/s`,
    );
    expect(progressLine({ ...progress, eta_s: null }, stepWords)).toBe(
      `${bar(null)}  step 86  depth 17.3 mm  99.8 % in flight  480 steps/s`,
    );
    expect(progressLine({ ...progress, state: 'cancelled' }, stepWords)).toBeNull();
  });
});

describe('colour', () => {
  test.each([
    ['on a terminal', true, {}, true],
    ['not in a pipe', false, {}, false],
    ['not with NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['with an empty NO_COLOR', true, { NO_COLOR: '' }, true],
    ['in a pipe with FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['not with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, false],
    ['not on a dumb terminal', true, { TERM: 'dumb' }, false],
    ['not where both are set', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('%s', (_name, tty, environment, expected) => {
    const terminal = new Terminal(stream(tty), stream(tty), environment);
    expect(terminal.style('red', 'x') !== 'x').toBe(expected);
    expect(terminal.styleSaid('red', 'x') !== 'x').toBe(expected);
  });
});
