/** Audits of one candidate, with numbers worked out by hand. */
import { describe, expect, test } from 'vitest';
import type { MemoryProbe, TaskAudit } from '../../../../../electron/host/io/addon/task.ts';
import { Audits } from '../../../../../electron/host/workloads/task/audits.ts';

const check = { id: 'largest', title: 'Largest error', value: 0, limit: 1e-6, holds: true, where: '' };

const audit = (more: Partial<TaskAudit>): TaskAudit => ({
  ...{ checks: [check], compared: 'all 10 results', results: [], outputs: 10, unwritten: 0, first_unwritten: 0 },
  ...{ inputs_changed: false, probes: [], seconds: 0.001 },
  ...more,
});

const sample = (of: TaskAudit | null) => ({ audit: of, timed_s: 0.01, ended_ns: 0 });

const failures = (audits: Audits) => audits.accuracy().flatMap(({ id, holds, tip }) => (holds ? [] : [[id, tip]]));

const probes = (count: number, times: MemoryProbe): MemoryProbe[] => Array.from({ length: count }, () => times);

test('an audit that finds nothing leaves the checks as they are', () => {
  const audits = new Audits();
  audits.sampled(sample(audit({})));
  expect(audits.accuracy()).toMatchObject([{ id: 'largest', value: 0, bound: 1e-6, holds: true }]);
});

test('one failure among many audits is the one that is shown', () => {
  const audits = new Audits();
  const wrong = { ...check, value: 0.5, holds: false, where: 'result 3 is 0, expected 0.5' };
  for (const one of [check, wrong, check]) audits.sampled(sample(audit({ checks: [one] })));
  expect(failures(audits)).toEqual([['largest', 'Largest error: all 10 results; result 3 is 0, expected 0.5']]);
});

test('unwritten results and changed inputs are named', () => {
  const audits = new Audits();
  audits.sampled(sample(audit({ unwritten: 4, first_unwritten: 6, inputs_changed: true })));
  expect(failures(audits)).toEqual([
    ['unwritten', '4 of 10 results were not written by an audited repetition, the first at 6'],
    ['inputs', expect.stringContaining('wrote to its inputs')],
  ]);
});

describe('probes', () => {
  // Long repetitions: three are enough.
  const honest = { fresh_s: 1.2e-3, again_s: 1e-3, usual_s: 1e-3 };
  const remembering = { fresh_s: 2e-3, again_s: 1e-3, usual_s: 1e-3 };

  test('accuse what needs twice as long for inputs that it has not seen', () => {
    const audits = new Audits();
    audits.sampled(sample(audit({ probes: probes(2, remembering) })));
    expect(failures(audits)).toEqual([]);
    audits.sampled(sample(audit({ probes: probes(1, remembering) })));
    expect(failures(audits)).toEqual([['remembers', expect.stringMatching(/2\.0 times as long.*median of 3/)]]);
  });

  test('do not accuse what varies by a fifth, or one that is slow once', () => {
    const audits = new Audits();
    audits.sampled(sample(audit({ probes: [...probes(8, honest), remembering] })));
    expect(failures(audits)).toEqual([]);
  });

  test('need twelve where repetitions are short', () => {
    const short = { fresh_s: 6e-5, again_s: 3e-5, usual_s: 3e-5 };
    const audits = new Audits();
    audits.sampled(sample(audit({ probes: probes(11, short) })));
    expect(failures(audits)).toEqual([]);
    audits.sampled(sample(audit({ probes: probes(1, short) })));
    expect(failures(audits)).toHaveLength(1);
  });

  test('do not accuse short repetitions, whose branches a processor learns', () => {
    // A layer of 32 outputs: 250 ns with inputs that it has not seen, 120 ns with known ones.
    const audits = new Audits();
    audits.sampled(sample(audit({ probes: probes(40, { fresh_s: 2.5e-7, again_s: 1.2e-7, usual_s: 5e-8 }) })));
    expect(failures(audits)).toEqual([]);
  });

  test('accuse what skips inputs that it has met often, though not at once', () => {
    const audits = new Audits();
    audits.sampled(sample(audit({ probes: probes(3, { fresh_s: 1e-3, again_s: 1e-3, usual_s: 1e-4 }) })));
    expect(failures(audits)).toEqual([['remembers', expect.stringMatching(/10 times/)]]);
  });
});

describe('the clock of the kernel’s process', () => {
  const during = (delay_s: (i: number) => number) => {
    const audits = new Audits();
    for (let i = 0; i < 20; i += 1) {
      audits.sampled({ audit: null, timed_s: 0.02, ended_ns: 1e7 * i, received_ns: 1e7 * i + 1e9 * delay_s(i) });
    }
    return failures(audits);
  };

  test('is not accused for late messages', () => {
    expect(during((i) => (i % 3 === 0 ? 0.002 : 0.3))).toEqual([]);
  });

  test('is accused where it falls behind by half of what it timed', () => {
    // Sample 10 is the first of the second half: it has lost 10 × 0.01 s by then.
    expect(during((i) => 0.01 * i)).toEqual([['clock', expect.stringContaining('lost 0.10 s')]]);
  });
});

test('audits end where they have used their share of the time', () => {
  const audits = new Audits();
  expect(audits.next().audited).toBe(true);
  audits.spent(0.1);
  audits.sampled(sample(audit({ seconds: 0.009 })));
  expect(audits.next().audited).toBe(false);
  audits.spent(0.1);
  expect(audits.next().audited).toBe(true);
});
