/**
 * Files of other tuners: public files are read, and files that the program writes are valid against the formats'
 * schemas.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  kernelTunerText,
  parameterValues,
  readKernelTuner,
  type TuningResults,
} from '../../../../../../electron/host/model/tuning/files/kernel-tuner.ts';
import { parseTuning, readT4, t4Text } from '../../../../../../electron/host/model/tuning/files/t4.ts';

const fileText = (name: string): string =>
  gunzipSync(readFileSync(path.join(import.meta.dirname, 'public', `${name}.gz`))).toString('utf8');
const read = (name: string): TuningResults => parseTuning({ text: fileText(name), name });

/** Number of configurations in the small cache. */
const SMALL_COUNT = 15;

const ownResults: TuningResults = {
  ...{ device: 'NVIDIA H200', kernel: 'cuda-gather', problem: 'water' },
  configurations: [
    {
      ...{
        configuration: { kA: 8, kB: 2 },
        outcome: 'right',
        time_s: 0.002,
        samples_s: [0.002, 0.0021],
        compile_s: 1.5,
      },
      ...{ correctness: 1, timestamp: '2026-01-01T00:00:00Z' },
    },
    {
      ...{ configuration: { kA: 16, kB: 2 }, outcome: 'wrong', time_s: 0.001, samples_s: [0.001], compile_s: 1.25 },
      ...{ correctness: 0.125, timestamp: '' },
    },
    {
      ...{ configuration: { kA: 32, kB: 2 }, outcome: 'compile', time_s: null, samples_s: [], compile_s: null },
      ...{ correctness: null, timestamp: '' },
    },
  ],
};

describe('public tuning files', () => {
  test('include a small Kernel Tuner cache, whose milliseconds are read as seconds', () => {
    const { device, kernel, problem, configurations } = read('kernel-tuner-cache-small.json');
    expect([device, kernel, problem, configurations.length]).toEqual([
      'NVIDIA RTX A4000',
      'vector_add',
      '100',
      SMALL_COUNT,
    ]);
    expect(configurations[0]).toMatchObject({ configuration: { block_size_x: 128 }, outcome: 'right' });
    expect(configurations[0]?.time_s).toBeCloseTo(0.0407360007e-3, 12);
    expect(configurations[0]?.samples_s).toHaveLength(7);
    expect(configurations[0]?.compile_s).toBeCloseTo(0.441, 3);
  });

  test('include a cache with energy next to the time', () => {
    const found = read('kernel-tuner-cache-time-energy.json');
    expect([...parameterValues(found).keys()]).toEqual(['block_size_x', 'nvml_gr_clock']);
    expect(found.configurations[0]?.time_s).toBeCloseTo(3.165401004e-3, 9);
  });

  test('include a cache that ends in a comma and has failures instead of times', () => {
    const text = fileText('convolution-a100-cache-cut.json');
    expect(text.trimEnd().endsWith(',')).toBe(true);
    const { configurations } = readKernelTuner(text, 'cut.json');
    expect(configurations.filter(({ outcome }) => outcome === 'right').length).toBeGreaterThan(40);
    const failed = configurations.filter(({ outcome }) => outcome !== 'right');
    expect(failed.length).toBeGreaterThan(0);
    for (const one of failed) expect(one.time_s).toBeNull();
  });

  test.each([10, 200, 1000])('yield their complete entries if truncated %i letters before the end', (letters) => {
    const text = fileText('kernel-tuner-cache-small.json');
    const { configurations } = readKernelTuner(text.trimEnd().slice(0, -letters), 'cut.json');
    expect(configurations.length).toBeGreaterThanOrEqual(SMALL_COUNT - 3);
    expect(configurations.length).toBeLessThanOrEqual(SMALL_COUNT);
  });

  test('include T4 with “miliseconds”, an empty unit and another name for the compilation', () => {
    const { configurations } = read('convolution-a100-t4.json');
    expect(configurations.length).toBeGreaterThan(100);
    const [first] = configurations;
    expect(first?.time_s).toBeCloseTo(3.87532792e-3, 9);
    expect(first?.compile_s).toBeCloseTo(0.9186, 4);
    expect(first?.samples_s).toHaveLength(32);
    // Read the same configuration of the same kernel from a file in the other format.
    const same = read('convolution-a100-cache-cut.json').configurations[0];
    expect(same?.configuration).toEqual(first?.configuration);
    expect(same?.time_s).toBe(first?.time_s);
  });
});

