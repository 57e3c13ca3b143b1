/** Facts common to all points of a process are requested once: a study of small points would wait for them. */
import { expect, test } from 'vitest';
import { studySchema } from '../../../../../electron/contract/study/index.ts';
import { PointSolver } from '../../../../../electron/host/app/studies/points/solver.ts';
import { head, solved } from '../../model/studies/advice/solved.ts';
import { openTestHost } from '../../test-host.ts';

test('where points are solved is looked for once', async () => {
  const test_ = await openTestHost();
  try {
    let asked = 0;
    const { addon, batches, runs, scenarios, userKernels, commit } = test_.host;
    const capabilities = () => {
      asked += 1;
      return test_.host.capabilities();
    };
    const solver = new PointSolver({
      host: { addon, batches, runs, scenarios, userKernels, commit, capabilities },
      ...{ head: head(), study: studySchema.parse({ kind: 'study', version: 1, base: [{ scenario: {} }], axes: [] }) },
      ...{ as: 'runs', slots: 1, threads: 1, at_once: 1, job: '7_1', signal: new AbortController().signal },
    });
    const all = [1, 2, 3].map((n) => solver.failed(solved({ at: { 'problem.n': n } }).line, 'internal', 'no'));
    expect(asked).toBe(1);
    expect(all.map(({ where }) => [where.job, where.cores])).toEqual(
      Array.from({ length: 3 }, () => ['7_1', test_.host.capabilities().cpu.logicalCores]),
    );
  } finally {
    await test_.close();
  }
});
