/**
 * Programs that make a benchmark believe them, each with its honest twin: none passes, and no twin is accused. With
 * `BRAGGBENCH_CHEATS_REPEATS` repeats until the file of counts has so many of each. It is written after every session, so
 * that it can be completed in pieces. Remove it after a change of the judge.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sameScratchFolder } from '../scratch-folder.ts';
import { type Cheat, cheats, sessionsOf } from './cheats.ts';
import { Court } from './judged.ts';

/** Two instances with rounds to spare. */
const ROUNDS = 5;
const repeats = Number(process.env['BRAGGBENCH_CHEATS_REPEATS'] ?? 1);
const COUNTS = path.join(import.meta.dirname, '../../assets/rates/cheats.json');
const FOUND = ['wrong', 'impossible', 'refused'];

interface Count {
  repeats: number;
  passed: number;
  accused: number;
  found: Record<string, number>;
}

const court = new Court(sameScratchFolder('cheats'));
const sessions = sessionsOf(cheats);
const judging = new Map<readonly Cheat[], ReturnType<Court['judge']>>();

/** The verdicts of one cheat and its twin; their session is judged once. */
async function judged(cheat: Cheat) {
  const session = sessions.find((one) => one.includes(cheat));
  if (session === undefined) throw new Error(`${cheat.id} has no session`);
  const pairs = judging.get(session) ?? court.judge(session, ROUNDS);
  judging.set(session, pairs);
  const pair = (await pairs).get(cheat.id);
  if (pair === undefined) throw new Error(`${cheat.id} was not judged`);
  return pair;
}

beforeAll(() => court.compile(cheats), 240_000);
afterAll(() => court.close());

test.runIf(repeats === 1).each(cheats)(
  '$id is found, and its honest twin is correct',
  { timeout: 240_000 },
  async (cheat) => {
    const { cheat: found, twin } = await judged(cheat);
    expect(FOUND, found.reason ?? found.word).toContain(found.word);
    expect(found.reason).toMatch(cheat.found);
    expect(twin).toMatchObject({ word: 'correct', reason: null });
  },
);

test.runIf(repeats > 1)('all are found in every repeat', { timeout: repeats * 600_000 }, async () => {
  const before = existsSync(COUNTS)
    ? (JSON.parse(await readFile(COUNTS, 'utf8')) as { cheats: Record<string, Count> })
    : null;
  const counts = new Map(Object.entries(before?.cheats ?? {}));
  const countOf = ({ id }: Cheat): Count => counts.get(id) ?? { repeats: 0, passed: 0, accused: 0, found: {} };
  for (let repeat = 1; repeat <= repeats; repeat += 1) {
    for (const session of sessions) {
      if (session.every((cheat) => countOf(cheat).repeats >= repeat)) continue;
      for (const [id, { cheat: found, twin }] of await court.judge(session, ROUNDS)) {
        const count = counts.get(id) ?? { repeats: 0, passed: 0, accused: 0, found: {} };
        count.repeats += 1;
        if (!FOUND.includes(found.word)) count.passed += 1;
        if (twin.word !== 'correct') count.accused += 1;
        count.found[found.word] = (count.found[found.word] ?? 0) + 1;
        counts.set(id, count);
      }
      await writeFile(COUNTS, `${JSON.stringify({ rounds: ROUNDS, cheats: Object.fromEntries(counts) }, null, 2)}\n`);
    }
  }
  expect([...counts.values()].map(({ passed, accused }) => passed + accused)).toEqual(cheats.map(() => 0));
});
