/** An option of a benchmark is declared once: flag, schema, command and form are generated from the table. */
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../../../electron/cli/arguments.ts';
import { parseBenchOptions } from '../../../../electron/cli/benching.ts';
import { bench } from '../../../../electron/cli/verbs/bench.ts';
import { benchMethods } from '../../../../electron/contract/bench/benches.ts';
import {
  type BenchOption,
  benchOptionEntries,
  benchOptionShape,
  defaultBenchOptions,
  optionFlags,
} from '../../../../electron/contract/bench/options.ts';
import { taskOptions } from '../../../../electron/host/workloads/benchable.ts';

/** An allowed value that is not the default. */
const other = ({ kind, min = 0, max = 0, usual }: BenchOption): number | boolean => {
  if (kind === 'switch') return usual !== true;
  return kind === 'percent' ? 0.02 : Math.min(max, Math.max(min, 40) + 3);
};

const parseFlags = (words: readonly string[]) =>
  parseBenchOptions(parseArguments(['scenario', ...words.flatMap((word) => word.split(' '))], bench.flags));

describe.each(benchOptionEntries)('%s', (name, option) => {
  it('is a flag, a parameter of bench.start, and part of the command that repeats a session', () => {
    const { flag, help } = option;
    expect(bench.flags.filter((one) => one.name === flag)).toMatchObject([{ help }]);
    expect(Object.keys(benchMethods['bench.start'].params.shape)).toContain(name);
    expect(benchOptionShape[name].parse(undefined)).toBe(defaultBenchOptions[name]);
    const changed = { ...defaultBenchOptions, [name]: other(option) };
    const words = optionFlags(changed);
    expect(words.join(' ')).toContain(`--${flag}`);
    expect(parseFlags(words)).toEqual(changed);
    expect(taskOptions(changed)).not.toEqual(taskOptions(defaultBenchOptions));
  });

  it('offers its allowed values in the form, including the default', () => {
    const { form } = option;
    if (form === undefined) return;
    const choices = form.choices.map(([value]) => value);
    for (const value of choices) expect(benchOptionShape[name].safeParse(value).success, String(value)).toBe(true);
    expect(choices).toContain(defaultBenchOptions[name]);
  });
});

it('a command without flags has the default options', () => {
  expect(parseFlags([])).toEqual(defaultBenchOptions);
  expect(parseFlags(optionFlags(defaultBenchOptions))).toEqual(defaultBenchOptions);
});
