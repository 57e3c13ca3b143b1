/**
 * Recorded sessions of every workload, as comparisons read them. Rows of several sessions: comparable rows are grouped,
 * and judged by the sessions' rules.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Subject } from '../../../../../electron/contract/bench/benches.ts';
import type { ComparedRow } from '../../../../../electron/contract/bench/comparison.ts';
import {
  type MeasuredSessionEntry,
  type Session,
  type SessionReport,
  sessionSchema,
} from '../../../../../electron/contract/bench/session.ts';
import { compareRuns, scenarioDifferences } from '../../../../../electron/host/app/compare/compare.ts';
import { comparedRows } from '../../../../../electron/host/app/compare/rows.ts';
import { loadSubject, type SubjectParts } from '../../../../../electron/host/app/compare/subjects.ts';
import { deriveSession, parseSession, readCurrentRules } from '../../../../../electron/host/app/sessions/index.ts';
import { recordedInstances } from '../../../../../electron/host/model/bench/claim-results.ts';
import { pairedRatio } from '../../../../../electron/host/model/bench/comparison.ts';
import { type DoseMap, gammaIndex } from '../../../../../electron/host/model/fields/gamma.ts';
import type { RunData } from '../../../../../electron/host/workloads/transport/run-data.ts';
import { assetsFolder, runScenario, smallScenario } from '../../small-run.ts';

describe('comparison of runs', () => {
  /** A Gaussian ridge along z, moved by `shift_mm` in x and scaled. */
  function ridge(shift_mm: number, scale = 1): DoseMap {
    const [nz, nx, dz_mm, dx_mm] = [8, 60, 1, 0.5];
    const dose = Float64Array.from({ length: nz * nx }, (_, i) => {
      const x = ((i % nx) + 0.5 - nx / 2) * dx_mm - shift_mm;
      return scale * Math.exp(-0.5 * (x / 4) ** 2);
    });
    return { dose, nz, nx, dz_mm, dx_mm };
  }

  describe('the gamma index of maps', () => {
    const strict = { dose: 0.01, distance_mm: 1 };

    test('is 0 for the same map', () => {
      expect(gammaIndex(ridge(0), ridge(0), strict)).toMatchObject({ passed: 1, worst: 0 });
    });

    test('equals the shift over the distance criterion where the dose is steep', () => {
      expect(gammaIndex(ridge(0), ridge(0.5), strict).worst).toBeLessThan(0.55);
      expect(gammaIndex(ridge(0), ridge(0.9), strict).passed).toBe(1);
      expect(gammaIndex(ridge(0), ridge(1.5), strict).passed).toBeLessThan(0.6);
    });

    test('equals the difference over the dose criterion where the dose is flat', () => {
      const flat = (value: number): DoseMap => ({
        dose: new Float64Array(25).fill(value),
        nz: 5,
        nx: 5,
        dz_mm: 1,
        dx_mm: 1,
      });
      expect(gammaIndex(flat(1), flat(1.005), strict).worst).toBeCloseTo(0.5, 9);
      expect(gammaIndex(flat(1), flat(1.02), strict).passed).toBe(0);
      expect(gammaIndex(flat(1), flat(1.02), { dose: 0.02, distance_mm: 2 }).worst).toBeCloseTo(1, 9);
    });
  });

  describe('compared runs', () => {
    let first: RunData;
    let other: RunData;
    beforeAll(async () => {
      first = await runScenario(smallScenario);
      other = await runScenario({ ...smallScenario, solver: { ...smallScenario.solver, precision: 'fp64' } });
    });

    test('have dose, ledger and scenario differences', () => {
      const [a, b] = compareRuns([
        { file: 'a.h5', run: first },
        { file: 'b.h5', run: other },
      ]);
      expect(a?.against_first).toBeNull();
      expect(b?.against_first?.rel_l2).toBeGreaterThan(0);
      expect(b?.against_first?.rel_l2).toBeLessThan(1e-5);
      expect(b?.against_first).toMatchObject({ within_parity: true, same_bits: false, reason: null });
      expect(b?.against_first?.gamma.map(({ passed }) => passed)).toEqual([1, 1]);
      expect(b?.differences).toContainEqual({ what: 'solver.precision', first: '"fp32"', here: '"fp64"' });
    });

    test('have a gamma index but no relL2 if their grids differ', async () => {
      const coarse = await runScenario({ ...smallScenario, grid: { ...smallScenario.grid, dx_mm: 1 } });
      const versus = compareRuns([
        { file: 'a.h5', run: first },
        { file: 'c.h5', run: coarse },
      ])[1]?.against_first;
      expect(versus?.rel_l2).toBeNull();
      expect(versus?.reason).toMatch(/^the grids differ: 44 × 24 and 44 × 12 cells/);
      expect(versus?.gamma[1]?.points).toBeGreaterThan(10);
    });
  });

  test('do not differ if their scenarios have the same meaning in two format versions', () => {
    const document = { kind: 'transport', version: 1, beam: { energy_MeV: 70 } };
    expect(scenarioDifferences(document, { ...document, version: 2, physics: { nuclear: 'off' } })).toEqual([]);
    expect(scenarioDifferences(document, { ...document, version: 2 })).toEqual([
      { what: 'physics', first: '{"nuclear":"off"}', here: 'absent' },
    ]);
  });
});

