/**
 * Lists every published claim next to the values from recorded sessions, with links to the sessions, its map and its
 * subject.
 */
import '../../widgets/plots/plots.css';
import '../../widgets/words/words.css';
import './claims-panel.css';
import { type ReactElement, useCallback, useEffect, useState } from 'react';
import type {
  ClaimAnswer,
  ClaimFinding,
  ClaimMap,
  ClaimTableRow,
  TableClaim,
} from '../../../electron/contract/bench/claim-table.ts';
import {
  ANSWER_TEXTS,
  answerCounts,
  answersByGpuText,
  claimedText,
  claimId,
  gpuAnswerCounts,
  gpusText,
} from '../../../electron/domain/claim-texts.ts';
import { compactCount, NO_VALUE, significant } from '../../../electron/domain/numbers.ts';
import { readableUnit } from '../../../electron/domain/values/units.ts';
import { claimMapChart } from '../../drawing/charts/claim-curve.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { ReadFailure } from '../../workbench/offers.tsx';

/** The claimed value; `NO_VALUE` if the claim has neither a unit nor a measurement. */
export function claimText(claim: TableClaim): string {
  const measured = claim.findings.some(({ value }) => value !== null);
  return claim.unit === '' && !measured ? NO_VALUE : claimedText(claim, claim.unit);
}

const TONES: Readonly<Record<ClaimAnswer['word'], 'good' | 'less' | 'none'>> = {
  true: 'good',
  'true-when': 'none',
  'not-true': 'less',
  'cannot-judge': 'none',
  'not-measured': 'none',
};

export const toneOf = ({ word }: Pick<ClaimAnswer, 'word'>): 'good' | 'less' | 'none' => TONES[word];

/** Tone of a single measurement's verdict. */
export const findingTone = (verdict: string): 'good' | 'less' | 'none' =>
  verdict === 'as claimed' ? 'good' : verdict === 'less' || verdict === 'more' ? 'less' : 'none';

