/** Misset angles and cell: start, value after each iteration, and result. */
import type { ReactElement } from 'react';
import {
  type CrystalUnknown,
  crystalUnknowns,
  refineParameterGroups,
} from '../../../electron/contract/scenario/diffraction/refining.ts';
import { fixedDigits, significant } from '../../../electron/domain/numbers.ts';
import type { FitChoice, RefineState } from '../../data/refine-feed.ts';

const DIGITS = 4;

const unknownsOf = (fit: FitChoice): readonly CrystalUnknown[] =>
  crystalUnknowns.filter(({ of }) => (refineParameterGroups[fit] as readonly string[]).includes(of));

interface ValuesProps {
  readonly state: RefineState;
  /** Start value from the scenario form; null if the form has none. */
  readonly startOf: (unknown: CrystalUnknown) => number | null;
}

/** Before the first iteration, the form's values are shown as the start. */
export function FitValues({ state, startOf }: ValuesProps): ReactElement {
  const { iterations, refined } = state;
  const begun = iterations.length > 0;
  const unknowns = unknownsOf(begun ? state.fitted : state.fit);
  const columns = iterations.map(({ iteration, taken }) => ({ iteration, taken }));
  const beginning = (k: number, unknown: CrystalUnknown) => (begun ? iterations[0]?.values[k] : startOf(unknown));
  // The result is in its own rows above the iterations, because those scroll in a narrow window.
  const beneath = refined === null ? null : <td colSpan={2} />;
  return (
    <table className="table refine-values" data-testid="refine-values">
      <caption className="visually-hidden">Misset and cell by iteration</caption>
      <thead>
        <tr>
          <th scope="col">Iteration</th>
          {refined === null ? null : (
            <>
              <th scope="col" className="refine-values__found">
                Found
              </th>
              <th scope="col" title="One standard deviation, from the residuals">
                ±
              </th>
            </>
          )}
          <th scope="col">{begun ? '1, start' : 'Start'}</th>
          {columns.slice(1).map(({ iteration, taken }) => (
            <th key={iteration} scope="col" data-missed={!taken} title={taken ? undefined : 'Worse: not used'}>
              {iteration}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {unknowns.map((unknown, k) => {
          const found = refined?.unknowns.find(({ id }) => id === unknown.id);
          return (
            <tr key={unknown.id}>
              <th scope="row">
                {unknown.title} <small>{unknown.unit}</small>
              </th>
              {found === undefined ? null : (
                <>
                  <td className="refine-values__found selectable">{fixedDigits(found.value, DIGITS)}</td>
                  <td className="selectable">{significant(found.sigma, 2)}</td>
                </>
              )}
              <td>{fixedDigits(beginning(k, unknown), DIGITS)}</td>
              {iterations.slice(1).map(({ iteration, taken, values }) => (
                <td key={iteration} data-missed={!taken}>
                  {fixedDigits(values[k], DIGITS)}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
      {begun ? (
        <tfoot>
          <tr>
            <th scope="row">
              Residual <small>counts</small>
            </th>
            {beneath}
            {iterations.map(({ iteration, taken, rms }) => (
              <td key={iteration} data-missed={!taken}>
                {significant(rms, 4)}
              </td>
            ))}
          </tr>
          <tr>
            <th scope="row">Correlation</th>
            {beneath}
            {iterations.map(({ iteration, taken, correlation }) => (
              <td key={iteration} data-missed={!taken}>
                {fixedDigits(correlation, 6)}
              </td>
            ))}
          </tr>
          <tr>
            <th scope="row">
              Time <small>s</small>
            </th>
            {beneath}
            {iterations.map(({ iteration, seconds }) => (
              <td key={iteration}>{significant(seconds, 2)}</td>
            ))}
          </tr>
        </tfoot>
      ) : null}
    </table>
  );
}
