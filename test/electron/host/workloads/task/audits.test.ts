/** Audits of one candidate, with numbers calculated by hand. */
import { describe, expect, test } from 'vitest';
import { correctnessOf, correctnessReason } from '../../../../../electron/contract/bench/session.ts';
import type {
  HiddenChangeChecks,
  MemoryProbe,
  TaskAudit,
  TaskProblem,
} from '../../../../../electron/host/io/addon/task.ts';
import { Audits, costOf, costText, taskAccuracy } from '../../../../../electron/host/workloads/task/audits.ts';
import { mayAlterInputs } from '../../../../../electron/host/workloads/task/user-problem/definition.ts';

const check = { id: 'largest', title: 'Largest error', value: 0, limit: 1e-6, holds: true, where: '' };

const audit = (more: Partial<TaskAudit>): TaskAudit => ({
  ...{ checks: [check], compared: 'all 10 results', results: [], outputs: 10, unwritten: 0, first_unwritten: 0 },
  ...{ inputs_changed: false, probes: [], seconds: 0.001 },
  ...more,
});

const unchangedInputs: HiddenChangeChecks = { probes: [], unwritten: 0, first_unwritten: 0 };

const newAudits = (suspected = true): Audits => new Audits({ device: 'cpu', suspected, state_bytes: 0 });

const sample = (of: TaskAudit | null, hidden = unchangedInputs) => ({ audit: of, hidden, timed_s: 0.01, ended_ns: 0 });

const failures = (audits: Audits) => audits.accuracy().flatMap(({ id, holds, tip }) => (holds ? [] : [[id, tip]]));

const probes = (count: number, times: MemoryProbe): MemoryProbe[] => Array.from({ length: count }, () => times);

test('an audit without findings does not change the checks', () => {
  const audits = newAudits();
  audits.addSample(sample(audit({})));
  expect(audits.accuracy()).toMatchObject([{ id: 'largest', value: 0, bound: 1e-6, holds: true }]);
});

test('a single failure among many audits is shown', () => {
  const audits = newAudits();
  const wrong = { ...check, value: 0.5, holds: false, where: 'result 3 is 0, expected 0.5' };
  for (const one of [check, wrong, check]) audits.addSample(sample(audit({ checks: [one] })));
  expect(failures(audits)).toEqual([['largest', 'Largest error: all 10 results; result 3 is 0, expected 0.5']]);
});

test('unwritten results and modified inputs are named', () => {
  const audits = newAudits();
  audits.addSample(sample(audit({ unwritten: 4, first_unwritten: 6, inputs_changed: true })));
  expect(failures(audits)).toEqual([
    ['unwritten', '4 of 10 results were not written in an audited repetition, the first at 6'],
    ['inputs', expect.stringContaining('wrote to its inputs')],
  ]);
});

test('a result that was poisoned within a sample and not rewritten is named', () => {
  const audits = newAudits();
  audits.addSample(sample(null, { ...unchangedInputs, unwritten: 2, first_unwritten: 7 }));
  expect(failures(audits)).toEqual([['unwritten', 'Result 7 was not written in a repetition within a sample']]);
});

test('a wrong result after some inputs change is an error of the kernel', () => {
  const audits = newAudits();
  const where = 'results[7] is 1, expected 2';
  audits.addSample(sample(audit({ alteredChecks: [{ ...check, value: 1, holds: false, where }] })));
  expect(failures(audits)).toEqual([
    ['largest', `Largest error: all 10 results, after some of the inputs changed; ${where}`],
  ]);
  expect(audits.summary).toMatch(/1 audits in 1 samples, 1 with some inputs changed/);
});

test('inputs are altered in the first audit of a user kernel, and never for a shipped variant', () => {
  const audits = newAudits();
  expect(audits.planNextSample().altered).toBe(true);
  expect(newAudits(false).planNextSample().altered).toBe(false);
});

test('rows of a diagonally dominant matrix are not swapped', () => {
  const of = (shape: readonly string[], values: object): boolean => {
    const arrays = [
      { name: 'a', role: 'input', type: 'fp64', shape, values },
      { name: 'y', role: 'output', type: 'fp64', shape: ['n'], tolerance: { relative: 1e-9 } },
    ];
    const definition = { axes: [{ name: 'n' }], arrays, reference: 'reference.mjs' };
    return mayAlterInputs({ words: { definition: JSON.stringify(definition) } } as unknown as TaskProblem);
  };
  const drawn = { kind: 'uniform', min: -1, max: 1 };
  expect(of(['n', 'n'], drawn)).toBe(true);
  expect(of(['n', 'n'], { ...drawn, diagonal: 'n' })).toBe(false);
  // The eight matrices can be swapped, although their diagonals must stay in place.
  expect(of(['8', 'n', 'n'], { ...drawn, diagonal: 'n' })).toBe(true);
});