describe('compared sessions', async () => {
  const folder = path.join(assetsFolder, 'runs');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
  const current = await readCurrentRules(assetsFolder);
  const textOf = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
  const opened = new Map<string, Session>();
  function openSession(name: string): Session {
    const session = opened.get(name) ?? deriveSession(parseSession(textOf(name), name), current);
    opened.set(name, session);
    return session;
  }

  function measuredEntries(session: Session): readonly MeasuredSessionEntry[] {
    return session.reports.flatMap(({ entries }) => entries).filter((entry) => entry.status === 'measured');
  }

  function entryOf(session: Session, label: string): MeasuredSessionEntry {
    const found = measuredEntries(session).find((one) => one.label === label);
    if (found === undefined) throw new Error(`no ${label}`);
    return found;
  }

  describe.for(names)('%s', (name) => {
    test('opens, and reports speed and accuracy of every variant', () => {
      const session = sessionSchema.parse(openSession(name));
      expect(session.reports[0]?.machine.gpu?.name).toMatch(/^NVIDIA (H200|H100 80GB HBM3)$/);
      expect(measuredEntries(session).length).toBeGreaterThan(0);
      for (const { label, accuracy, verdict, samples, time_s, ratio } of measuredEntries(session)) {
        expect(accuracy.length, label).toBeGreaterThan(0);
        // A row must be wrong exactly if it violates a bound.
        expect(verdict === 'wrong', label).toBe(accuracy.some(({ holds }) => !holds));
        expect(samples.length, label).toBeGreaterThan(0);
        expect(time_s).toBeGreaterThan(0);
        expect(ratio.value).toBeGreaterThan(0);
      }
      for (const { reference, entries } of session.reports) {
        const own = entries.find(({ label }) => label === reference);
        expect(own).toMatchObject({ status: 'measured' });
      }
    });
  });

  test('an image session contains its six measures, modes and rates, and ratios along the chain of variants', () => {
    const session = openSession('diffraction/h200-simple-cubic-1024.json');
    const found = entryOf(session, 'diffraction-cuda-mixed');
    expect(found.accuracy.map(({ id }) => id)).toEqual(['rel_l2', 'max', 'bright', 'sum', 'mean', 'correlation']);
    expect(found.modes.find(({ mode }) => mode === 'graph')?.time_s).toBeGreaterThan(0);
    expect(found.roofline?.flops_per_s).toBeGreaterThan(1e12);
    expect(found.size).toBe(1024 * 1024);
    expect(found).toMatchObject({ flagged: 0, determinism: { bitwise: true } });
    const onOthers = measuredEntries(session).filter(({ rung }) => rung !== null);
    expect(onOthers.length).toBeGreaterThan(3);
    const timesOf = ({ samples }: MeasuredSessionEntry) => recordedInstances(samples, ({ time_s }) => time_s) ?? [];
    for (const one of onOthers) {
      const { label, builds_on, rung } = one;
      const { value } = pairedRatio(timesOf(one), timesOf(entryOf(session, builds_on ?? '')));
      expect(value).toBeGreaterThan(0);
      expect(rung?.value, label).toBeCloseTo(value, 9);
      expect(rung?.interval).not.toBeNull();
    }
  });

  test('a layer session lists every check with its bound, and a small workload its numbers and claims', () => {
    const layer = measuredEntries(openSession('linear-relu/layer-1024.json'));
    for (const { accuracy } of layer) expect(accuracy.some(({ bound }) => bound !== null)).toBe(true);
    expect(layer.some(({ accuracy }) => accuracy.some(({ id }) => id === 'mask'))).toBe(true);
    const latency = openSession('micro/latency.json');
    expect(latency.reports[0]).toMatchObject({ bench: 'latency' });
    expect(latency.reports[0]?.claims.some(({ values }) => values.length > 0)).toBe(true);
    expect(measuredEntries(latency).some(({ quantities }) => quantities.length > 0)).toBe(true);
  });

  test('a foreign or damaged file is rejected by name', () => {
    expect(() => parseSession('{', 'x.json')).toThrow('x.json is not JSON');
    expect(() => parseSession('{"format":"mine"}', 'x.json')).toThrow('x.json is not a Braggbench benchmark');
    const text = textOf('micro/latency.json').replace('"format_version":3', '"format_version":7');
    expect(() => parseSession(text, 'x.json')).toThrow(/x\.json cannot be read as a benchmark: format_version/);
  });
});

