/** Audits of one candidate, with numbers worked out by hand. */
import { describe, expect, test } from 'vitest';
import type { MemoryProbe, TaskAudit } from '../../../../../electron/host/io/addon/task.ts';
import { Audits } from '../../../../../electron/host/workloads/task/audits.ts';

const check = { id: 'largest', title: 'Largest error', value: 0, limit: 1e-6, holds: true, where: '' };

const audit = (more: Partial<TaskAudit>): TaskAudit => ({
  ...{ checks: [check], compared: 'all 10 results', results: [], outputs: 10, unwritten: 0, first_unwritten: 0 },
  ...{ inputs_changed: false, probes: [], hidden: [], seconds: 0.001 },
  ...more,
});

const sample = (of: TaskAudit | null) => ({ audit: of, timed_s: 0.01, ended_ns: 0 });

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

describe('probes', () => {
  const honest = { fresh_s: 1.2e-3, again_s: 1e-3, usual_s: 1e-3 };
  const remembering = { fresh_s: 2e-3, again_s: 1e-3, usual_s: 1e-3 };
  const probed = (all: readonly MemoryProbe[]): Audits => {
    const audits = new Audits('cpu');
    for (const one of all) audits.sampled(sample(audit({ probes: [one] })));
    return audits;
  };

  test('accuse what needs twice as long for inputs that it has not seen, 22 times', () => {
    // ln 100,000 = 11.51 = 21.7 × ln(0.85 / 0.5).
    expect(failures(probed(probes(21, remembering)))).toEqual([]);
    expect(failures(probed(probes(22, remembering)))).toEqual([
      ['remembers', expect.stringMatching(/2\.0 times as long.*median of 22/)],
    ]);
  });

  test('one hint asks for more, and one refutation ends the doubt', () => {
    expect(probed([honest]).doubt).toBe(null);
    expect(probed([honest, remembering]).doubt).toBe('probe');
    // ln(0.15 / 0.5) = −1.20 weighs more than two hints of 0.53.
    expect(probed([remembering, remembering, honest]).doubt).toBe(null);
  });

  test('accuse what begins to remember late', () => {
    expect(failures(probed([...probes(500, honest), ...probes(22, remembering)]))).toHaveLength(1);
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
    const hidden = Array.from({ length: 22 }, () => ({ changed_s: 1e-3, before_s: 1e-4 }));
    audits.sampled(sample(audit({ probes: probes(3, honest), hidden })));
    expect(failures(audits)).toEqual([['remembers', expect.stringMatching(/10 times/)]]);
  });

  describe('with other inputs that need longer', () => {
    const otherwise = probes(22, { fresh_s: 1e-3, again_s: 1e-3, usual_s: 1e-4 });
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
      // ln 1,000 = 6.91 = 13.02 × ln(0.85 / 0.5).
      for (let i = 0; i < 14; i += 1) {
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
      audits.sampled({ audit: null, timed_s: 0.02, ended_ns: 1e7 * i, received_ns: 1e7 * i + 1e9 * delay_s(i) });
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
