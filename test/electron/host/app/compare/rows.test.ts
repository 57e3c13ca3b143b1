/** Rows of sessions beside each other are judged as the sessions were: by their margin, and whole runs by their floor. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Subject } from '../../../../../electron/contract/bench/benches.ts';
import type { ComparedRow } from '../../../../../electron/contract/bench/comparison.ts';
import type { MeasuredSessionEntry, Session, SessionReport } from '../../../../../electron/contract/bench/session.ts';
import { comparedRows } from '../../../../../electron/host/app/compare/rows.ts';
import { loadSubject, type SubjectParts } from '../../../../../electron/host/app/compare/subjects.ts';
import { asSession, parseKeptSession, readKnown } from '../../../../../electron/host/app/sessions/index.ts';
import { loadAddon } from '../../../../../electron/host/io/addon/addon.ts';
import { assetsFolder } from '../../small-run.ts';

const file = path.join(assetsFolder, 'runs', 'h200-verdicts-water-70MeV.json');
const known = await readKnown(loadAddon(), assetsFolder);
const recorded = asSession(parseKeptSession(readFileSync(file, 'utf8'), file), known);

const INSTANCES = 6;
const ROUNDS = 5;

/** Samples of so many seconds that stray by a thousandth from instance to instance. */
function samplesOf({ time_s, wall_s }: Times): MeasuredSessionEntry['samples'] {
  return Array.from({ length: INSTANCES * ROUNDS }, (_, round) => {
    const instance = Math.floor(round / ROUNDS);
    const stray = 1 + 1e-3 * (instance % 2 === 0 ? 1 : -1);
    return { round, instance, time_s: time_s * stray, wall_s: wall_s * stray, sm_MHz: null, flag: null };
  });
}

interface Times {
  readonly time_s: number;
  readonly wall_s: number;
}

/** The recorded session with other times, and judged by other rules. */
function sessionOf(
  times: readonly [Times, Times],
  { margin, noise }: { readonly margin: number; readonly noise: SessionReport['noise'] },
  whole?: MeasuredSessionEntry['whole'],
): Session {
  const [report] = recorded.reports;
  if (report?.judged === undefined) throw new Error('the recorded session is of an older program');
  const entries = report.entries.filter((one) => one.status === 'measured').slice(0, 2);
  return {
    ...recorded,
    reports: [
      {
        ...report,
        reference: entries[0]?.label ?? null,
        judged: { ...report.judged, margin },
        noise,
        entries: entries.map(({ whole: _, ...entry }, i) => ({
          ...entry,
          samples: samplesOf(times[i] ?? times[0]),
          ...(whole === undefined || i === 0 ? {} : { whole }),
        })),
      },
    ],
  };
}

/** The second row, against the first. `ours`: of which session each is. */
async function secondOf(first: Session, second = first): Promise<ComparedRow | undefined> {
  const sessions: Readonly<Record<string, Session>> = { first, second };
  const parts = {
    benches: { session: (id: string) => Promise.resolve({ name: id, session: sessions[id], answer: () => null }) },
  } as unknown as SubjectParts;
  const subjectOf = (bench: string, session: Session, i: number): Subject => ({
    kind: 'entry',
    bench,
    report: 0,
    label: session.reports[0]?.entries[i]?.label ?? '',
  });
  const subjects = [subjectOf('first', first, 0), subjectOf(first === second ? 'first' : 'second', second, 1)];
  const loaded = await Promise.all(subjects.map((subject) => loadSubject(subject, parts)));
  const [reference] = loaded;
  if (reference === undefined) throw new Error('nothing was loaded');
  return (await comparedRows(loaded, reference))[1];
}

const evenly = { time_s: 1, wall_s: 2 };
const apart = { time_s: 1.03, wall_s: 2 };
const noise = { ratio: null, floor: 0.05, whole_floor: 0.001 };

test('the same is what lies inside the margin that the session was judged by', async () => {
  expect((await secondOf(sessionOf([evenly, apart], { margin: 0.1, noise })))?.verdict).toBe('same');
  expect((await secondOf(sessionOf([evenly, apart], { margin: 0.01, noise })))?.verdict).toBe('undecided');
});

test('of two sessions the narrower margin counts', async () => {
  const [wide, narrow] = [0.1, 0.01].map((margin) => sessionOf([evenly, apart], { margin, noise })) as [
    Session,
    Session,
  ];
  expect((await secondOf(wide, wide))?.verdict).toBe('same');
  expect((await secondOf(wide, narrow))?.verdict).toBe('undecided');
  expect((await secondOf(narrow, wide))?.verdict).toBe('undecided');
});

test('whole runs are judged by the floor of whole runs, and not by that of the steps', async () => {
  const slowerWhole = { time_s: 1, wall_s: 2.02 };
  const rules = (floor: number, whole_floor: number) => ({ margin: 0.005, noise: { ratio: null, floor, whole_floor } });
  const noisySteps = await secondOf(sessionOf([evenly, slowerWhole], rules(0.02, 0.001)));
  expect(noisySteps?.whole).toMatchObject({ verdict: 'slower' });
  expect(noisySteps?.whole?.ratio.value).toBeCloseTo(1.01, 6);
  const noisyWholes = await secondOf(sessionOf([evenly, slowerWhole], rules(0.0001, 0.02)));
  expect(noisyWholes?.whole).toMatchObject({ verdict: 'undecided' });
});

test('a session that does not say its floor of whole runs says how it judged them', async () => {
  const older = { margin: 0.01, noise: { ratio: null, floor: 0.0001 } };
  const times = [evenly, { time_s: 1, wall_s: 2.02 }] as const;
  const kept = { ratio: { value: 1.01, interval: null }, verdict: 'slower' } as const;
  expect((await secondOf(sessionOf(times, older, kept)))?.whole).toMatchObject({ verdict: 'slower' });
  expect((await secondOf(sessionOf(times, older)))?.whole).toMatchObject({ verdict: 'undecided' });
  // Against another session's reference nobody has judged it.
  expect((await secondOf(sessionOf(times, older), sessionOf(times, older, kept)))?.whole).toMatchObject({
    verdict: 'undecided',
  });
});
