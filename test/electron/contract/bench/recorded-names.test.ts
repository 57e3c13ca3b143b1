/** A session that was recorded again has the first one's name behind its card, in the folder of its workload. */
import { expect, it } from 'vitest';
import { recordedAgain } from '../../../../electron/contract/bench/recorded-names.mjs';

it('begins with the card, whether the first names its own or not', () => {
  expect(recordedAgain('h200-dense-36M.json')).toEqual([
    'transport/h100-dense-36M.json',
    'transport/h200-dense-36M.json',
  ]);
  expect(recordedAgain('micro/launch.json')).toEqual(['micro/h100-launch.json', 'micro/h200-launch.json']);
  expect(recordedAgain('diffraction/h200-programs.json')).toEqual(['diffraction/h100-programs.json']);
  expect(recordedAgain('transport/h100-factorial.json')).toEqual(['transport/h200-factorial.json']);
});