describe('probes for memoisation', () => {
  const honest = { fresh_s: 1.2e-3, again_s: 1e-3, usual_s: 1e-3 };
  const remembering = { fresh_s: 2e-3, again_s: 1e-3, usual_s: 1e-3 };
  const probed = (all: readonly MemoryProbe[]): Audits => {
    const audits = newAudits();
    for (const one of all) audits.addSample(sample(audit({ probes: [one] })));
    return audits;
  };

  test('suspect a kernel that takes twice as long for unseen inputs in 24 probes', () => {
    // (1.7225²³ + 1.425²³ + 1.2125²³) / 3 = (270,300 + 3,450 + 84) / 3 = 91,300; one more probe multiplies it by 1.72.
    expect(failures(probed(probes(23, remembering)))).toEqual([]);
    expect(failures(probed(probes(24, remembering)))).toEqual([
      ['remembers', expect.stringMatching(/2\.0 times as long.*24 of 24 probes/)],
    ]);
  });

  test('suspect a kernel that remembers its result in every third call', () => {
    const all = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? remembering : honest));
    expect(failures(probed(all))).toEqual([['remembers', expect.stringMatching(/2\.0 times as long/)]]);
  });

  test('continue after a single suspicion, and stop after a single refutation', () => {
    expect(probed([honest]).nextCheck).toBe(null);
    expect(probed([honest, remembering]).nextCheck).toBe('probe');
    // A probe that is shorter by the same factor: 1.7225 × 0.0225, 1.425 × 0.425 and 1.2125 × 0.7125 are 0.503 on
    // average.
    expect(probed([remembering, { ...remembering, fresh_s: 5e-4 }]).nextCheck).toBe(null);
    // The average is 1.453 after the first probe; four honest ones reduce it to 1.00, five to 0.93.
    expect(probed([remembering, ...probes(5, honest)]).nextCheck).toBe(null);
  });

  test('end at the first proof that a kernel is wrong', () => {
    const proofs: readonly ReturnType<typeof sample>[] = [
      sample(audit({ checks: [{ ...check, value: 1, holds: false }] })),
      sample(audit({ unwritten: 1 })),
      sample(audit({ inputs_changed: true })),
      sample(null, { ...unchangedInputs, unwritten: 1 }),
    ];
    for (const proof of proofs) {
      const audits = probed([honest, remembering]);
      // Allows time for more probes.
      audits.addTime(10);
      expect([audits.nextCheck, audits.planNextSample().probed]).toEqual(['probe', true]);
      audits.addSample(proof);
      expect([audits.nextCheck, audits.planNextSample().probed, correctnessOf(audits.accuracy())]).toEqual([
        null,
        false,
        'wrong',
      ]);
    }
  });

  test('leave a kernel not checked while a suspicion is open, and report what would decide it', () => {
    const open = probed([honest, remembering]).accuracy();
    expect(correctnessOf(open)).toBe('not checked');
    expect(correctnessReason(open)).toBe(
      'It may remember results: new inputs took 2.0 times as long in 1 of 1 probes. A longer session or an idle machine would decide',
    );
    expect(correctnessOf(probed([honest, remembering, ...probes(5, honest)]).accuracy())).toBe('correct');
    expect(correctnessOf(probed(probes(23, remembering)).accuracy())).toBe('not checked');
    expect(correctnessOf(probed(probes(24, remembering)).accuracy())).toBe('wrong');
  });

  test('are limited to their share of the time, except if memoisation is likely', () => {
    // Ten samples, each with 0.001 s of audits, exceed 8 % of 0.1 s.
    const within = (all: readonly MemoryProbe[]): Audits => {
      const audits = probed(all);
      audits.addTime(0.1);
      return audits;
    };
    // (1.7225⁹ + 1.425⁹ + 1.2125⁹) / 3 = (133.5 + 24.2 + 5.7) / 3 = 54.5; one more probe gives 90.4, two more 151.
    expect(within(probes(9, remembering)).mayDecide).toBe(false);
    expect(within(probes(11, remembering)).mayDecide).toBe(true);
    const cheap = probed([remembering]);
    cheap.addTime(1);
    expect(cheap.mayDecide).toBe(true);
  });

  test('suspect a kernel that begins to remember late', () => {
    expect(failures(probed([...probes(500, honest), ...probes(24, remembering)]))).toHaveLength(1);
  });

  test('do not suspect a kernel that depends on the call order in one of eight pairs', () => {
    const all = Array.from({ length: 1_000 }, (_, i) => (i % 8 === 0 ? remembering : honest));
    expect(failures(probed(all))).toEqual([]);
  });

  test('do not suspect a kernel on a machine so busy that every third time doubles', () => {
    // Every third time of each kind is doubled: in two of nine probes the first time is twice the second.
    const busy = (i: number): number => (i % 3 === 0 ? 2e-3 : 1e-3);
    const all = Array.from({ length: 1_000 }, (_, i) => ({
      ...{ fresh_s: busy(i), again_s: busy(Math.floor(i / 3)), usual_s: busy(Math.floor(i / 9)) },
    }));
    expect(failures(probed(all))).toEqual([]);
  });

  test('do not suspect short repetitions, whose branches a processor learns', () => {
    // A layer of 32 outputs: 250 ns with new inputs, 120 ns with known ones.
    expect(failures(probed(probes(40, { fresh_s: 2.5e-7, again_s: 1.2e-7, usual_s: 5e-8 })))).toEqual([]);
  });

  test('suspect a kernel that takes longer as soon as a few inputs change within a sample', () => {
    const audits = newAudits();
    const changes = Array.from({ length: 24 }, () => ({ changed_s: 1e-3, before_s: 1e-4 }));
    audits.addSample(sample(null, { ...unchangedInputs, probes: changes }));
    expect(failures(audits)).toEqual([['remembers', expect.stringMatching(/10 times/)]]);
  });

  describe('probes with slower new inputs', () => {
    const otherwise = probes(24, { fresh_s: 1e-3, again_s: 1e-3, usual_s: 1e-4 });
    const known = audit({ probes: probes(3, { fresh_s: 1e-3, again_s: 1e-3, usual_s: 1e-4 }) });

    test('prove nothing, since the time of a computation may depend on its data', () => {
      const audits = probed(otherwise);
      expect([failures(audits), audits.nextCheck]).toEqual([[], 'swap']);
      // A process that has not seen these inputs needs the same time as the process that knows them.
      audits.addSwap(1.1e-4, known, 0.1);
      expect([failures(audits), audits.nextCheck]).toEqual([[], null]);
    });

    test('prove memoisation if the same inputs take longer in a process that has not seen them', () => {
      const audits = probed(otherwise);
      // (1.7225¹⁴ + 1.425¹⁴ + 1.2125¹⁴) / 3 = (2,025 + 142 + 15) / 3 = 727 is not yet 1,000.
      for (let i = 0; i < 15; i += 1) {
        expect(audits.nextCheck).toBe('swap');
        audits.addSwap(1e-3, known, 0.1);
      }
      expect(failures(audits)).toEqual([['remembers', expect.stringMatching(/10 times/)]]);
      expect(audits.nextCheck).toBe(null);
    });
  });
});

