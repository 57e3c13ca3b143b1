/**
 * Programs that try to deceive the benchmark, each with its own honest twin. No cheat may pass, and no twin may be
 * accused. Repeats until the file of counts has `BRAGGBENCH_CHEATS_REPEATS` of each. The file is written after every
 * session, so that the series can be completed in pieces. Remove the file after a change of the code that finds cheats.
 * `npm test` runs each cheat once: cheats.test.ts.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { unless } from '../unless.ts';
import { type Cheat, cheats, FOUND, isOpen, ROUNDS, sessionsOf, useCheatHarness } from './cheats.ts';

const repeats = Number(process.env['BRAGGBENCH_CHEATS_REPEATS'] ?? 1);
const COUNTS = path.join(import.meta.dirname, '../../assets/rates/cheats.json');

interface Count {
  repeats: number;
  /** Number of cheats that were called correct, and of twins that were not. */
  passed: number;
  accused: number;
  /** Number of sessions in which either ended as *not checked* because of an open doubt. */
  open: number;
  found: Record<string, number>;
}

const harness = useCheatHarness('cheats-long', repeats > 1 ? cheats : [], 'each');

test('all cheats are detected in every repeat', {
  timeout: repeats * 600_000,
  ...unless(repeats === 1 && 'it repeats sessions for hours: BRAGGBENCH_CHEATS_REPEATS=20 runs it'),
}, async () => {
  const before = existsSync(COUNTS)
    ? (JSON.parse(await readFile(COUNTS, 'utf8')) as { cheats: Record<string, Count> })
    : null;
  const counts = new Map(Object.entries(before?.cheats ?? {}));
  const none: Count = { repeats: 0, passed: 0, accused: 0, open: 0, found: {} };
  const countOf = ({ id }: Pick<Cheat, 'id'>): Count => ({ ...structuredClone(none), ...counts.get(id) });
  for (let repeat = 1; repeat <= repeats; repeat += 1) {
    for (const session of sessionsOf(cheats, 'each')) {
      if (session.every((cheat) => countOf(cheat).repeats >= repeat)) continue;
      for (const [id, { cheat: found, twin }] of await harness.judge(session, ROUNDS, { twins: 'each' })) {
        const count = countOf({ id });
        count.repeats += 1;
        if (!FOUND.includes(found.word) && !isOpen(found)) count.passed += 1;
        if (twin.word !== 'correct' && !isOpen(twin)) count.accused += 1;
        if (isOpen(found) || isOpen(twin)) count.open += 1;
        count.found[found.word] = (count.found[found.word] ?? 0) + 1;
        counts.set(id, count);
      }
      await writeFile(COUNTS, `${JSON.stringify({ rounds: ROUNDS, cheats: Object.fromEntries(counts) }, null, 2)}\n`);
    }
  }
  expect([...counts.values()].map(({ passed, accused }) => passed + accused)).toEqual(cheats.map(() => 0));
});
