/** Text of a study's forecast, and the condition for confirming a long study. */
import { expect, test } from 'vitest';
import type { StudyForecast } from '../../../../electron/contract/study/calls.ts';
import { forecastText, isEndless } from '../../../../renderer/panels/studies/words.ts';

const DAY_S = 24 * 3600;
const forecast: StudyForecast = {
  ...{ machine: 'desk', cpu: 'EPYC', cores: 2, gpus: 0, probed: 2, expected_s: 180, isLeast: false },
  ...{ at_once: 2, memory_bytes: 3 * 2 ** 20 },
};

test('a forecast names machine, time, memory and by what', () => {
  expect(forecastText(forecast, false)).toBe(
    'On desk (EPYC, 2 cores): about 3 min 00 s, 2 points at a time, up to 3.00 MiB, estimated from 2 trial points.',
  );
  const alone = { ...forecast, cores: 1, gpus: 1, probed: 1, expected_s: 3 * DAY_S, isLeast: true, at_once: 1 };
  expect(forecastText({ ...alone, memory_bytes: null }, false)).toBe(
    'On desk (EPYC, 1 core, 1 GPU): more than 3.0 days, one point at a time, estimated from one trial point.',
  );
  expect(forecastText({ ...forecast, expected_s: null }, false)).toContain('no forecast');
  expect(forecastText(null, true)).toContain('Solving trial points');
  expect(forecastText(null, false)).toBe('');
});

test('more than a day, by any machine or by this one, is asked for; a budget ends it anyway', () => {
  expect(isEndless({ least_s: 2 * DAY_S }, null)).toBe(true);
  expect(isEndless({ least_s: 60 }, { expected_s: 2 * DAY_S })).toBe(true);
  expect(isEndless({ least_s: 60 }, { expected_s: 600 })).toBe(false);
  expect(isEndless({ least_s: null }, { expected_s: null })).toBe(false);
  expect(isEndless({ least_s: 2 * DAY_S }, null, { minutes: 5 })).toBe(false);
});
