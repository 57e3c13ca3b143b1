/** Provenance of measured numbers, which is shown below every figure. */
import { type SessionMachine, usedGpus } from '../contract/bench/bench-session.ts';
import type { Provenance } from '../contract/bench/comparison.ts';
import { count } from './numbers.ts';

/** Fields by which entries of all workloads identify their hardware. */
type HardwareFields =
  | {
      readonly status: 'measured';
      readonly device: 'cpu' | 'cuda';
      readonly gpu?: number | null | undefined;
      readonly samples: readonly { readonly sm_MHz: number | null }[];
    }
  | { readonly status: 'refused' };

interface SessionProvenance {
  readonly machine: SessionMachine & { readonly cpu: string };
  readonly program: { readonly version: string | null; readonly commit?: string | null | undefined };
  readonly entries: readonly HardwareFields[];
}

/** Provenance of a session's report, including the GPUs that its variants ran on. */
export function reportProvenance({ machine, program, entries }: SessionProvenance, created: string): Provenance {
  const measured = entries.filter((entry) => entry.status === 'measured');
  const used = usedGpus(machine, measured);
  const names = [...new Set(used.map(({ name }) => name))].map((name) => {
    const count = used.filter((gpu) => gpu.name === name).length;
    return count === 1 ? name : `${count} × ${name}`;
  });
  const clocks = measured.flatMap(({ samples }) => samples.flatMap(({ sm_MHz }) => sm_MHz ?? []));
  return {
    machine: names.length === 0 ? machine.cpu : names.join(', '),
    driver: used[0]?.driver ?? null,
    sm_MHz: used.length === 0 || clocks.length === 0 ? null : { low: Math.min(...clocks), high: Math.max(...clocks) },
    version: program.version,
    commit: program.commit ?? null,
    measured: created,
  };
}

/** Formats a date in UTC, such as `20 Nov 2026`, so that figures do not depend on the time zone. */
function formatDay(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return 'time not recorded';
  return time.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
}

export function provenanceText({ machine, driver, sm_MHz, version, commit, measured }: Provenance): string {
  const clocks =
    sm_MHz === null
      ? 'clocks not recorded'
      : sm_MHz.low === sm_MHz.high
        ? `${count(sm_MHz.high)} MHz`
        : `${count(sm_MHz.low)}–${count(sm_MHz.high)} MHz`;
  return [
    machine,
    ...(driver === null ? [] : [`driver ${driver}`]),
    clocks,
    version === null ? 'version not recorded' : `braggbench ${version}`,
    commit === null ? 'commit not recorded' : `commit ${commit.slice(0, 9)}`,
    formatDay(measured),
  ].join(' · ');
}
