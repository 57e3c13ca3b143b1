/**
 * Files that the command line writes. An existing file is replaced only with a flag; otherwise the error is reported
 * before any work.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  flagNumber,
  flagOneOf,
  flagValue,
  hasFlag,
  parseArguments,
  UsageError,
} from '../../../electron/cli/arguments.ts';
import { forceFlag, writeOutput } from '../../../electron/cli/output-file.ts';
import { formatBar, ProgressBar, progressLine } from '../../../electron/cli/progress-bar.ts';
import { displayWidth, formatPairs, formatTable, wrap } from '../../../electron/cli/table.ts';
import { Terminal } from '../../../electron/cli/terminal.ts';
import { transportProgressTexts } from '../../../electron/cli/workloads/transport/index.ts';
import { measuredTime } from '../../../electron/domain/measured.ts';
import {
  compactCount,
  millimetres,
  plainDigits,
  plainError,
  shortNumberText,
} from '../../../electron/domain/numbers.ts';
import { scratchFolder } from '../../scratch-folder.ts';
import { assetsFolder } from '../host/small-run.ts';
import { braggbenchInProcess, type CommandResult, environmentWith } from './command.ts';

const flags = [
  { name: 'out', value: 'FILE', help: '' },
  { name: 'set', value: 'path=value', repeats: true, help: '' },
  { name: 'json', help: '' },
  { name: 'port', value: 'N', help: '' },
] as const;

describe('arguments of the command line', () => {
  test('values follow a space or an equals sign; operands may be anywhere', () => {
    const parsed = parseArguments(
      ['a.json', '--set', 'x=1', '--out=b.h5', '--json', '--set=y=2', 'c.json', '--', '--d'],
      flags,
    );
    expect(parsed.operands).toEqual(['a.json', 'c.json', '--d']);
    expect(parsed.flags.get('set')).toEqual(['x=1', 'y=2']);
    expect(flagValue(parsed, 'out')).toBe('b.h5');
    expect(hasFlag(parsed, 'json')).toBe(true);
    expect(hasFlag(parsed, 'help')).toBe(false);
    expect(flagValue(parsed, 'port')).toBeUndefined();
  });

  test('a value may begin with a dash', () => {
    expect(parseArguments(['--set', 'beam.x_mm=-3', '--out', '-'], flags).flags.get('out')).toEqual(['-']);
  });

  test('-h asks for help', () => {
    expect(hasFlag(parseArguments(['-h'], flags), 'help')).toBe(true);
  });

  test.each([
    [['--jsn'], '--jsn is not a known flag (did you mean --json?); allowed: --out, --set, --json, --port, --help'],
    [['-x'], '-x is not a known flag; allowed: --out, --set, --json, --port, --help'],
    [['--out'], '--out needs a value: --out FILE'],
    [['--json=1'], '--json takes no value, but got "1"'],
    [['--out', 'a', '--out', 'b'], '--out may be given only once'],
  ])('%j is rejected', (words, message) => {
    expect(() => parseArguments(words, flags)).toThrow(new UsageError(message));
  });

  test('an enumerated option accepts only its allowed words, and defaults to the first', () => {
    const allowed = ['left', 'right'] as const;
    expect(flagOneOf(parseArguments([], flags), 'out', allowed)).toBe('left');
    expect(flagOneOf(parseArguments(['--out', 'right'], flags), 'out', allowed)).toBe('right');
    expect(() => flagOneOf(parseArguments(['--out', 'up'], flags), 'out', allowed)).toThrow(
      '--out up is not known; allowed: left, right',
    );
  });

  test('numbers are checked against their bounds', () => {
    const number = (text: string) =>
      flagNumber(parseArguments(['--port', text], flags), 'port', { min: 0, max: 65_535, whole: true });
    expect(number('80')).toBe(80);
    expect(flagNumber(parseArguments([], flags), 'port', { min: 0, max: 1 })).toBeUndefined();
    for (const text of ['-1', '65536', '1.5', 'many', '', ' ', 'NaN']) {
      expect(() => number(text)).toThrow(
        `--port: ${JSON.stringify(text)} is not allowed; allowed: a whole number, 0 to 65535`,
      );
    }
  });
});

describe('an output file', () => {
  const recorded = path.join(assetsFolder, 'runs', 'h200-uniform-grid-70MeV.json');
  const traced = path.join(assetsFolder, 'runs', 'h200-uniform-grid-70MeV-cuda-fused.h5');
  const PRECIOUS = 'work of a week';

  const folder = scratchFolder('output');
  const inFolder = (name: string): string => path.join(folder, name);
  const call = (words: readonly string[]): Promise<CommandResult> =>
    braggbenchInProcess(words, { cwd: folder, environment: environmentWith(inFolder('home')) });

  /**
   * Every verb and flag that writes a file: the command, and the file's name. None of the runs may begin, since they
   * would need minutes.
   */
  const writes: readonly (readonly [string, readonly string[], string])[] = [
    ['run', ['run', 'water-150MeV', '--set', 'grid.dx_mm=0.1', '--out', 'run.h5'], 'run.h5'],
    ['run of an image', ['run', 'simple-cubic-1024', '--out', 'image.h5'], 'image.h5'],
    ['run of a measurement', ['run', 'layer-1024', '--out', 'layer.json'], 'layer.json'],
    ['bench', ['bench', 'water-150MeV', '--out', 'session.json'], 'session.json'],
    ['report', ['report', recorded, '-o', 'report.html'], 'report.html'],
    ['replay', ['replay', recorded, '-o', 'figures'], 'figures/roofline.svg'],
    ['export --trace', ['export', traced, '--trace', 'trace.json'], 'trace.json'],
    ['export --image', ['export', traced, '--image', 'image.tif'], 'image.tif'],
    ['export --map', ['export', traced, '--map', 'dose.nrrd'], 'dose.nrrd'],
    ['export --samples', ['export', recorded, '--samples', 'samples.csv'], 'samples.csv'],
  ];

  describe.for(writes)('%s', ([, words, file]) => {
    beforeAll(async () => {
      await mkdir(path.dirname(inFolder(file)), { recursive: true });
      await writeFile(inFolder(file), PRECIOUS);
    });

    test('is not overwritten if it exists; the message names the flag that permits it', async () => {
      const { code, stdout, stderr } = await call(words);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`${path.basename(file)} cannot be written: it already exists`);
      expect(stderr).toContain('Choose another name, or overwrite it with --force');
      expect(await readFile(inFolder(file), 'utf8')).toBe(PRECIOUS);
    });
  });

  test.for([
    ['report', recorded, '-o', 'report.html'],
    ['replay', recorded, '-o', 'figures'],
    ['export', traced, '--trace', 'trace.json'],
    ['export', traced, '--map', 'dose.nrrd'],
    ['export', recorded, '--samples', 'samples.csv'],
  ])('is replaced with --force: %s', async (words) => {
    const [, , , out = ''] = words;
    const file = out === 'figures' ? 'figures/roofline.svg' : out;
    const { code, stderr } = await call([...words, '--force']);
    expect(code, stderr).toBe(0);
    expect(await readFile(inFolder(file), 'utf8')).not.toBe(PRECIOUS);
  });

  test('is not overwritten if it appears while the command works', async () => {
    const file = inFolder('late.json');
    await writeFile(file, PRECIOUS);
    const requested = parseArguments([], [forceFlag]);
    await expect(writeOutput(requested, file, 'new')).rejects.toMatchObject({
      code: 'exists',
      message: expect.stringContaining('--force'),
    });
    expect(await readFile(file, 'utf8')).toBe(PRECIOUS);
    await writeOutput(parseArguments(['--force'], [forceFlag]), file, 'new');
    expect(await readFile(file, 'utf8')).toBe('new');
  });
});