describe('the clock of the kernel process', () => {
  const during = (delay_s: (i: number) => number) => {
    const audits = newAudits();
    for (let i = 0; i < 20; i += 1) {
      const ended_ns = 1e7 * i;
      audits.addSample({ ...sample(null), timed_s: 0.02, ended_ns, received_ns: ended_ns + 1e9 * delay_s(i) });
    }
    return failures(audits);
  };

  test('is not suspected because of late messages', () => {
    expect(during((i) => (i % 3 === 0 ? 0.002 : 0.3))).toEqual([]);
  });

  test('is suspected if it lags behind by half of the time that it measured', () => {
    // The last quarter begins with sample 15, which has lost 15 × 0.01 s by then.
    expect(during((i) => 0.01 * i)).toEqual([['clock', expect.stringContaining('lost 0.15 s')]]);
  });

  test('is not suspected if the machine becomes busy once', () => {
    expect(during((i) => (i < 7 ? 0 : 0.4))).toEqual([]);
  });
});

test('a process that is busy between its calls is named, but an idle one is not', () => {
  const between = (cpu_s: number, elapsed_s = 0.2) => {
    const audits = newAudits();
    for (let i = 0; i < 5; i += 1) audits.addSample({ ...sample(null), between: { cpu_s, elapsed_s } });
    return failures(audits);
  };
  // Processor time of up to a tenth of a second is no evidence.
  expect(between(0.019)).toEqual([]);
  expect(between(0.06)).toEqual([['between', expect.stringContaining('0.30 s of CPU time in 1.0 s')]]);
  // A thread that never sleeps gets only a small share of two cores that many other threads use.
  expect(between(0.04, 1)).toEqual([]);
  expect(between(0.06, 1)).toEqual([['between', expect.stringContaining('0.30 s of CPU time in 5.0 s')]]);
});

