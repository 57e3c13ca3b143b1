/** The parts that each question declares exist: its example, panels and pictures. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { kindOfDocument } from '../../../electron/contract/scenario/index.ts';
import {
  claimedText,
  claimTitle,
  claimVerdictText,
  pairText,
  sortByPriority,
} from '../../../electron/domain/claim-texts.ts';
import { factorText, measuredTime, spreadText, timeAndSpread } from '../../../electron/domain/measured.ts';
import {
  compactCount,
  count,
  duration,
  fixedDigits,
  formatError,
  percent,
  significant,
  timeLeft,
  timeOfDay,
} from '../../../electron/domain/numbers.ts';
import { arrowStep, moveBySteps, nudge, parseEntry } from '../../../renderer/base/entry.ts';
import { loadLatest } from '../../../renderer/base/latest-request.ts';
import { type Question, questions } from '../../../renderer/base/questions.ts';
import { sameJson } from '../../../renderer/base/same-json.ts';
import { sortedBy } from '../../../renderer/panels/studies/results-chart.ts';
import { defaultLayouts, panelSlots } from '../../../renderer/state/layout/defaults.ts';
import { panelsOf } from '../../../renderer/state/layout/tree.ts';
import { pageWorkloads } from '../../../renderer/workloads/index.ts';

describe('basic helpers of the page', () => {
  describe('numbers as text', () => {
    it('keep the known digits', () => {
      expect([40.8, 0.5, 123456, 0.00012, 0, -Math.PI].map((value) => significant(value, 4))).toEqual([
        '40.80',
        '0.5000',
        '1.235×10⁵',
        '1.200×10⁻⁴',
        '0',
        '−3.142',
      ]);
      expect([33792, 99999.9, 9999.96, 12345].map((value) => significant(value, 3))).toEqual([
        '33800',
        '100000',
        '10000',
        '12300',
      ]);
      expect([null, undefined, Number.NaN].map((value) => significant(value))).toEqual(['–', '–', '–']);
      expect([fixedDigits(-0.001, 2), fixedDigits(-0.04, 2), fixedDigits(null, 1)]).toEqual(['0.00', '−0.04', '–']);
      expect([percent(1), percent(0.5), percent(0.0123), percent(2e-7), percent(0)]).toEqual([
        '100.0 %',
        '50.0 %',
        '1.23 %',
        '2.0×10⁻⁵ %',
        '0 %',
      ]);
      expect([percent(0.9996), percent(0.999_999), percent(1 - 1e-12), percent(1.0004)]).toEqual([
        '99.96 %',
        '99.9999 %',
        '100.0 %',
        '100.0 %',
      ]);
      expect([formatError(4.63e-7), formatError(0)]).toEqual(['4.6×10⁻⁷', '0']);
      expect([compactCount(1_310_000_000), compactCount(36e6), compactCount(512), count(1234567)]).toEqual([
        '1.31 G',
        '36.0 M',
        '512',
        '1\u202f234\u202f567',
      ]);
    });

    it('print times in everyday units', () => {
      expect([0.0123, 0.42, 12.34, 245, 7800].map(duration)).toEqual([
        '12 ms',
        '0.42 s',
        '12.3 s',
        '4 min 05 s',
        '2 h 10 min',
      ]);
      expect([0.3, 7.2, 93].map(timeLeft)).toEqual(['under 1 s', '8 s', '1 min 35 s']);
      const now = new Date('2026-11-21T16:00:00');
      expect(timeOfDay('2026-11-21T14:05:09', now)).toBe('14:05:09');
      expect(timeOfDay('2026-11-20T14:05:09', now)).toBe('20 Nov 14:05');
      expect(timeOfDay('never', now)).toBe('–');
    });
  });

  describe('a measured value', () => {
    it('has a unit and its significant digits', () => {
      expect([6.8e-8, 1.0003e-5, 0.0123, 119, 179.7, null].map(measuredTime)).toEqual([
        '68.0 ns',
        '10.0 µs',
        '12.3 ms',
        '119 s',
        '3 min 00 s',
        '–',
      ]);
      expect(measuredTime(-2e-3)).toBe('−2.00 ms');
      expect(factorText({ value: 0.000689, interval: { low: 0.000672, high: 0.0013 } })).toBe(
        '0.000689× (0.000672–0.00130)',
      );
    });

    it('is shown without a spread if it was measured once', () => {
      expect([spreadText(0, 1), spreadText(0.0021, 7), spreadText(null, 7)]).toEqual(['–', '0.21 %', '–']);
      expect([timeAndSpread(0.0802, 0, 1), timeAndSpread(0.0802, 0.0021, 7)]).toEqual([
        '80.2 ms, once',
        '80.2 ms ± 0.21 %',
      ]);
    });

    it("is shown with the claim, in the claim's wording", () => {
      const claim = (from: number, to: number | null, reason: string | null = null) => ({ from, to, reason });
      expect(
        [claim(2, 10), claim(32, 32), claim(1, null), claim(1, null, 'right or wrong')].map((one) => claimedText(one)),
      ).toEqual(['2–10×', '32× ± 20 %', 'faster', '–']);
      expect([claim(5, 20), claim(1500, 1500)].map((one) => claimedText(one, 'µs'))).toEqual([
        '5–20 µs',
        '1500 µs ± 20 %',
      ]);
      expect(claimedText(claim(1.1, null), '')).toBe('above 1.1');
      expect([claim(10, null), claim(0.5, null)].map((one) => claimedText(one))).toEqual([
        'at least 10×',
        'at least 0.5×',
      ]);
      const said = (claim: string, priority?: number) => ({ claim, ...(priority === undefined ? {} : { priority }) });
      const sorted = sortByPriority([said('a'), said('b', 3), said('c', 1), said('d', 3), said('e')]);
      expect(sorted.map(claimTitle)).toEqual(['Priority 1: c', 'Priority 3: b', 'Priority 3: d', 'a', 'e']);
      const pair = { slower: 'a, whole run', faster: 'ab', verdict: 'more' as const };
      expect([pairText(pair), claimVerdictText(pair)]).toEqual(['a, whole run → ab', 'more']);
      const wrong = { ...pair, wrong: ['a'] };
      expect([pairText(wrong), claimVerdictText(wrong)]).toEqual([
        'a, whole run (wrong) → ab',
        'more, with a wrong result',
      ]);
    });
  });

  describe('typed numbers', () => {
    it('may have a unit of the same kind, a decimal comma, or an exponent', () => {
      expect(parseEntry('70', 'MeV')).toBe(70);
      expect(parseEntry(' 5 cm ', 'mm')).toBe(50);
      expect(parseEntry('0,07 GeV', 'MeV')).toBe(70);
      expect(parseEntry('5 µm', 'mm')).toBe(0.005);
      expect(parseEntry('−1.5e-3', '1')).toBe(-0.0015);
      expect(parseEntry('180 deg', 'mrad')).toBeCloseTo(3141.59, 1);
      expect(parseEntry('45°', 'deg')).toBe(45);
    });

    it('are rejected with another unit or any other text', () => {
      for (const text of ['', '-', 'abc', '5 MeV', '1 2', '1.2.3', '0x10', 'Infinity', 'NaN', '1e9999']) {
        expect(parseEntry(text, 'mm'), text).toBeNull();
      }
    });

    it('read back as they were printed', () => {
      fc.assert(
        fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
          expect(parseEntry(String(value), '1')).toBe(value + 0); // -0 is 0
        }),
      );
    });

    it('change in their second digit when stepped, and stay within their bounds', () => {
      expect([arrowStep(70, 'normal', false), arrowStep(0.2, 'normal', false), arrowStep(70, 'coarse', false)]).toEqual(
        [1, 0.01, 10],
      );
      const free = { min: -1e9, max: 1e9, whole: false };
      expect([nudge(70, 1, 'normal', free), nudge(0.2, -1, 'normal', free), nudge(0.3, 1, 'fine', free)]).toEqual([
        71, 0.19, 0.301,
      ]);
      expect(nudge(0.5, -1, 'coarse', { min: 0.5, max: 1000, whole: false })).toBe(0.5);
      expect(nudge(5, 1, 'fine', { min: 0, max: 100, whole: true })).toBe(6);
      // The result of several key presses: steps of one below a hundred, of ten above.
      expect([
        moveBySteps(98, 4, 'normal', free),
        moveBySteps(98, 0, 'normal', free),
        moveBySteps(0.12, -3, 'normal', free),
      ]).toEqual([120, 98, 0.09]);
      expect(moveBySteps(5, -9, 'normal', { min: 1, max: 9, whole: true })).toBe(1);
    });
  });

  it('plain values are compared independently of the order of their keys', () => {
    expect(sameJson({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true);
    expect(sameJson({ a: 1 }, { a: 1, b: undefined })).toBe(false);
    expect(sameJson([1, 2], { 0: 1, 1: 2 })).toBe(false);
    expect(sameJson(null, {})).toBe(false);
  });
});

describe('latest-only loading', () => {
  const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

  it('loads the last requested item, also after a failure', async () => {
    let [want, there]: [string | null, string | null] = ['a', null];
    const requested: { readonly what: string; done(): void; fail(): void }[] = [];
    const failures: unknown[] = [];
    const follow = loadLatest({
      neededItem: () => (want === there ? null : want),
      load: (what: string) =>
        new Promise<void>((resolve, reject) => {
          const done = () => {
            there = what;
            resolve();
          };
          requested.push({ what, done, fail: () => reject(new Error(what)) });
        }),
      failed: (error) => failures.push(error),
    });
    const first = follow();
    for (const next of ['b', 'c']) {
      want = next;
      void follow();
    }
    requested[0]?.fail();
    await turn();
    // An outdated request that fails blocks no later request.
    expect(requested.map(({ what }) => what)).toEqual(['a', 'c']);
    requested[1]?.fail();
    await first;
    expect(failures).toHaveLength(2);
    expect(requested).toHaveLength(2);
    const again = follow();
    requested[2]?.done();
    await again;
    expect(there).toBe('c');
    await follow();
    expect(requested.map(({ what }) => what)).toEqual(['a', 'c', 'c']);
  });
});

describe('sorting rows', () => {
  function sortWithComparator(rows: Uint32Array, numbers: Float64Array): readonly number[] {
    return [...rows].sort((a, b) => (numbers[a] ?? 0) - (numbers[b] ?? 0));
  }

  test('sorts rows by numbers of any kind, and keeps equal rows in order', () => {
    const few = fc.constantFrom(0, -0, 1, -1, 2.5, 5e-324, -5e-324, Number.MAX_VALUE, -Number.MAX_VALUE);
    const number = fc.oneof(few, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
    fc.assert(
      fc.property(
        fc.array(number, { minLength: 3000, maxLength: 3000 }),
        fc.integer({ min: 1, max: 5 }),
        (list, step) => {
          const numbers = Float64Array.from(list);
          const rows = Uint32Array.from({ length: Math.floor(numbers.length / step) }, (_, k) => k * step);
          expect([...sortedBy(rows, numbers)]).toEqual(sortWithComparator(rows, numbers));
        },
      ),
      { numRuns: 20 },
    );
  });

  test('sorts zero, one or few rows', () => {
    const numbers = Float64Array.of(3, 1, 2, 1);
    expect([...sortedBy(new Uint32Array(), numbers)]).toEqual([]);
    expect([...sortedBy(Uint32Array.of(2), numbers)]).toEqual([2]);
    expect([...sortedBy(Uint32Array.of(0, 1, 2, 3), numbers)]).toEqual([1, 3, 2, 0]);
  });
});

describe('guided questions', () => {
  const assets = path.resolve(import.meta.dirname, '../../../assets');
  const json = (...parts: readonly string[]): unknown => JSON.parse(readFileSync(path.join(assets, ...parts), 'utf8'));
  const draftOf = ({ scenario }: Question) => json('scenarios', scenario) as Parameters<typeof kindOfDocument>[0];
  const most_bytes = 50_000;

  describe.each(questions)('the question $id', (question) => {
    const kind = kindOfDocument(draftOf(question));
    const inLayout = panelsOf(defaultLayouts(pageWorkloads)[kind][question.layout].wide);

    it('opens panels of its layout and workload, with hints in three of them', () => {
      expect(inLayout).toEqual(
        expect.arrayContaining([...question.panels, ...question.hints.map(({ panel }) => panel)]),
      );
      expect(new Set(question.hints.map(({ panel }) => panel)).size).toBe(3);
      expect(question.panels).toContain(question.picture);
    });

    it('uses sentences of at most 25 words', () => {
      const said = [question.title, question.text, ...question.hints.map(({ text }) => text)];
      for (const sentence of said.flatMap((text) => text.split(/(?<=[.:!?]) /))) {
        expect(sentence.split(/\s+/).length, sentence).toBeLessThanOrEqual(25);
      }
    });

    it('has pictures of both themes, small enough to ship with the page', () => {
      for (const theme of ['light', 'dark']) {
        const file = path.join(assets, 'questions', `${question.id}-${theme}.webp`);
        expect(readFileSync(file).subarray(8, 12).toString()).toBe('WEBP');
        expect(statSync(file).size).toBeLessThan(most_bytes);
      }
    });
  });

  const of = <K extends Question['example']['kind']>(kind: K) =>
    questions.flatMap(({ example }) =>
      example.kind === kind ? [example as Extract<typeof example, { kind: K }>] : [],
    );

  it('name only sessions that ship with the program and contain the reference row, which is correct', () => {
    const named = of('session');
    expect(named.length).toBeGreaterThan(0);
    for (const { session, reference } of named) {
      const { reports } = json('runs', session) as {
        reports: { entries: { label: string; status: string; verdict: string }[] }[];
      };
      const found = reports.at(-1)?.entries.find(({ label }) => label === reference);
      expect(found, session).toMatchObject({ status: 'measured' });
      expect(found?.verdict).not.toBe('wrong');
    }
  });

  it('name only recorded runs that ship with the program', () => {
    for (const { run } of of('recorded')) {
      expect(existsSync(path.join(assets, 'runs', run.replace(/^recorded\//, ''))), run).toBe(true);
    }
  });

  it('have their gallery among the panels', () => {
    expect(panelSlots.map(({ id }) => id)).toContain('questions');
  });
});