/** A stream that records its output. */
function recordingStream(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  return { isTTY, ...(columns === undefined ? {} : { columns }), written, write: (text: string) => written.push(text) };
}

describe('printed numbers', () => {
  test('have only significant digits', () => {
    expect(
      [0, 1, 0.99999999, 12.345, 123456, 0.012345, 1e-7, 123456789, Number.NaN].map((value) => plainDigits(value, 3)),
    ).toEqual(['0', '1.00', '1.00', '12.3', '123000', '0.0123', '1.00e-7', '1.23e8', '–']);
    expect([80, 0.5, 2 / 3].map((value) => shortNumberText(value, 3))).toEqual(['80', '0.5', '0.667']);
    expect([0.4, 40.7612, null].map(millimetres)).toEqual(['0.40 mm', '40.76 mm', '–']);
    expect([2e-6, 0.0123, 1.5, 119, 125, 179.7].map(measuredTime)).toEqual([
      '2.00 µs',
      '12.3 ms',
      '1.50 s',
      '119 s',
      '2 min 05 s',
      '3 min 00 s',
    ]);
    expect([12, 1234, 999_600, 6.2e9].map(compactCount)).toEqual(['12', '1.23 k', '1.00 M', '6.20 G']);
    expect([0, 1.234e-9].map(plainError)).toEqual(['0', '1.2e-9']);
  });
});

