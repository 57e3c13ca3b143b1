/** Programs that make a benchmark believe them, each with its honest twin: none passes, and no twin is accused. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sameScratchFolder } from '../scratch-folder.ts';
import { cheats } from './cheats.ts';
import { Court } from './judged.ts';

/** Two instances with rounds to spare. */
const ROUNDS = 5;
const repeats = Number(process.env['BRAGGBENCH_CHEATS_REPEATS'] ?? 1);

const court = new Court(sameScratchFolder('cheats'));
const counts: { id: string; repeats: number; passed: number; accused: number; found: string[] }[] = [];

afterAll(async () => {
  court.close();
  if (repeats > 1) {
    const file = path.join(import.meta.dirname, '../../assets/rates/cheats.json');
    await writeFile(file, `${JSON.stringify({ repeats, rounds: ROUNDS, cheats: counts }, null, 2)}\n`);
  }
});

test.each(cheats)(
  '$id is found, and its honest twin is correct',
  async (cheat) => {
    const count = { id: cheat.id, repeats, passed: 0, accused: 0, found: [] as string[] };
    counts.push(count);
    for (let i = 0; i < repeats; i += 1) {
      const { cheat: found, twin } = await court.judge(cheat, ROUNDS);
      if (!['wrong', 'impossible', 'refused'].includes(found.word)) count.passed += 1;
      if (twin.word !== 'correct') count.accused += 1;
      if (!count.found.includes(found.word)) count.found.push(found.word);
      if (repeats > 1) continue;
      expect(['wrong', 'impossible', 'refused'], found.reason ?? found.word).toContain(found.word);
      expect(found.reason).toMatch(cheat.found);
      expect(twin).toMatchObject({ word: 'correct', reason: null });
    }
    expect(count).toMatchObject({ passed: 0, accused: 0 });
  },
  repeats * 120_000,
);
