import { expect, it } from 'vitest';
import { samplesCsv } from '../../../../electron/cli/reports/samples-csv.ts';
import type { Session } from '../../../../electron/contract/bench/session.ts';

const gpu = (name: string) => ({ name, uuid: name, driver: null, ceilings: null });
const entry = (label: string, device: 'cpu' | 'cuda', index: number | null) => ({
  ...{ status: 'measured', label, device, gpu: index, precision: 'fp32', verdict: 'same' },
  samples: [{ round: 0, time_s: 0.25, sm_MHz: null, flag: label === 'b' ? 'hot, "slow"' : null }],
});

it('names of every sample the device that it ran on, and quotes what tables would split', () => {
  const machine = { cpu: 'A CPU', gpu: gpu('First'), gpus: [{ index: 1, ...gpu('Second') }] };
  const entries = [entry('a', 'cpu', null), entry('b', 'cuda', null), entry('b:1', 'cuda', 1)];
  const report = { entries, external: [], program: { commit: null }, machine };
  const { text, rows } = samplesCsv({ reports: [report], sweep: null } as unknown as Session);
  expect(rows).toBe(3);
  expect(text.split('\n')).toEqual([
    'at,variant,kind,device,precision,round,time_s,sm_MHz,flag,verdict,commit',
    ',a,variant,A CPU,fp32,0,0.25,,,same,',
    ',b,variant,First,fp32,0,0.25,,"hot, ""slow""",same,',
    ',b:1,variant,Second,fp32,0,0.25,,,same,',
    '',
  ]);
});