describe('a scenario with hostile text', () => {
  // Hostile text from a security audit of this program: terminal escape sequences, a right-to-left override, a
  // spreadsheet formula, and markup.
  const evil = path.join(import.meta.dirname, 'cases', 'evil.json');
  const folder = scratchFolder('evil');
  const call = (...words: readonly string[]): Promise<CommandResult> =>
    braggbenchInProcess(words, { cwd: folder, environment: environmentWith(path.join(folder, 'home')) });

  test('is solved, and its name is printed without control characters', async () => {
    for (const words of [
      ['run', evil],
      ['validate', evil],
      ['run', evil, '--json'],
    ]) {
      const { code, stdout, stderr } = await call(...words);
      expect(code).toBe(0);
      expect(`${stdout}${stderr}`).not.toMatch(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u);
    }
    expect((await call('run', evil)).stdout).toContain('\\u001b[31m\\u001b]0;pwn\\u0007\\u202e');
  });

  test('does not become a formula in an exported table', async () => {
    expect((await call('run', evil, '--out', 'evil.h5')).code).toBe(0);
    await call('batch', evil, '--csv', 'evil.csv');
    const cells = (await readFile(path.join(folder, 'evil.csv'), 'utf8')).split(/[\n,]/);
    expect(cells.length).toBeGreaterThan(10);
    expect(cells.filter((cell) => /^"?[=+@]/.test(cell))).toEqual([]);
  });
});

describe('printed tables', () => {
  test('are aligned, also with styles, and their lines end without spaces', () => {
    const bold = (text: string): string => `\u001B[1m${text}\u001B[22m`;
    const lines = formatTable(
      [{ title: 'a' }, { title: 'number', align: 'right' }],
      [
        [bold('long one'), '1'],
        ['b', '20'],
      ],
      { styleTitle: bold },
    );
    expect(lines.map(stripVTControlCharacters)).toEqual(['a         number', 'long one       1', 'b             20']);
  });

  test('wrap the last column to the terminal width', () => {
    const lines = formatTable([{ title: 'id' }, { title: 'text' }], [['x', 'some words that are too long for it']], {
      width: 28,
    });
    expect(lines).toEqual(['id  text', 'x   some words that are too', '    long for it']);
    expect(lines.every((line) => displayWidth(line) <= 28)).toBe(true);
  });

  test('put the text of the last column below its row if less than a third of the width is left', () => {
    const columns = [{ title: 'a name' }, { title: 'Size', align: 'right' as const }, { title: 'Words' }];
    expect(formatTable(columns, [['much longer', '12', 'some words that are long']], { width: 24 })).toEqual([
      'a name       Size',
      '    Words',
      'much longer    12',
      '    some words that are',
      '    long',
    ]);
  });

  test('keep every word of any text', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[!-~]{1,12}$/)), fc.integer({ min: 5, max: 60 }), (words, width) => {
        const text = words.join(' ');
        expect(wrap(text, width).join(' ')).toBe(text);
      }),
    );
    expect(
      formatPairs([
        ['a', '1'],
        ['long', '2'],
      ]),
    ).toEqual(['  a     1', '  long  2']);
    expect(formatPairs([['a', 'words that need more than one line']], 30)).toEqual([
      '  a  words that need more than',
      '     one line',
    ]);
  });
});

