/** Adds hardware counters to a session's times. */
import type { MeasuredSessionEntry, Session } from '../../../contract/bench/session.ts';
import { BraggError } from '../../../contract/errors.ts';
import { type Counters, counterQuantities } from './ncu.ts';

const fact = 'Counters';

/**
 * The session with what was counted of a run of `label`, in the place of what it had before. `source` is for a reader.
 * Throws BraggError `invalid` for a label that was not measured, and for a sweep, where a label has several sizes.
 */
export function withCounters(session: Session, label: string, counters: Counters, source: string): Session {
  const [report] = session.reports;
  if (session.sweep !== null || report === undefined) {
    throw new BraggError('invalid', 'counters are of one size: a sweep takes none');
  }
  const measured = report.entries.filter((entry) => entry.status === 'measured');
  if (!measured.some((entry) => entry.label === label)) {
    const labels = measured.map((entry) => entry.label).join(', ');
    throw new BraggError('invalid', `${label} was not measured in this session; allowed: ${labels}`);
  }
  const counted = (entry: MeasuredSessionEntry): MeasuredSessionEntry => ({
    ...entry,
    quantities: [...entry.quantities.filter(({ id }) => !id.startsWith('ncu_')), ...counterQuantities(counters)],
  });
  const told = (text: string): boolean => text.startsWith(`${label}: `);
  return {
    ...session,
    reports: [
      {
        ...report,
        facts: [
          ...report.facts.filter(([name, value]) => name !== fact || !told(value)),
          [fact, `${label}: ${source}, all kernels of one run`],
        ],
        entries: report.entries.map((entry) =>
          entry.status === 'measured' && entry.label === label ? counted(entry) : entry,
        ),
      },
    ],
  };
}
