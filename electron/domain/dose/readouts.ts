/** Texts of dose readouts: `run` and the page show the same names, digits and order. */
import type { Metrics } from '../../contract/run.ts';
import {
  isLiveReadout,
  type LiveReadouts,
  type Readout,
  readoutEntries,
} from '../../contract/scenario/transport/readouts.ts';
import { fixedDigits, NO_VALUE, significant } from '../numbers.ts';

interface ReadoutText extends Pick<Readout, 'title' | 'unit' | 'about'> {
  /** Value without its unit. */
  readonly value: string;
}

const textOf = ({ title, unit, about, digits }: Readout, value: number | null): ReadoutText => ({
  ...{ title, unit, about },
  value: 'fixed' in digits ? fixedDigits(value, digits.fixed) : significant(value, digits.significant),
});

/** Value with its unit; a missing value has none. */
export const withUnitOf = ({ value, unit }: ReadoutText): string =>
  value === NO_VALUE ? value : `${value} ${unit}`.trim();

type Values = Readonly<Record<string, unknown>>;

function readoutTexts(values: Values, chosen: (readout: Readout) => boolean): readonly ReadoutText[] {
  return readoutEntries.flatMap(([name, readout]) => {
    const value = values[name];
    const isKnown = value === null || typeof value === 'number';
    return isKnown && chosen(readout) ? [textOf(readout, value)] : [];
  });
}

/** Readouts of the summary; those that are known during a run come first. */
export const summaryTexts = (metrics: Metrics): readonly ReadoutText[] =>
  readoutTexts(metrics, ({ summary }) => summary === true);

/** Readouts of the summary that are known during a run. */
export const peakTexts = (metrics: LiveReadouts | Metrics): readonly ReadoutText[] =>
  readoutTexts(metrics, (readout) => isLiveReadout(readout) && readout.summary === true);

/** Readouts of the summary that are known only after a run. */
export const furtherTexts = (metrics: Metrics): readonly ReadoutText[] =>
  readoutTexts(metrics, (readout) => !isLiveReadout(readout) && readout.summary === true);
