/** Energy and points at the same time exclude each other, whichever was chosen last. */
import { expect, test } from 'vitest';
import { blank, keeping, timed } from '../../../../../renderer/panels/studies/new-study/study-form.ts';

test('who wants energy solves one point at a time, and who solves many has none', () => {
  const asked = keeping(blank, ['times', 'energy']);
  expect(asked).toMatchObject({ timing: 'alone', measures: ['times', 'energy'] });
  expect(timed(asked, 'shared')).toMatchObject({ timing: 'shared', measures: ['times'] });
  expect(timed(asked, 'alone')).toEqual(asked);
  expect(keeping(blank, ['times'])).toMatchObject({ timing: 'shared' });
});
