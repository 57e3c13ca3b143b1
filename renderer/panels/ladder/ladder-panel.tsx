/** Gain of each step in the ladder of variants, on the machine of the measurement; needs no GPU. */
import '../../widgets/plots/plots.css';
import './ladder-panel.css';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import { isUnproven } from '../../../electron/contract/bench/bench-session.ts';
import type { BenchInfo } from '../../../electron/contract/bench/benches.ts';
import type { Session as SessionData } from '../../../electron/contract/bench/session.ts';
import { scenarioKindNames, scenarioKinds } from '../../../electron/contract/scenario/index.ts';
import { type WorkloadName, workloadSchema } from '../../../electron/contract/workload.ts';
import { provenanceText, reportProvenance } from '../../../electron/domain/provenance.ts';
import { plottedFigure } from '../../drawing/charts/plotted-figure.ts';
import { type SessionCharts, sessionCharts } from '../../drawing/charts/session-charts.ts';
import { claimsFigure } from '../../drawing/figures/claims.ts';
import { exportFigure } from '../../drawing/figures/exported.ts';
import { captionLines } from '../../drawing/figures/figure.ts';
import { referenceBench } from '../../state/comparison.ts';
import { errorText } from '../../state/notices.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import { Select } from '../../widgets/controls/select.tsx';
import { ExportMenu, ReportMenu } from '../../widgets/floating/menu.tsx';
import { ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { ClaimsTable } from '../../widgets/words/claims-table.tsx';
import { EmptyState } from '../../widgets/words/empty-state.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { PanelOffer } from '../../workbench/offers.tsx';

/** Session that the ladder shows, saved per user. */
const schema = z.strictObject({
  /** Session id by workload, shown if nothing is compared. If it no longer exists, the first session is shown. */
  benches: z.partialRecord(workloadSchema, z.string().max(255)),
});
type LadderState = Readonly<z.infer<typeof schema>>;
type LadderStore = StoreApi<LadderState>;

/** Version 1 supported transport only. */
const migrations = {
  1: (data: unknown) => ({ benches: { transport: z.object({ bench: z.string() }).parse(data).bench } }),
};

function createLadderStore(storage: SettingsStorage, onReset: (name: string, reason: string) => void): LadderStore {
  const initial: LadderState = { benches: { transport: 'recorded~h200-uniform-grid-70MeV.json' } };
  return createPersisted<LadderState>({ storage, name: 'ladder', version: 2, schema, initial, onReset, migrations });
}

type SessionLoad =
  | Readonly<{ kind: 'none' }>
  | Readonly<{ kind: 'session'; id: string; session: SessionData }>
  | Readonly<{ kind: 'failed'; reason: string }>;

function useSession(bench: BenchInfo | null): SessionLoad {
  const { client } = useWorkbench();
  const [loaded, setLoaded] = useState<SessionLoad>({ kind: 'none' });
  const id = bench?.id ?? null;
  const ready = bench !== null && bench.state !== 'queued' && bench.state !== 'running';
  useEffect(() => {
    if (id === null || !ready) return setLoaded({ kind: 'none' });
    let current = true;
    client.call('bench.session', { bench: id }).then(
      ({ session }) => current && setLoaded({ kind: 'session', id, session }),
      (error: unknown) => current && setLoaded({ kind: 'failed', reason: errorText(error) }),
    );
    return () => {
      current = false;
    };
  }, [client, id, ready]);
  return loaded;
}

/** Link to Compare, which benchmarks variants. */
function CompareOffer(): ReactElement {
  return <PanelOffer panel="compare" icon="ladder" label="Benchmark in Compare" />;
}

/** Size of exported figures: the width of a page. */
const EXPORT_SIZE = { width: 860, label: 11 } as const;

function Session({ session }: { readonly session: SessionData }): ReactElement {
  const { figures: exports, scheduler } = useWorkbench();
  const [picked, setPicked] = useState(session.reports.length - 1);
  const report = session.reports[Math.min(picked, session.reports.length - 1)];
  const { charts, missing } = useMemo(
    () => (report === undefined ? noCharts : sessionCharts(session, report)),
    [session, report],
  );
  if (report === undefined) {
    return <EmptyState icon="curve" title="This session has no measurements" action={<CompareOffer />} />;
  }
  const provenance = provenanceText(reportProvenance(report, session.created));
  const unproven = report.entries.flatMap((entry) =>
    entry.status === 'measured' && isUnproven(entry.verdict) ? [`${entry.label} (${entry.verdict})`] : [],
  );
  const hasClaims = report.claims.length > 0;
  return (
    <>
      {session.sweep === null ? null : (
        <p className="ladder__value flex center gap-l">
          <span>At {session.sweep.path}</span>
          <Select
            label={`Value of ${session.sweep.path}`}
            value={String(picked)}
            options={session.sweep.values.map((value, i) => ({ value: String(i), label: String(value) }))}
            onChange={(value) => setPicked(Number(value))}
          />
        </p>
      )}
      {unproven.length === 0 ? null : (
        <p className="ladder__wrong danger rounded" role="note">
          Left out of the ladder: {unproven.join(', ')}.
        </p>
      )}
      {charts.length === 0 && !hasClaims ? (
        <EmptyState icon="curve" title="This session has too few measurements for figures" action={<CompareOffer />} />
      ) : null}
      {charts.map(({ id, title, text, chart }) => (
        <section key={id} className="section" aria-label={title} data-testid={`ladder-${id}`}>
          <div className="section__head flex center gap-l">
            <h2>{title}</h2>
            <ExportMenu
              what={title}
              onChoose={(format) => {
                const about = { name: `${report.scenario} ${title}`, title: `${report.scenario}: ${title}`, notes: {} };
                const lines = captionLines(provenance, EXPORT_SIZE.width, EXPORT_SIZE.label);
                void exports.save(plottedFigure(chart, about, { ...EXPORT_SIZE, height: null }, lines), format);
              }}
            />
          </div>
          <p className="section__text muted">{text}</p>
          <ShownChart chart={chart} scheduler={scheduler} />
          <p className="section__note faint small">{provenance}</p>
        </section>
      ))}
      {hasClaims ? (
        <section className="section" aria-label="Claimed and measured" data-testid="ladder-claims">
          <div className="section__head flex center gap-l">
            <h2>Claimed and measured</h2>
            <ExportMenu
              what="Claimed and measured"
              onChoose={(format) => {
                const figure = claimsFigure(report.claims, provenance, EXPORT_SIZE.label);
                const name = `${report.scenario} claims`;
                void exports.save(exportFigure(figure, name, `${report.scenario}: claimed and measured`), format);
              }}
            />
          </div>
          <p className="section__text muted">
            A claim counts as contradicted only if the whole interval is outside of the claimed range, and as confirmed
            only if all of it is inside.
            {report.claims.some(({ priority }) => priority !== undefined)
              ? ' Claims with a priority come first, each with the gain that its source expects.'
              : null}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
          <section className="scroll" tabIndex={0} aria-label="Table of claims">
            <ClaimsTable claims={report.claims} />
          </section>
          <p className="section__note faint small">{provenance}</p>
        </section>
      ) : null}
      {hasClaims ? null : (
        <p className="ladder__missing muted">No claims are known about what this session measures.</p>
      )}
      {missing.map((text) => (
        <p key={text} className="ladder__missing muted">
          {text}
        </p>
      ))}
    </>
  );
}

const noCharts: SessionCharts = { charts: [], missing: [] };

const optionText = ({ name, machine, state, recorded }: BenchInfo): string => {
  const place = recorded ? 'recorded' : state === 'stored' ? 'saved' : state === 'done' ? 'this session' : state;
  return `${name} (${machine}, ${place})`;
};

export default function LadderPanel(): ReactElement {
  const { stores, benches, reports, storage, settingsReset } = useWorkbench();
  const { kind } = useSelected(stores.connection, (state) => state.capabilities.shell);
  const store = useMemo(() => createLadderStore(storage, settingsReset), [storage, settingsReset]);
  const wanted = useSelected(store, ({ benches: chosen }) => chosen);
  const live = useSelected(stores.comparison, (state) => state.live);
  const stored = useSelected(stores.comparison, (state) => state.stored);
  const listed = useSelected(stores.comparison, (state) => state.listed);
  useEffect(() => void benches.refresh(), [benches]);
  const workload = useSelected(stores.comparison, (state) => state.workload);
  const scenarioBench = useSelected(stores.scenario, ({ lastResolved: resolved }) =>
    resolved !== null && 'bench' in resolved ? resolved.bench : '',
  );
  const all = [...live, ...stored].filter((one) => one.workload === workload);
  const compared = useSelected(stores.comparison, referenceBench);
  const [picked, setPicked] = useState<{ readonly compared: string | null; readonly id: string } | null>(null);
  // The ladder and the table next to it show the same session, until the user picks another one here. Without a
  // compared session, the ladder shows the last picked session, or the one that best matches the scenario.
  const candidates = [picked?.compared === compared ? picked.id : null, compared, wanted[workload]];
  const named = candidates.map((id) => all.find((one) => one.id === id)).find((one) => one !== undefined);
  const bench = named ?? all.find((one) => one.bench === scenarioBench) ?? all[0] ?? null;
  const loaded = useSession(bench);
  const last = loaded.kind === 'session' ? loaded.session.reports.length - 1 : 0;
  const subjects = (bench?.subjects ?? []).flatMap(({ subject }) =>
    subject.kind !== 'run' && subject.report === last ? [subject] : [],
  );
  return (
    <div className="plot-panel" data-session={loaded.kind === 'session' ? loaded.id : ''}>
      <div className="panel-bar">
        <Select
          label="Workload of the session"
          value={workload}
          options={scenarioKindNames.map((name) => ({ value: name, label: scenarioKinds[name].title }))}
          onChange={(name) => stores.comparison.show(name as WorkloadName)}
        />
        {all.length === 0 ? null : (
          <Select
            label="Session"
            value={bench?.id ?? ''}
            options={all.map((one) => ({ value: one.id, label: optionText(one) }))}
            onChange={(id) => {
              setPicked({ compared, id });
              store.setState({ benches: { ...wanted, [workload]: id } });
            }}
          />
        )}
        <span className="ladder__scenario clip nowrap muted">{bench === null ? '' : bench.scenario}</span>
        <div className="panel-bar__tools">
          <ReportMenu
            desktop={kind === 'desktop'}
            disabled={subjects.length === 0}
            onChoose={(as) => void reports.save({ title: bench?.name ?? 'Session', subjects, reference: 0 }, as)}
          />
        </div>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className="ladder panel-page grow scroll" tabIndex={0} aria-label="Figures of the session">
        {loaded.kind === 'session' ? <Session key={loaded.id} session={loaded.session} /> : null}
        {loaded.kind === 'failed' ? (
          <EmptyState
            icon="error"
            tone="error"
            title="The session could not be read"
            action={<PanelOffer panel="library" icon="library" label="Search for it in the library" />}
          >
            {loaded.reason}
          </EmptyState>
        ) : null}
        {loaded.kind === 'none' && bench === null ? (
          <EmptyState
            icon="curve"
            title={listed ? 'No session yet' : 'Reading the sessions…'}
            action={listed ? <CompareOffer /> : null}
          >
            {listed ? 'No session of this workload was measured.' : null}
          </EmptyState>
        ) : null}
      </section>
    </div>
  );
}