/** True if every searched word occurs in the claim, its id (such as `coalescing/random`), its row or its answer. */
export function matchesSearch(
  row: Pick<ClaimTableRow, 'title' | 'source'>,
  claim: TableClaim,
  sought: string,
): boolean {
  const { answer, about, remark } = claim;
  const words = [row.title, row.source, claimId(claim), claim.claim, answer.sentence, about?.what ?? '', remark ?? ''];
  const text = words.join(' ').toLowerCase();
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Whether the claim was measured on the selected machines, named by `gpusText`; true without a selection. */
const isMeasuredOn = (claim: Pick<TableClaim, 'cards'>, chosen: string): boolean =>
  chosen === '' || gpusText(claim) === chosen;

function FindingRow({ claim, finding }: { readonly claim: TableClaim; readonly finding: ClaimFinding }): ReactElement {
  const { benches } = useWorkbench();
  const { session, report, by, what, value, interval, unit, verdict, scenario, machine, at } = finding;
  const { unit: read, factor } = readableUnit(unit, [value ?? 0]);
  return (
    <tr>
      <th scope="row">
        {by}
        <br />
        <small>{what}</small>
      </th>
      <td className="nowrap">{claimedText(claim, unit)}</td>
      <td className="nowrap">
        {value === null ? NO_VALUE : `${significant(factor * value, 3)}${unit === '×' ? '×' : ` ${read}`}`}
        {interval === null ? null : (
          <small>
            {' '}
            ({significant(factor * interval.low, 3)}–{significant(factor * interval.high, 3)})
          </small>
        )}
      </td>
      <td className="claims-panel__verdict" data-tone={findingTone(verdict)}>
        {verdict}
      </td>
      <td>
        <Button
          title={`${scenario}, ${machine}: times and sources`}
          onPress={() => void benches.compare(session, report)}
        >
          {scenario}
          {at === null ? '' : ` at ${compactCount(at)}`}
        </Button>
        {claim.cards.length > 1 ? (
          <>
            <br />
            <small>{machine}</small>
          </>
        ) : null}
      </td>
    </tr>
  );
}

function FindingRows({ claim }: { readonly claim: TableClaim }): ReactElement | null {
  const found = claim.findings.filter(({ value }) => value !== null);
  if (found.length === 0) return null;
  return (
    <table className="table claims">
      <thead>
        <tr>
          <th scope="col">By</th>
          <th scope="col">Claimed</th>
          <th scope="col">Measured</th>
          <th scope="col">Verdict</th>
          <th scope="col">Session</th>
        </tr>
      </thead>
      <tbody>
        {found.map((finding) => (
          <FindingRow
            key={`${finding.session} ${finding.report} ${finding.by} ${finding.at}`}
            claim={claim}
            finding={finding}
          />
        ))}
      </tbody>
    </table>
  );
}

function Maps({ claim, map }: { readonly claim: TableClaim; readonly map: ClaimMap }): ReactElement {
  const { scheduler } = useWorkbench();
  const unit = map.series[0]?.unit ?? '×';
  const curves = map.series
    .filter((one) => one.unit === unit)
    .map(({ by, points }) => ({
      name: by,
      points: points.map(({ at, value, interval }) => ({ at, gain: { value, interval } })),
    }));
  return (
    <figure data-testid="claim-map">
      <ShownChart chart={claimMapChart(claim, map.path, curves, unit)} scheduler={scheduler} />
      <figcaption className="claims-panel__source faint small">
        {map.scenario}, {map.machine}. {map.series.map(({ by, told }) => `${by}: ${told}`).join('. ')}.
      </figcaption>
    </figure>
  );
}

function Detail({ claim }: { readonly claim: TableClaim }): ReactElement {
  const { about, remark, reason, source, maps, answer } = claim;
  const cards = answersByGpuText(claim);
  const parts = about === null ? [] : [about.what, about.size, about.gpu].filter((part) => part !== null);
  return (
    <div className="claims-panel__detail">
      <p>Answer: {answer.sentence}.</p>
      {parts.length === 0 ? null : <p>Subject: {parts.join('; ')}.</p>}
      <p>Source: {source}.</p>
      {answer.command === null ? null : (
        <p>
          Command that would decide it: <code className="selectable">{answer.command}</code>
        </p>
      )}
      {reason === null ? null : <p>{reason}</p>}
      {remark === null ? null : <p>{remark}</p>}
      {cards === null ? null : <p>{cards}</p>}
      {maps.map((map) => (
        <Maps key={map.session} claim={claim} map={map} />
      ))}
      <FindingRows claim={claim} />
    </div>
  );
}

function Claim({ claim }: { readonly claim: TableClaim }): ReactElement {
  const [open, setOpen] = useState(false);
  return (
    <details
      className="claims-panel__claim line-above"
      data-testid="claim"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <b>{claim.claim}</b>
        <span>{claimText(claim)}</span>
        <span>{claim.answer.number === '' ? NO_VALUE : claim.answer.number}</span>
        <span
          className="claims-panel__verdict clip nowrap"
          data-tone={toneOf(claim.answer)}
          title={claim.answer.sentence}
        >
          {claim.answer.sentence}
        </span>
      </summary>
      {open ? <Detail claim={claim} /> : null}
    </details>
  );
}

type ClaimsLoad =
  | Readonly<{ kind: 'waiting' }>
  | Readonly<{ kind: 'rows'; rows: readonly ClaimTableRow[] }>
  | Readonly<{ kind: 'failed'; reason: string }>;

export default function ClaimsPanel(): ReactElement {
  const { client } = useWorkbench();
  const [loaded, setLoaded] = useState<ClaimsLoad>({ kind: 'waiting' });
  const [sought, setSought] = useState('');
  const [machines, setMachines] = useState('');
  const [word, setWord] = useState('');
  const load = useCallback(() => {
    let current = true;
    client.call('claims.table', {}).then(
      ({ rows }) => current && setLoaded({ kind: 'rows', rows }),
      (error: unknown) => current && setLoaded({ kind: 'failed', reason: errorText(error) }),
    );
    return () => {
      current = false;
    };
  }, [client]);
  useEffect(load, [load]);
  const rows = loaded.kind === 'rows' ? loaded.rows : [];
  const shown = rows
    .map((row) => ({
      ...row,
      claims: row.claims.filter(
        (claim) =>
          isMeasuredOn(claim, machines) &&
          matchesSearch(row, claim, sought) &&
          (word === '' || claim.answer.word === word),
      ),
    }))
    .filter(({ claims }) => claims.length > 0);
  const listed = shown.flatMap(({ claims }) => claims);
  return (
    <div className="plot-panel">
      <div className="panel-bar">
        <span className="claims-panel__search">
          <TextField
            label="Search the claims"
            placeholder="words, verdict or source"
            value={sought}
            onChange={setSought}
          />
        </span>
        <Select
          label="Recorded on"
          value={machines}
          options={[
            { value: '', label: 'Any machine, or none' },
            ...[...gpuAnswerCounts(rows)].sort().map(([text, each]) => ({
              value: text,
              label: `${text.includes(', ') ? text : `${text} alone`} (${each})`,
            })),
          ]}
          onChange={setMachines}
        />
        <Select
          label="Answer"
          value={word}
          options={[
            { value: '', label: 'Any answer' },
            ...Object.entries(ANSWER_TEXTS).map(([value, label]) => ({ value, label })),
          ]}
          onChange={setWord}
        />
        <span className="panel-readout">{loaded.kind === 'rows' ? answerCounts(listed) : ''}</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className="panel-page grow scroll" tabIndex={0} aria-label="Published claims">
        {loaded.kind === 'waiting' ? (
          <p className="claims-panel__source faint small">Judging the recorded sessions…</p>
        ) : null}
        {loaded.kind === 'failed' ? (
          <ReadFailure
            title="The claims could not be read"
            reason={loaded.reason}
            onRetry={() => {
              setLoaded({ kind: 'waiting' });
              load();
            }}
          />
        ) : null}
        {loaded.kind === 'rows' && shown.length === 0 ? (
          <EmptyState
            icon="search"
            title="No claim has these words"
            action={
              <Button
                onPress={() => {
                  setSought('');
                  setMachines('');
                  setWord('');
                }}
              >
                Clear the search
              </Button>
            }
          />
        ) : null}
        {shown.length === 0 ? null : (
          <div className="claims-panel__head muted" aria-hidden="true">
            <span>Claim</span>
            <span>Claimed</span>
            <span>Measured</span>
            <span>Answer</span>
          </div>
        )}
        {shown.map(({ row, title, source, claims }) => (
          <section key={row} className="claims-panel__row" aria-label={title}>
            <h2>
              {row}. {title}
            </h2>
            <p className="claims-panel__source faint small">{source}</p>
            {claims.map((claim) => (
              <Claim key={`${claim.workload} ${claim.bench} ${claim.id}`} claim={claim} />
            ))}
          </section>
        ))}
      </section>
    </div>
  );
}
