/**
 * kill -9 while scenarios, labels and edits are saved: nothing that was acknowledged is lost, nothing is half-written,
 * and nothing is left lying about. `npm run test:all -- kills` does it forty times.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { seededRandom } from '../../../../../electron/host/model/bench/random.ts';
import { scratchFolder } from '../../../../scratch-folder.ts';
import { smallScenario } from '../../small-run.ts';
import { type Answer, type Server, startServer } from './servers.ts';

const KILLS = Number(process.env['BRAGGBENCH_KILLS'] ?? 4);
const FILES = 3;
/** More than are done before the kill. */
const ASKED = 2000;

/** The same seed kills after the same numbers of saves. */
const seed = Number(process.env['BRAGGBENCH_FUZZ_SEED'] ?? 20_261_128);
const chance = seededRandom(seed);

const folder = scratchFolder('kills');

interface Told {
  asked: number;
  acknowledged: number;
}

/** Numbers of the last requested and the last acknowledged save of each kind. */
const scenarios = Array.from({ length: FILES }, (): Told => ({ asked: -1, acknowledged: -1 }));
const labels: Told = { asked: -1, acknowledged: -1 };
const drafts: Told = { asked: -1, acknowledged: -1 };
let next = 0;
let count = 0;

async function ask(told: Told, call: (n: number) => Promise<Answer>): Promise<void> {
  next += 1;
  const n = next;
  const asked = call(n);
  told.asked = n;
  if ((await asked).ok === undefined) return;
  told.acknowledged = n;
  count += 1;
}

const fileOf = (i: number) => ({ kind: 'library', key: `file-${i}.json` }) as const;
const named = (n: number) => ({ ...smallScenario, name: `n${n}` });

async function saveOn(server: Server, isOver: () => boolean): Promise<void> {
  for (let i = 0; i < ASKED && !isOver(); i += 1) {
    const file = fileOf(i % FILES);
    const told = scenarios[i % FILES] ?? drafts;
    await ask(told, (n) => server.call('scenario.save', { scenario: named(n), file, ifExists: 'replace' }));
    await ask(labels, (n) => server.call('library.label', { file: fileOf(0), tags: [`n${n}`], remark: '' }));
    await ask(drafts, (n) =>
      server.call('recovery.keep', { page: 'page-one', title: `n${n}`, file: null, draft: named(n) }),
    );
  }
}

/** The content found is that of the last acknowledged save or of a later request; later kills must not lose it. */
function expectKept(text: string | undefined, told: Told): void {
  const found = text === undefined ? -1 : Number(text.slice(1));
  expect(found).toBeGreaterThanOrEqual(told.acknowledged);
  expect(found).toBeLessThanOrEqual(told.asked);
  told.acknowledged = found;
}

it(`loses nothing that was acknowledged, ${KILLS} times`, async () => {
  for (let kill = 0; kill < KILLS; kill += 1) {
    drafts.asked = -1;
    drafts.acknowledged = -1;
    const server = await startServer({ dataFolder: folder });
    let over = false;
    const saving = saveOn(server, () => over);
    const before = count;
    const until = before + 2 + chance.below(30);
    while (count < until) await sleep(1);
    // The kill falls between two answers, into the middle of a save.
    await sleep(chance.next() * 10);
    over = true;
    await server.kill();
    await saving;

    const library = path.join(folder, 'library');
    for (const [i, told] of scenarios.entries()) {
      const text = await readFile(path.join(library, fileOf(i).key), 'utf8').catch(() => null);
      expectKept(text === null ? undefined : JSON.parse(text).name, told);
    }
    const kept = await readFile(path.join(library, '.braggbench', 'labels.json'), 'utf8').catch(() => null);
    expectKept(kept === null ? undefined : JSON.parse(kept).labels[fileOf(0).key]?.tags[0], labels);

    const after = await startServer({ dataFolder: folder });
    const { items } = (await after.call('recovery.list', { pages: [] })).ok as {
      items: { id: string; title: string }[];
    };
    expectKept(items[0]?.title, drafts);
    for (const { id } of items) await after.call('recovery.discard', { id });
    await after.end();
    const left = await readdir(folder, { recursive: true });
    expect(left.filter((name) => name.endsWith('.tmp'))).toEqual([]);
    // Emptied, or gone with the last that was in it.
    expect(left.filter((name) => name.startsWith(`recovery${path.sep}`))).toEqual([]);
  }
  console.log(`${KILLS} kills, ${count} acknowledged saves, none lost (seed ${seed})`);
  expect(count).toBeGreaterThan(KILLS);
});
