/**
 * Every session of npm run bench -- gpu names existing items: checked up to the device, so that no GPU hour is lost to
 * a typo.
 */
import { expect, test } from 'vitest';
import { GPU_SESSIONS } from '../../../electron/build/bench/gpu-sessions.mjs';
import { flagValue, listed, parseArguments } from '../../../electron/cli/arguments.ts';
import { modesOf, roundsAsked } from '../../../electron/cli/benching.ts';
import { overridesOf, scenarioPath } from '../../../electron/cli/scenario-file.ts';
import { parseSweep } from '../../../electron/cli/sweep.ts';
import { bench } from '../../../electron/cli/verbs/bench.ts';
import { loadAddon } from '../../../electron/host/io/addon/addon.ts';
import { hostWorkloads } from '../../../electron/host/workloads/index.ts';
import { readArguments } from '../../../electron/main/arguments.ts';
import { openTestScenarios } from '../host/small-run.ts';

const addon = loadAddon();
/** Scenarios with the memory of the machine that measured. */
const scenarios = await openTestScenarios(addon, 128 * 2 ** 30);

test.each(GPU_SESSIONS.map(({ file, words }) => ({ file, words })))('$file', async ({ words }) => {
  const parsed = parseArguments(words.slice(1), bench.flags);
  expect(modesOf(parsed)).toContain('warm');
  expect(roundsAsked(parsed).mostRounds).toBeGreaterThan(0);
  const sweep = flagValue(parsed, 'sweep');
  for (const more of sweep === undefined ? [[]] : parseSweep(sweep).overrides) {
    const path = scenarioPath(parsed.operands[0] ?? '');
    const reading = await scenarios.any.read(path, { overrides: [...overridesOf(parsed), ...more] });
    expect(reading.issues.filter(({ severity }) => severity === 'error')).toEqual([]);
    if (reading.kind === null) throw new Error('no scenario');
    const { benchable } = hostWorkloads[reading.kind];
    benchable.check(addon, benchable.problem(reading), listed(parsed, 'variants') ?? []);
  }
});

test('a GPU is chosen for the desktop program as for the other commands', () => {
  expect(readArguments(['a.json', '--gpu', '1', '--run'], '/home')).toEqual({
    file: '/home/a.json',
    run: true,
    gpu: '1',
  });
  expect(readArguments(['--gpu=GPU-2e1d19ef'], '/')).toEqual({ file: null, run: false, gpu: 'GPU-2e1d19ef' });
  expect(readArguments([], '/').gpu).toBeNull();
});