test('audits end once they have used their share of the time', () => {
  const audits = newAudits();
  expect(audits.planNextSample().audited).toBe(true);
  audits.addTime(0.1);
  audits.addSample(sample(audit({ seconds: 0.009 })));
  expect(audits.planNextSample().audited).toBe(false);
  // One more audit of 0.009 s would be 8.6 % of 0.209 s, or 5.8 % of 0.309 s.
  audits.addTime(0.1);
  expect(audits.planNextSample().audited).toBe(false);
  audits.addTime(0.1);
  expect(audits.planNextSample().audited).toBe(true);
});

test('a shipped variant is audited if that is affordable, and never suspected of memoisation', () => {
  // 3e-9 s per byte: 0.3 s, which is 8 % of 3.75 s.
  const audits = new Audits({ device: 'cpu', suspected: false, state_bytes: 1e8 });
  expect(audits.planNextSample()).toEqual({ audited: false, probed: false, altered: false });
  audits.addTime(3.4);
  expect(audits.planNextSample().audited).toBe(false);
  audits.addTime(0.1);
  expect(audits.planNextSample()).toEqual({ audited: true, probed: false, altered: false });
  const changes = Array.from({ length: 24 }, () => ({ changed_s: 1e-3, before_s: 1e-4 }));
  audits.addSample(sample(null, { ...unchangedInputs, probes: changes }));
  expect([failures(audits), audits.nextCheck]).toEqual([[], null]);
});

test('the cost of audits includes all candidates', () => {
  const costs = [
    { audits_s: 0.5, others_s: 0, all_s: 10 },
    { audits_s: 0.9, others_s: 0, all_s: 10 },
  ];
  const cost = costOf(costs);
  expect(cost).toEqual({ audits_s: expect.closeTo(1.4, 9), others_s: 0, all_s: 20 });
  expect(cost && costText(cost)).toBe('1.4 s, 7.0 % of the time of all candidates');
  expect(costText({ audits_s: 0.5, others_s: 0.25, all_s: 10 })).toBe(
    '0.50 s, 5.0 % of the time of all candidates; other problems before the rounds: 0.25 s',
  );
  expect(costOf([])).toBe(null);
});

test('audits of 1,000 samples use less than a tenth of the time, whatever a single audit costs', () => {
  for (const seconds of [1e-4, 3e-3, 0.02, 0.3]) {
    const audits = newAudits();
    for (let i = 0; i < 1000; i += 1) {
      const isAudited = audits.planNextSample().audited;
      audits.addTime(0.01 + (isAudited ? seconds : 0));
      audits.addSample(sample(isAudited ? audit({ seconds }) : null));
    }
    const { audits_s, all_s } = audits.cost;
    // The first audit is required, and ran before its cost was known.
    expect(audits_s - seconds, `${seconds} s each`).toBeLessThan(0.1 * all_s);
    expect(audits_s).toBeGreaterThan(0);
  }
});

test('a check of the root mean square has the same name as on the page', () => {
  const title = "Error, root mean square over the reference's";
  const check = { id: 'l2', title, value: 1e-3, limit: 2.4e-7, holds: false, where: 'result 7 is 1, expected 2' };
  const compared = '65536 of 1000000 results with FP64';
  expect(taskAccuracy({ checks: [check], compared })).toEqual([
    {
      ...{ id: 'l2', value: 1e-3, holds: false, title: 'RMS error', unit: '', bound: 2.4e-7 },
      tip: 'RMS error relative to the reference: 65\u202f536 of 1\u202f000\u202f000 results with FP64; result 7 is 1, expected 2',
    },
  ]);
});