/** Files modelled on public bug reports. Their sources are in cases/README.md. */
describe('a Kernel Tuner cache', () => {
  const ofCase = (name: string) =>
    parseTuning({ text: readFileSync(path.join(import.meta.dirname, 'cases', name), 'utf8'), name });
  const outcomesOf = ({ configurations }: TuningResults) => configurations.map(({ outcome }) => outcome);

  test.each([
    ['k01-1e20.cache', ['right', 'right', 'runtime']],
    ['k02-nan.cache', ['right', 'right']],
    ['k03-null.cache', ['right', 'runtime']],
  ])('is read with its failures: %s', (name, outcomes) => {
    const found = ofCase(name);
    expect(outcomesOf(found)).toEqual(outcomes);
    expect(found.configurations.map(({ time_s }) => time_s)).toEqual(
      [0.0015, 0.00125, null]
        .slice(0, 1)
        .concat(outcomes.slice(1).map((outcome) => (outcome === 'right' ? 0.00125 : null)) as number[]),
    );
    // A failed configuration stays failed in both formats.
    expect(outcomesOf(readT4(t4Text(found), 'again'))).toEqual(outcomes);
    expect(outcomesOf(readKernelTuner(kernelTunerText(found), 'again'))).toEqual(outcomes);
  });

  test('is reported as truncated if it ends within an entry', () => {
    const found = ofCase('k04-cut.cache');
    expect(outcomesOf(found)).toEqual(['right']);
    expect(found.notes).toEqual(['k04-cut.cache is truncated within an entry: complete entries are read.']);
  });

  test('is rejected if a parameter is an object', () => {
    expect(() => ofCase('k09-object.cache')).toThrow(
      'k09-object.cache: an entry of its cache has tile = {}; allowed: a number, text, true or false.',
    );
  });
});

describe('T4 files from other tuners', () => {
  const document = (result: object) =>
    JSON.stringify({ metadata: { timeunit: 'milliseconds' }, results: [{ configuration: { a: 1 }, ...result }] });

  test('contain a failure if the time is 1e20 or missing', () => {
    const measured = (value: number | null) => [{ name: 'time', value, unit: 'ms' }];
    for (const value of [1e20, null]) {
      const text = document({ times: { runtimes: [1e20] }, invalidity: 'correct', measurements: measured(value) });
      expect(readT4(text, 'a').configurations[0]).toMatchObject({ outcome: 'runtime', time_s: null, samples_s: [] });
    }
  });

  test('may spell the name of its unit of time in any case, as a Kernel Tuner cache', () => {
    const result = { configuration: { a: 1 }, times: { runtimes: [1, 3] }, invalidity: 'correct' };
    const text = JSON.stringify({ metadata: { Time_Unit: 'microseconds' }, results: [result] });
    expect(readT4(text, 'a').configurations[0]?.time_s).toBeCloseTo(2e-6, 12);
  });

  test('use the mean of the times if there is no measurement', () => {
    const text = document({ times: { runtimes: [1, 3] }, invalidity: 'correct' });
    expect(readT4(text, 'a').configurations[0]).toMatchObject({ outcome: 'right', time_s: 0.002 });
  });

  test('are wrong if the correctness is below 1, and are rejected for an unknown word', () => {
    const own = { times: { runtimes: [1] }, correctness: 0 };
    expect(readT4(document({ ...own, invalidity: 'correct' }), 'a').configurations[0]?.outcome).toBe('wrong');
    expect(() => readT4(document({ ...own, invalidity: 'failed' }), 'a')).toThrow(
      'a: results.0.invalidity = "failed"; allowed: timeout, compile, runtime, correctness',
    );
  });

  test('are rejected for another objective, which is named', () => {
    const text = document({
      times: {},
      invalidity: 'correct',
      measurements: [{ name: 'energy', value: 3, unit: 'J' }],
    });
    expect(() => readT4(text, 'a.json')).toThrow(
      'a.json, results[0]: it measures energy, but no time; allowed: results with a time.',
    );
  });
});

