/** Programs that make a benchmark believe them, each with its honest twin: none passes, and no twin is accused. */
import { afterAll, expect, test } from 'vitest';
import { sameScratchFolder } from '../scratch-folder.ts';
import { cheats } from './cheats.ts';
import { Court } from './judged.ts';

const court = new Court(sameScratchFolder('cheats'));
afterAll(() => court.close());

test.each(cheats)('$id is found, and its honest twin is correct', async (cheat) => {
  const { cheat: found, twin } = await court.judge(cheat, 6);
  expect(['wrong', 'impossible', 'refused'], found.reason ?? found.word).toContain(found.word);
  expect(found.reason).toMatch(cheat.found);
  expect(twin).toMatchObject({ word: 'correct', reason: null });
});
