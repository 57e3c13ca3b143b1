/** Audits of one candidate, with numbers worked out by hand. */
import { describe, expect, test } from 'vitest';
import type { HiddenChanges, MemoryProbe, TaskAudit } from '../../../../../electron/host/io/addon/task.ts';
import { Audits, costText } from '../../../../../electron/host/workloads/task/audits.ts';

const check = { id: 'largest', title: 'Largest error', value: 0, limit: 1e-6, holds: true, where: '' };

const audit = (more: Partial<TaskAudit>): TaskAudit => ({
  ...{ checks: [check], compared: 'all 10 results', results: [], outputs: 10, unwritten: 0, first_unwritten: 0 },
  ...{ inputs_changed: false, probes: [], seconds: 0.001 },
  ...more,
});

const unchanged: HiddenChanges = { probes: [], unwritten: 0, first_unwritten: 0 };

const sample = (of: TaskAudit | null, hidden = unchanged) => ({ audit: of, hidden, timed_s: 0.01, ended_ns: 0 });

const failures = (audits: Audits) => audits.accuracy().flatMap(({ id, holds, tip }) => (holds ? [] : [[id, tip]]));

const probes = (count: number, times: MemoryProbe): MemoryProbe[] => Array.from({ length: count }, () => times);

test('an audit that finds nothing leaves the checks as they are', () => {
  const audits = new Audits('cpu');
  audits.sampled(sample(audit({})));
  expect(audits.accuracy()).toMatchObject([{ id: 'largest', value: 0, bound: 1e-6, holds: true }]);
});

test('one failure among many audits is the one that is shown', () => {
  const audits = new Audits('cpu');
  const wrong = { ...check, value: 0.5, holds: false, where: 'result 3 is 0, expected 0.5' };
  for (const one of [check, wrong, check]) audits.sampled(sample(audit({ checks: [one] })));
  expect(failures(audits)).toEqual([['largest', 'Largest error: all 10 results; result 3 is 0, expected 0.5']]);
});

test('unwritten results and changed inputs are named', () => {
  const audits = new Audits('cpu');
  audits.sampled(sample(audit({ unwritten: 4, first_unwritten: 6, inputs_changed: true })));
  expect(failures(audits)).toEqual([
    ['unwritten', '4 of 10 results were not written by an audited repetition, the first at 6'],
    ['inputs', expect.stringContaining('wrote to its inputs')],
  ]);
});

test('a result that was poisoned within a sample and not written is named', () => {
  const audits = new Audits('cpu');
  audits.sampled(sample(null, { ...unchanged, unwritten: 2, first_unwritten: 7 }));
  expect(failures(audits)).toEqual([['unwritten', 'Result 7 was not written by a repetition within a sample']]);
});

