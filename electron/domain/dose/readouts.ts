/** Dose readouts as text. The command `run` and the page show the same names, digits and order. */
import type { Metrics } from '../../contract/run.ts';
import {
  isLiveReadout,
  type LiveReadouts,
  type Readout,
  readoutEntries,
} from '../../contract/scenario/transport/readouts.ts';
import { fixedDigits, NO_VALUE, significant } from '../numbers.ts';

interface ReadoutText extends Pick<Readout, 'title' | 'unit' | 'about'> {
  /** Formatted value without unit. */
  readonly value: string;
}

const readoutText = ({ title, unit, about, digits }: Readout, value: number | null): ReadoutText => ({
  ...{ title, unit, about },
  value: 'fixed' in digits ? fixedDigits(value, digits.fixed) : significant(value, digits.significant),
});

/** Formatted value with unit; a missing value has no unit. */
export const valueWithUnit = ({ value, unit }: ReadoutText): string =>
  value === NO_VALUE ? value : `${value} ${unit}`.trim();

type Values = Readonly<Record<string, unknown>>;

function readoutTexts(values: Values, chosen: (readout: Readout) => boolean): readonly ReadoutText[] {
  return readoutEntries.flatMap(([name, readout]) => {
    const value = values[name];
    const isKnown = value === null || typeof value === 'number';
    return isKnown && chosen(readout) ? [readoutText(readout, value)] : [];
  });
}

/** All readouts of the summary; those available during the run come first. */
export const summaryReadoutTexts = (metrics: Metrics): readonly ReadoutText[] =>
  readoutTexts(metrics, ({ summary }) => summary === true);

/** Readouts of the summary that are available during the run. */
export const liveReadoutTexts = (metrics: LiveReadouts | Metrics): readonly ReadoutText[] =>
  readoutTexts(metrics, (readout) => isLiveReadout(readout) && readout.summary === true);

/** Readouts of the summary that are available only after the run. */
export const finalReadoutTexts = (metrics: Metrics): readonly ReadoutText[] =>
  readoutTexts(metrics, (readout) => !isLiveReadout(readout) && readout.summary === true);
