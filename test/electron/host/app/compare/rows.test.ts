/** Rows of several sessions: what compares is grouped, and judged as the sessions were. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Subject } from '../../../../../electron/contract/bench/benches.ts';
import type { ComparedRow } from '../../../../../electron/contract/bench/comparison.ts';
import type { MeasuredSessionEntry, Session, SessionReport } from '../../../../../electron/contract/bench/session.ts';
import { comparedRows } from '../../../../../electron/host/app/compare/rows.ts';
import { loadSubject, type SubjectParts } from '../../../../../electron/host/app/compare/subjects.ts';
import { asSession, parseSession } from '../../../../../electron/host/app/sessions/index.ts';
import { readDesigns } from '../../../../../electron/host/model/bench/factorial/designs.ts';
import { assetsFolder } from '../../small-run.ts';

const file = path.join(assetsFolder, 'runs', 'h200-verdicts-water-70MeV.json');
const designs = await readDesigns(assetsFolder);
const recorded = asSession(parseSession(readFileSync(file, 'utf8'), file), designs);

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

/** Entries of sessions, each by its session's name and its index there; the first is the chosen reference. */
async function comparedOf(
  sessions: Readonly<Record<string, Session>>,
  entries: readonly (readonly [string, number])[],
) {
  const parts = {
    benches: { session: (id: string) => Promise.resolve({ name: id, session: sessions[id], answer: () => null }) },
  } as unknown as SubjectParts;
  const subjects = entries.map(
    ([bench, i]): Subject => ({
      ...{ kind: 'entry', bench, report: 0 },
      label: sessions[bench]?.reports[0]?.entries[i]?.label ?? '',
    }),
  );
  const loaded = await Promise.all(subjects.map((subject) => loadSubject(subject, parts)));
  const [reference] = loaded;
  if (reference === undefined) throw new Error('nothing was loaded');
  return comparedRows(loaded, reference);
}

/** The second row, against the first. */
async function secondOf(first: Session, second = first): Promise<ComparedRow | undefined> {
  const of = first === second ? 'first' : 'second';
  const { rows } = await comparedOf({ first, second }, [
    ['first', 0],
    [of, 1],
  ]);
  return rows[1];
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

const rules = { margin: 0.01, noise };
const all = ['a', 'b'].flatMap((name) => [0, 1].map((i) => [name, i] as const));

/** The session as measured elsewhere, or of something else. */
function changed(session: Session, change: (report: SessionReport) => Partial<SessionReport>): Session {
  return { ...session, reports: session.reports.map((report) => ({ ...report, ...change(report) })) };
}

test('another benchmark has a group and a reference of its own, and no ratio to the other', async () => {
  const a = sessionOf([evenly, apart], rules);
  const slow = { time_s: 340, wall_s: 400 };
  const b = changed(sessionOf([slow, { time_s: 680, wall_s: 800 }], rules), () => ({ bench: 'views' }));
  const { rows, groups } = await comparedOf({ a, b }, all);
  expect(rows.map(({ group }) => group)).toEqual([0, 0, 1, 1]);
  expect(groups.map(({ reference }) => reference)).toEqual([0, 2]);
  expect(groups.map(({ title }) => title)).toEqual(['', 'views']);
  expect(rows[2]).toMatchObject({ verdict: 'reference', ratio: { value: 1 } });
  expect(rows[3]?.ratio.value).toBeCloseTo(2, 6);
  expect(rows[3]?.verdict).toBe('slower');
  expect(rows[2]?.note).toMatch(/^another benchmark than .*: its times are not compared with those$/);
});

test('another size is another group', async () => {
  const a = sessionOf([evenly, evenly], rules);
  const b = changed(sessionOf([apart, apart], rules), ({ entries }) => ({
    entries: entries.map((entry) => (entry.status === 'measured' ? { ...entry, size: (entry.size ?? 0) + 1 } : entry)),
  }));
  const { rows, groups } = await comparedOf({ a, b }, all);
  expect(rows.map(({ group }) => group)).toEqual([0, 0, 1, 1]);
  expect(new Set(groups.map(({ title }) => title)).size).toBe(2);
  expect(rows[3]).toMatchObject({ ratio: { value: 1 }, verdict: 'same' });
});

test.for([
  ['identifier', { id: 'other' }],
  ['number of cores', { logical_cores: 2 }],
  ['memory', { memory_bytes: 24e9 }],
] as const)('a machine of another %s is another one, whatever its processor is called', async ([, part]) => {
  const a = sessionOf([evenly, evenly], rules);
  const b = changed(sessionOf([apart, apart], rules), ({ machine }) => ({ machine: { ...machine, ...part } }));
  const { rows, groups } = await comparedOf({ a, b }, all);
  expect(rows.map(({ group }) => group)).toEqual([0, 0, 1, 1]);
  expect(new Set(groups.map(({ title }) => title)).size).toBe(2);
  expect(rows[2]?.note).toMatch(/^on another machine than /);
});

test('a GPU of another UUID is another machine', async () => {
  const a = sessionOf([evenly, evenly], rules);
  const b = changed(a, ({ machine }) => ({
    machine: { ...machine, gpu: machine.gpu && { ...machine.gpu, uuid: 'GPU-other' } },
  }));
  expect((await comparedOf({ a, b }, all)).rows.map(({ group }) => group)).toEqual([0, 0, 1, 1]);
});

test('two sessions of one machine share a group and its reference', async () => {
  const [a, b] = [sessionOf([evenly, evenly], rules), sessionOf([apart, apart], rules)];
  const { rows, groups } = await comparedOf({ a, b }, all);
  expect(groups).toHaveLength(1);
  expect(rows[2]?.ratio.value).toBeCloseTo(1.03, 6);
  expect(rows[2]?.note).toBe('from another session: drifts of the machine do not cancel');
});