describe('tuning files written by Braggbench', () => {
  const valid = new Ajv2020({ strict: false }).compile(JSON.parse(fileText('t4-results-schema-1.0.0.json')) as object);

  test('are valid T4, and state what was wrong and by how much', () => {
    const document = JSON.parse(t4Text(ownResults)) as { results: { invalidity: string; correctness: number }[] };
    expect(valid(document), JSON.stringify(valid.errors)).toBe(true);
    expect(document.results.map(({ invalidity, correctness }) => [invalidity, correctness])).toEqual([
      ['correct', 1],
      ['correctness', 0.125],
      ['compile', 0],
    ]);
  });

  test('read back unchanged in both formats', () => {
    expect(readT4(t4Text(ownResults), 'ours').configurations.map(({ outcome }) => outcome)).toEqual([
      'right',
      'wrong',
      'compile',
    ]);
    const back = readKernelTuner(kernelTunerText(ownResults), 'ours');
    expect(back).toMatchObject({ device: 'NVIDIA H200', kernel: 'cuda-gather', problem: 'water' });
    expect(back.configurations.map(({ configuration }) => configuration)).toEqual(
      ownResults.configurations.map(({ configuration }) => configuration),
    );
    expect(back.configurations.map(({ outcome }) => outcome)).toEqual(['right', 'wrong', 'compile']);
    expect(back.configurations[0]?.time_s).toBeCloseTo(0.002, 12);
  });
});

/** Times in milliseconds that are whole microseconds: both formats scale by powers of ten. */
const microseconds = fc.integer({ min: 1, max: 10_000_000 }).map((value) => value / 1e6);
const anyOne = fc.record({
  value: fc.oneof(fc.integer(), fc.boolean(), fc.string({ minLength: 1 })),
  outcome: fc.constantFrom('right' as const, 'compile' as const, 'runtime' as const, 'constraints' as const),
  time: microseconds,
  samples: fc.array(microseconds, { maxLength: 3 }),
});

test('a file with arbitrary results reads back unchanged in both formats', () => {
  fc.assert(
    fc.property(fc.array(anyOne, { minLength: 1, maxLength: 5 }), (all) => {
      const results: TuningResults = {
        ...{ device: 'd', kernel: 'k', problem: 'p' },
        configurations: all.map(({ value, outcome, time, samples }, i) => ({
          ...{ configuration: { i, value }, outcome, timestamp: '', correctness: null, compile_s: 0.5 },
          time_s: outcome === 'right' ? time : null,
          // The time of a configuration must be among its samples.
          samples_s: outcome === 'right' ? samples.flatMap((one) => [one, time]) : [],
        })),
      };
      for (const back of [readT4(t4Text(results), 'a'), readKernelTuner(kernelTunerText(results), 'a')]) {
        for (const [i, { configuration, outcome, time_s, samples_s }] of back.configurations.entries()) {
          const wanted = results.configurations[i];
          expect([configuration, outcome]).toEqual([wanted?.configuration, wanted?.outcome]);
          expect(time_s === null ? null : Math.round(time_s * 1e9)).toEqual(
            wanted?.time_s === null ? null : Math.round((wanted?.time_s ?? 0) * 1e9),
          );
          expect(samples_s.length).toBe(wanted?.samples_s.length);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('a time in a cache is a number above 0, also as text', () => {
  const outcomes = (entry: Readonly<Record<string, unknown>>) =>
    readKernelTuner(
      JSON.stringify({ tune_params_keys: ['x'], cache: { 1: { x: 1, ...entry } } }),
      'a',
    ).configurations.map(({ outcome, time_s }) => [outcome, time_s]);
  expect(outcomes({ time: '0.5' })).toEqual([['right', 0.0005]]);
  expect(outcomes({ time: 0 })).toEqual([['runtime', null]]);
  expect(outcomes({ time: 'SomeFailedConfig' })).toEqual([['runtime', null]]);
  expect(outcomes({ time: 2, __error__: null })).toEqual([['right', 0.002]]);
});

describe('foreign tuning files', () => {
  test.each([
    ['no JSON at all', 'a.json is not JSON (Unexpected token'],
    ['{"a": 1}', 'is not a known tuning file'],
    ['{"tune_params_keys": ["x"], "cache": {"1": {"time": 1}}}', 'has no x, which is in tune_params_keys'],
    ['{"metadata": {"timeunit": "fortnights"}, "results": []}', '"fortnights" is not a unit of time'],
  ])('are rejected: %s', (text, says) => {
    expect(() => parseTuning({ text, name: 'a.json' })).toThrow(says);
  });
});