describe('the progress bar', () => {
  test('grows by eighths of a character and keeps its width', () => {
    expect(formatBar(0, 4)).toBe('░░░░');
    expect(formatBar(null, 4)).toBe('░░░░');
    expect(formatBar(0.5, 4)).toBe('██░░');
    expect(formatBar(0.53125, 4)).toBe('██▏░');
    expect(formatBar(1, 4)).toBe('████');
    fc.assert(
      fc.property(fc.double({ min: -1, max: 2, noNaN: true }), (fraction) => {
        expect([...formatBar(fraction)]).toHaveLength(24);
      }),
    );
  });

  test('is drawn only on a terminal, cut to its width, and removed at the end', () => {
    const seen = recordingStream(true, 30);
    const progress = new ProgressBar(new Terminal(recordingStream(true), seen, {}));
    progress.draw('x'.repeat(100));
    progress.draw('too soon');
    progress.clear();
    progress.clear();
    expect(seen.written).toEqual([`\r\u001B[2K${'x'.repeat(28)}…`, '\r\u001B[2K']);
    for (const [tty, environment] of [
      [false, {}],
      [true, { TERM: 'dumb' }],
    ] as const) {
      const silent = recordingStream(tty);
      const other = new ProgressBar(new Terminal(recordingStream(true), silent, environment));
      other.draw('line');
      other.clear();
      expect(silent.written).toEqual([]);
    }
  });

  test('shows the progress of a run and its duration', () => {
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
    expect(progressLine(progress, transportProgressTexts)).toBe(
      `${formatBar(0.7)}  70 %  300 ms left  step 86  depth 17.3 mm  99.8 % in flight  480 steps/s`,
    );
    expect(progressLine({ ...progress, eta_s: null }, transportProgressTexts)).toBe(
      `${formatBar(null)}  step 86  depth 17.3 mm  99.8 % in flight  480 steps/s`,
    );
    expect(progressLine({ ...progress, state: 'cancelled' }, transportProgressTexts)).toBeNull();
  });
});

describe('colour of the output', () => {
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
    const terminal = new Terminal(recordingStream(tty), recordingStream(tty), environment);
    expect(terminal.style('red', 'x') !== 'x').toBe(expected);
    expect(terminal.styleNote('red', 'x') !== 'x').toBe(expected);
  });
});

describe('terminal output', () => {
  /** A terminal with colours that writes into a string. */
  function openTerminal(environment: NodeJS.ProcessEnv = { FORCE_COLOR: '1' }) {
    const output = { text: '' };
    const stream = { isTTY: true, write: (text: string) => (output.text += text) };
    return { terminal: new Terminal(stream, stream, environment), output };
  }

  const hostile = 'a\u001B]52;c;Y2Q=\u0007b\u001B[2J\u001B[31mc\u009B1A\rd\u202Ee';
  const inert = 'a\\u001b]52;c;Y2Q=\\u0007b\\u001b[2J\\u001b[31mc\\u009b1A\\u000dd\\u202ee';

  test('escapes control characters in names in results, notes and errors', () => {
    const { terminal, output } = openTerminal();
    terminal.print(hostile);
    terminal.printNote(hostile);
    terminal.print(terminal.style('bold', hostile));
    expect(output.text).toBe(`${inert}\n${inert}\n\u001B[1m${inert}\u001B[22m\n`);
  });

  test('keeps the styles of the program, which have no width', () => {
    const { terminal, output } = openTerminal();
    const styled = terminal.style('red', 'error');
    expect(displayWidth(styled)).toBe(5);
    terminal.printNote(`${styled}\tnext\nline`);
    expect(output.text).toBe('\u001B[31merror\u001B[39m\tnext\nline\n');
  });

  test('escapes control characters in JSON too', () => {
    const { terminal, output } = openTerminal({});
    terminal.printJson({ name: hostile });
    const isControl = (one: string): boolean => /\p{Cc}/u.test(one) && one !== '\n';
    expect([...output.text].filter(isControl)).toEqual([]);
    expect(JSON.parse(output.text)).toEqual({ name: hostile });
  });
});