describe('rows of the comparison', async () => {
  const file = path.join(assetsFolder, 'runs', 'h200-verdicts-water-70MeV.json');
  const current = await readCurrentRules(assetsFolder);
  const recorded = deriveSession(parseSession(readFileSync(file, 'utf8'), file), current);

  const INSTANCES = 6;
  const ROUNDS = 5;

  /** Samples with these times in seconds, which vary by a thousandth from instance to instance. */
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

  /** The recorded session with other times, judged by other rules. */
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

  /** Rows for entries of sessions, each given by its session's name and its index in it; the first is the reference. */
  async function compareEntries(
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

  /** The second row, compared with the first. */
  async function comparedSecondRow(first: Session, second = first): Promise<ComparedRow | undefined> {
    const of = first === second ? 'first' : 'second';
    const { rows } = await compareEntries({ first, second }, [
      ['first', 0],
      [of, 1],
    ]);
    return rows[1];
  }

  const evenly = { time_s: 1, wall_s: 2 };
  const apart = { time_s: 1.03, wall_s: 2 };
  const noise = { ratio: null, floor: 0.05, whole_floor: 0.001 };

  test('ratios inside the margin of their session count as the same', async () => {
    expect((await comparedSecondRow(sessionOf([evenly, apart], { margin: 0.1, noise })))?.verdict).toBe('same');
    expect((await comparedSecondRow(sessionOf([evenly, apart], { margin: 0.01, noise })))?.verdict).toBe('undecided');
  });

  test('the narrower margin of two sessions applies', async () => {
    const [wide, narrow] = [0.1, 0.01].map((margin) => sessionOf([evenly, apart], { margin, noise })) as [
      Session,
      Session,
    ];
    expect((await comparedSecondRow(wide, wide))?.verdict).toBe('same');
    expect((await comparedSecondRow(wide, narrow))?.verdict).toBe('undecided');
    expect((await comparedSecondRow(narrow, wide))?.verdict).toBe('undecided');
  });

  test('end-to-end runs are judged by their own noise floor, not by that of the steps', async () => {
    const slowerWhole = { time_s: 1, wall_s: 2.02 };
    const rules = (floor: number, whole_floor: number) => ({
      margin: 0.005,
      noise: { ratio: null, floor, whole_floor },
    });
    const noisySteps = await comparedSecondRow(sessionOf([evenly, slowerWhole], rules(0.02, 0.001)));
    expect(noisySteps?.whole).toMatchObject({ verdict: 'slower' });
    expect(noisySteps?.whole?.ratio.value).toBeCloseTo(1.01, 6);
    const noisyWholes = await comparedSecondRow(sessionOf([evenly, slowerWhole], rules(0.0001, 0.02)));
    expect(noisyWholes?.whole).toMatchObject({ verdict: 'undecided' });
  });

  test('a session without an end-to-end noise floor reports how it judged end-to-end runs', async () => {
    const older = { margin: 0.01, noise: { ratio: null, floor: 0.0001 } };
    const times = [evenly, { time_s: 1, wall_s: 2.02 }] as const;
    const kept = { ratio: { value: 1.01, interval: null }, verdict: 'slower' } as const;
    expect((await comparedSecondRow(sessionOf(times, older, kept)))?.whole).toMatchObject({ verdict: 'slower' });
    expect((await comparedSecondRow(sessionOf(times, older)))?.whole).toMatchObject({ verdict: 'undecided' });
    // The stored verdict refers to the reference of its own session, not to that of another one.
    expect((await comparedSecondRow(sessionOf(times, older), sessionOf(times, older, kept)))?.whole).toMatchObject({
      verdict: 'undecided',
    });
  });

  test('the control of a session applies to its own reference, not to another chosen row', async () => {
    const control = { value: 1.05, interval: { low: 0.88, high: 1.1 } };
    const session = sessionOf([evenly, apart], { margin: 0.01, noise: { ratio: control, floor: 0.1 } });
    const noiseFor = async (i: number) => (await compareEntries({ first: session }, [['first', i]])).groups[0]?.noise;
    expect(await noiseFor(0)).toEqual({ ratio: control, floor: 0.1 });
    expect(await noiseFor(1)).toEqual({ ratio: null, floor: 0.1 });
  });

  const rules = { margin: 0.01, noise };
  const all = ['a', 'b'].flatMap((name) => [0, 1].map((i) => [name, i] as const));

  /** The session with a changed report, as if measured on another machine or of another scenario. */
  function withChangedReport(session: Session, change: (report: SessionReport) => Partial<SessionReport>): Session {
    return { ...session, reports: session.reports.map((report) => ({ ...report, ...change(report) })) };
  }

  test('another benchmark forms a separate group with its own reference, and has no ratio to the first', async () => {
    const a = sessionOf([evenly, apart], rules);
    const slow = { time_s: 340, wall_s: 400 };
    const b = withChangedReport(sessionOf([slow, { time_s: 680, wall_s: 800 }], rules), () => ({ bench: 'views' }));
    const { rows, groups } = await compareEntries({ a, b }, all);
    expect(rows.map(({ group }) => group)).toEqual([0, 0, 1, 1]);
    expect(groups.map(({ reference }) => reference)).toEqual([0, 2]);
    expect(groups.map(({ title }) => title)).toEqual(['', 'views']);
    expect(rows[2]).toMatchObject({ verdict: 'reference', ratio: { value: 1 } });
    expect(rows[3]?.ratio.value).toBeCloseTo(2, 6);
    expect(rows[3]?.verdict).toBe('slower');
    expect(rows[2]?.note).toMatch(/^the benchmark differs from that of .*: its times cannot be compared$/);
  });

  test('a wrong answer is never a reference, in the first group or in another', async () => {
    const a = sessionOf([evenly, apart], rules);
    const wrong = withChangedReport(sessionOf([evenly, evenly], rules), ({ reference, entries }) => ({
      bench: 'views',
      entries: entries.map((entry) =>
        entry.status === 'measured' && entry.label === reference
          ? { ...entry, verdict: 'wrong' as const, accuracy: entry.accuracy.map((one) => ({ ...one, holds: false })) }
          : entry,
      ),
    }));
    const both = await compareEntries({ a, b: wrong }, all);
    expect(both.groups.map(({ reference }) => reference)).toEqual([0, 3]);
    expect(both.rows.slice(2).map(({ verdict }) => verdict)).toEqual(['wrong', 'reference']);
    const alone = await compareEntries({ a: wrong, b: a }, all);
    expect(alone.groups.map(({ reference }) => reference)).toEqual([1, 2]);
    expect(alone.rows.map(({ verdict }) => verdict).slice(0, 2)).toEqual(['wrong', 'reference']);
  });

  test('another problem size forms a separate group', async () => {
    const a = sessionOf([evenly, evenly], rules);
    const b = withChangedReport(sessionOf([apart, apart], rules), ({ entries }) => ({
      entries: entries.map((entry) =>
        entry.status === 'measured' ? { ...entry, size: (entry.size ?? 0) + 1 } : entry,
      ),
    }));
    const { rows, groups } = await compareEntries({ a, b }, all);
    expect(rows.map(({ group }) => group)).toEqual([0, 0, 1, 1]);
    expect(new Set(groups.map(({ title }) => title)).size).toBe(2);
    expect(rows[3]).toMatchObject({ ratio: { value: 1 }, verdict: 'same' });
  });

  test.for([
    ['identifier', { id: 'other' }],
    ['number of cores', { logical_cores: 2 }],
    ['memory', { memory_bytes: 24e9 }],
  ] as const)(
    'a machine with a different %s is another machine, even if the processor name is the same',
    async ([, part]) => {
      const a = sessionOf([evenly, evenly], rules);
      const b = withChangedReport(sessionOf([apart, apart], rules), ({ machine }) => ({
        machine: { ...machine, ...part },
      }));
      const { rows, groups } = await compareEntries({ a, b }, all);
      expect(rows.map(({ group }) => group)).toEqual([0, 0, 1, 1]);
      expect(new Set(groups.map(({ title }) => title)).size).toBe(2);
      expect(rows[2]?.note).toMatch(/^the machine differs from that of /);
    },
  );

  test('a GPU with a different UUID is another machine', async () => {
    const a = sessionOf([evenly, evenly], rules);
    const b = withChangedReport(a, ({ machine }) => ({
      machine: { ...machine, gpu: machine.gpu && { ...machine.gpu, uuid: 'GPU-other' } },
    }));
    expect((await compareEntries({ a, b }, all)).rows.map(({ group }) => group)).toEqual([0, 0, 1, 1]);
  });

  test('two sessions of one machine share a group and its reference', async () => {
    const [a, b] = [sessionOf([evenly, evenly], rules), sessionOf([apart, apart], rules)];
    const { rows, groups } = await compareEntries({ a, b }, all);
    expect(groups).toHaveLength(1);
    expect(rows[2]?.ratio.value).toBeCloseTo(1.03, 6);
    expect(rows[2]?.note).toBe('from another session, so the ratio includes drift of the machine');
  });
});