describe('probes', () => {
  const honest = { fresh_s: 1.2e-3, again_s: 1e-3, usual_s: 1e-3 };
  const remembering = { fresh_s: 2e-3, again_s: 1e-3, usual_s: 1e-3 };
  const probed = (all: readonly MemoryProbe[]): Audits => {
    const audits = new Audits('cpu');
    for (const one of all) audits.sampled(sample(audit({ probes: [one] })));
    return audits;
  };

  test('accuse what needs twice as long for inputs that it has not seen, 24 times', () => {
    // (1.7225²³ + 1.425²³ + 1.2125²³) / 3 = (270,300 + 3,450 + 84) / 3 = 91,300, and 1.72 times as much with one more.
    expect(failures(probed(probes(23, remembering)))).toEqual([]);
    expect(failures(probed(probes(24, remembering)))).toEqual([
      ['remembers', expect.stringMatching(/2\.0 times as long.*24 of 24 probes/)],
    ]);
  });

  test('accuse what remembers in every third call', () => {
    const all = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? remembering : honest));
    expect(failures(probed(all))).toEqual([['remembers', expect.stringMatching(/2\.0 times as long/)]]);
  });

  test('one hint asks for more, and one refutation ends the doubt', () => {
    expect(probed([honest]).doubt).toBe(null);
    expect(probed([honest, remembering]).doubt).toBe('probe');
    // One that is as much shorter: 1.7225 × 0.0225, 1.425 × 0.425 and 1.2125 × 0.7125 are 0.503 on average.
    expect(probed([remembering, { ...remembering, fresh_s: 5e-4 }]).doubt).toBe(null);
    // 1.453 on average after the hint; four alike leave 1.00, five 0.93.
    expect(probed([remembering, ...probes(5, honest)]).doubt).toBe(null);
  });

  test('accuse what begins to remember late', () => {
    expect(failures(probed([...probes(500, honest), ...probes(24, remembering)]))).toHaveLength(1);
  });

  test('do not accuse a kernel whose order matters in one of eight pairs', () => {
    const all = Array.from({ length: 1_000 }, (_, i) => (i % 8 === 0 ? remembering : honest));
    expect(failures(probed(all))).toEqual([]);
  });

  test('do not accuse a machine that is so busy that every third time doubles', () => {
    // Every third time of each doubles: in two of nine probes the first is twice the second.
    const busy = (i: number): number => (i % 3 === 0 ? 2e-3 : 1e-3);
    const all = Array.from({ length: 1_000 }, (_, i) => ({
      ...{ fresh_s: busy(i), again_s: busy(Math.floor(i / 3)), usual_s: busy(Math.floor(i / 9)) },
    }));
    expect(failures(probed(all))).toEqual([]);
  });

  test('do not accuse short repetitions, whose branches a processor learns', () => {
    // A layer of 32 outputs: 250 ns with inputs that it has not seen, 120 ns with known ones.
    expect(failures(probed(probes(40, { fresh_s: 2.5e-7, again_s: 1.2e-7, usual_s: 5e-8 })))).toEqual([]);
  });

  test('accuse what needs longer as soon as a few inputs change within a sample', () => {
    const audits = new Audits('cpu');
    const changes = Array.from({ length: 24 }, () => ({ changed_s: 1e-3, before_s: 1e-4 }));
    audits.sampled(sample(null, { ...unchanged, probes: changes }));
    expect(failures(audits)).toEqual([['remembers', expect.stringMatching(/10 times/)]]);
  });

  describe('with other inputs that need longer', () => {
    const otherwise = probes(24, { fresh_s: 1e-3, again_s: 1e-3, usual_s: 1e-4 });
    const known = audit({ probes: probes(3, { fresh_s: 1e-3, again_s: 1e-3, usual_s: 1e-4 }) });

    test('are no proof: the computation may depend on its data', () => {
      const audits = probed(otherwise);
      expect([failures(audits), audits.doubt]).toEqual([[], 'swap']);
      // In a process that did not know them, the same inputs take as long as where they are known.
      audits.swapped(1.1e-4, known, 0.1);
      expect([failures(audits), audits.doubt]).toEqual([[], null]);
    });

    test('prove memory where the same inputs need longer in a process that does not know them', () => {
      const audits = probed(otherwise);
      // (1.7225¹⁴ + 1.425¹⁴ + 1.2125¹⁴) / 3 = (2,025 + 142 + 15) / 3 = 727 is not yet 1,000.
      for (let i = 0; i < 15; i += 1) {
        expect(audits.doubt).toBe('swap');
        audits.swapped(1e-3, known, 0.1);
      }
      expect(failures(audits)).toEqual([['remembers', expect.stringMatching(/10 times/)]]);
      expect(audits.doubt).toBe(null);
    });
  });
});

describe('the clock of the kernel’s process', () => {
  const during = (delay_s: (i: number) => number) => {
    const audits = new Audits('cpu');
    for (let i = 0; i < 20; i += 1) {
      const ended_ns = 1e7 * i;
      audits.sampled({ ...sample(null), timed_s: 0.02, ended_ns, received_ns: ended_ns + 1e9 * delay_s(i) });
    }
    return failures(audits);
  };

  test('is not accused for late messages', () => {
    expect(during((i) => (i % 3 === 0 ? 0.002 : 0.3))).toEqual([]);
  });

  test('is accused where it falls behind by half of what it timed', () => {
    // The last quarter begins with sample 15, which has lost 15 × 0.01 s by then.
    expect(during((i) => 0.01 * i)).toEqual([['clock', expect.stringContaining('lost 0.15 s')]]);
  });

  test('is not accused where the machine becomes busy once', () => {
    expect(during((i) => (i < 7 ? 0 : 0.4))).toEqual([]);
  });
});

test('audits end where they have used their share of the time', () => {
  const audits = new Audits('cpu');
  expect(audits.next().audited).toBe(true);
  audits.spent(0.1);
  audits.sampled(sample(audit({ seconds: 0.009 })));
  expect(audits.next().audited).toBe(false);
  audits.spent(0.1);
  expect(audits.next().audited).toBe(true);
});

test('the cost of audits is of all candidates together', () => {
  const costs = [
    { audits_s: 0.5, all_s: 10 },
    { audits_s: 0.9, all_s: 10 },
  ];
  expect(costText(costs)).toBe('1.4 s, 7.0 % of the time of all candidates');
  expect(costText([])).toBe(null);
});
