/** The scenario as a form: every field of the schema, with the host's messages. */
import './scenario-panel.css';
import { type ReactElement, useCallback, useMemo, useRef, useState } from 'react';
import { z } from 'zod';
import type { StoreApi } from 'zustand/vanilla';
import type { Issue } from '../../../electron/contract/errors.ts';
import {
  formatPath,
  kindOfDocument,
  type Path,
  parsePath,
  schemaAt,
} from '../../../electron/contract/scenario/index.ts';
import type { ScenarioDraft } from '../../../electron/contract/scenario/workload.ts';
import type { ResolvedScenario } from '../../../electron/contract/scenarios.ts';
import { formatBytes, formatNumber, unitSymbols } from '../../../electron/domain/values/units.ts';
import { classes } from '../../base/classes.ts';
import { createPersisted, type SettingsStorage } from '../../state/persisted.ts';
import { documentOfNotes } from '../../state/scenario.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { IssueList } from '../../widgets/words/issue-list.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { factsOf } from '../../workbench/workload.ts';
import { EnergyField, RangeField, SpotsField } from './beam-fields.tsx';
import { CtField } from './ct-field.tsx';
import { VariantField } from './field.tsx';
import {
  changesSinceNotes,
  currentIssues,
  type FieldModel,
  type Form,
  FormContext,
  issuesAt,
  useForm,
} from './fields.ts';
import { UserMaterialsField } from './materials-field.tsx';
import { MaterialField, RegionsField } from './regions-field.tsx';
import { type Section, sectionSummary, sectionsOf } from './sections.ts';
import { SchemaField, TableField } from './union-fields.tsx';

/** Id of the text below the notes. */
const NOTES_HINT = 'scenario-notes-hint';

/** Derived values of the scenario: its size, by workload, and memory. */
function ResolvedCard({
  resolved,
  source,
}: {
  readonly resolved: ResolvedScenario | null;
  /** Source of the values: the scenario in the form, the one before the last edit, or the last valid one. */
  readonly source: 'this' | 'before' | 'sound';
}): ReactElement {
  const { workloads } = useWorkbench();
  if (resolved === null)
    return (
      <p className="resolved grid sunken line-below resolved--none">Its values appear when the scenario is complete.</p>
    );
  const { estimate } = resolved;
  const share = estimate.total_bytes / estimate.limit_bytes;
  return (
    <dl className={classes('resolved grid sunken line-below', source !== 'this' && 'resolved--stale')}>
      {source === 'sound' ? (
        <div>
          <dt>Last valid values</dt>
          <dd className="text-right semi-strong" />
        </div>
      ) : null}
      {factsOf(workloads, resolved).map(({ name, value, title }) => (
        <div key={name} title={title}>
          <dt>{name}</dt>
          <dd className="text-right semi-strong">{value}</dd>
        </div>
      ))}
      <div title={`Estimate for ${resolved.variant}; the limit is ${formatBytes(estimate.limit_bytes)}`}>
        <dt>Memory</dt>
        <dd className="text-right semi-strong">
          <meter
            className="resolved__meter"
            min={0}
            max={1}
            high={0.8}
            value={Math.min(1, share)}
            aria-label="Share of the memory limit"
          />
          {formatBytes(estimate.total_bytes)}
        </dd>
      </div>
    </dl>
  );
}

// The top of the form shows the number of issues that are marked in fields, and the full text of issues without a
// field.

/** Help for the focused field. */
function FieldHelp({ field }: { readonly field: FieldModel | null }): ReactElement {
  if (field === null) {
    return (
      <div className="field-help rigid clip muted small sunken line-above">
        <p>Grey values are defaults; type to set your own. Choose a field to read what it does.</p>
      </div>
    );
  }
  const fallback =
    typeof field.displayedDefault === 'number'
      ? `${formatNumber(Number(field.displayedDefault.toPrecision(6)))} ${unitSymbols[field.unit]}`.trim()
      : typeof field.displayedDefault === 'string' && field.displayedDefault !== ''
        ? field.displayedDefault
        : null;
  return (
    <div className="field-help rigid clip muted small sunken line-above" aria-live="polite">
      <p>{field.description}</p>
      <p className="field-help__facts flex wrap faint">
        <code>{field.key}</code>
        <span>{field.allowed}</span>
        {fallback === null ? null : <span>default {fallback}</span>}
      </p>
    </div>
  );
}

interface FormIssuesProps {
  readonly issues: readonly Issue[];
  /** Navigates to the field of an issue. */
  readonly goToIssue: (issue: Issue) => void;
}

/** Whether the form has a field for this path. There is no field for keys that the schema does not know. */
function hasField(path: Path | null, draft: ScenarioDraft): boolean {
  return path !== null && path.length > 1 && schemaAt(kindOfDocument(draft), path, draft) !== null;
}

/** Number of invalid values and of warnings. */
export function issueCount(issues: readonly Issue[]): string {
  const errors = issues.filter((issue) => issue.severity === 'error').length;
  const warnings = issues.length - errors;
  const beware = warnings === 1 ? 'one warning' : `${warnings} warnings`;
  if (errors === 0) return beware.replace('one', 'One');
  const wrong = errors === 1 ? 'One value needs attention' : `${errors} values need attention`;
  return warnings === 0 ? wrong : `${wrong}, ${beware}`;
}

function FormIssues({ issues, goToIssue }: FormIssuesProps): ReactElement | null {
  const { draft } = useForm();
  const [next, setNext] = useState(0);
  const inFields = issues.filter((issue) => hasField(parsePath(issue.path), draft));
  const others = issues.filter((issue) => !inFields.includes(issue));
  if (issues.length === 0) return null;
  const severity = issues.some((issue) => issue.severity === 'error') ? 'error' : 'warning';
  const go = (): void => {
    const issue = inFields[next % inFields.length];
    if (issue !== undefined) goToIssue(issue);
    setNext((at) => (at + 1) % Math.max(1, inFields.length));
  };
  return (
    <div className="scenario-panel__issues rounded" data-severity={severity} role="status">
      {others.length === 0 ? null : <IssueList issues={others} onChoose={goToIssue} />}
      {inFields.length === 0 ? null : (
        <p className="scenario-panel__count semi-strong between flex center danger">
          {issueCount(inFields)}
          <Button tone="quiet" icon="down" onPress={go}>
            {inFields.length === 1 ? 'Show' : 'Next'}
          </Button>
        </p>
      )}
    </div>
  );
}

/** Collapsed sections of the form, saved per user. */
const schema = z.strictObject({ closed: z.array(z.string().max(32)).max(32) });
type ScenarioPanelState = Readonly<z.infer<typeof schema>>;
type ScenarioPanelStore = StoreApi<ScenarioPanelState>;

function createScenarioPanelStore(
  storage: SettingsStorage,
  onReset: (name: string, reason: string) => void,
): ScenarioPanelStore {
  // Initially only the solver section is collapsed, because its defaults are good.
  const initial: ScenarioPanelState = { closed: ['solver'] };
  return createPersisted<ScenarioPanelState>({ storage, name: 'scenario-panel', version: 1, schema, initial, onReset });
}

/** Fields that need a special control. */
const special: Readonly<Record<string, (props: { readonly path: Path }) => ReactElement | null>> = {
  'beam.energy_MeV': EnergyField,
  'beam.range_mm': RangeField,
  'beam.range_is': RangeField,
  'beam.spots': SpotsField,
  'geometry.background': MaterialField,
  'geometry.regions': RegionsField,
  'geometry.materials': UserMaterialsField,
  'geometry.ct': CtField,
  'physics.stopping_power': TableField,
  'solver.variant': VariantField,
};

function SectionView({
  section,
  form,
  open,
  toggle,
}: {
  readonly section: Section;
  readonly form: Form;
  readonly open: boolean;
  readonly toggle: () => void;
}): ReactElement {
  const issues = section.fields.flatMap((path) => issuesAt(form.issues, path));
  const faults = issues.filter((issue) => issue.severity === 'error');
  const bad = faults.length > 0;
  return (
    <section className="form-section">
      <h2 className="form-section__title">
        <button className="flex center gap-m wide" type="button" aria-expanded={open} onClick={toggle}>
          <Icon name={open ? 'chevron' : 'right'} size={12} />
          <span>{section.title}</span>
          {bad ? (
            <span className="form-section__bad danger small">
              {faults.length === 1 ? '1 issue' : `${faults.length} issues`}
            </span>
          ) : null}
          {open || bad ? null : (
            <span className="form-section__summary text-right clip nowrap grow faint">
              {sectionSummary(section, form.draft, form.resolved?.scenario ?? null)}
            </span>
          )}
        </button>
      </h2>
      {open ? (
        <div className="form-section__fields grid">
          {section.fields.map((path) => {
            const key = formatPath(path);
            const Special = special[key] ?? SchemaField;
            return <Special key={key} path={path} />;
          })}
        </div>
      ) : null}
    </section>
  );
}

export default function ScenarioPanel(): ReactElement {
  const { stores, storage, settingsReset } = useWorkbench();
  const panelStore = useMemo(() => createScenarioPanelStore(storage, settingsReset), [storage, settingsReset]);
  const closed = useSelected(panelStore, (state) => state.closed);
  const draft = useSelected(stores.scenario, (state) => state.draft);
  const check = useSelected(stores.scenario, (state) => state.check);
  const resolved = useSelected(stores.scenario, (state) => state.lastResolved);
  const generation = useSelected(stores.scenario, (state) => state.generation);
  const issues = useMemo(() => currentIssues(draft, check), [draft, check]);
  const sections = sectionsOf(kindOfDocument(draft));
  const [explained, explain] = useState<FieldModel | null>(null);
  const list = useRef<HTMLDivElement>(null);

  const form: Form = useMemo(
    () => ({ draft, resolved, issues, edit: stores.scenario.edit, endEdit: stores.scenario.endEdit, explain }),
    [draft, resolved, issues, stores.scenario],
  );
  const setOpen = useCallback(
    (id: string, open: boolean) => {
      panelStore.setState((state) => ({
        closed: [...state.closed.filter((each) => each !== id), ...(open ? [] : [id])],
      }));
    },
    [panelStore],
  );
  const lead = (issue: Issue): void => {
    const path = parsePath(issue.path);
    const section = sections.find((each) => each.fields.some((field) => path !== null && field[0] === path[0]));
    if (section !== undefined) setOpen(section.id, true);
    // Focus after the section has been drawn.
    requestAnimationFrame(() => focusField(list.current, path));
  };
  const name = typeof draft['name'] === 'string' ? draft['name'] : '';
  const notes = typeof draft['notes'] === 'string' ? draft['notes'] : '';
  const noted = useSelected(stores.scenario, documentOfNotes);
  const stale = useMemo(() => changesSinceNotes(noted, draft), [noted, draft]);

  return (
    <FormContext value={form}>
      <div className="stack wide">
        <ResolvedCard
          resolved={resolved}
          source={check?.draft !== draft ? 'before' : check.resolved === null ? 'sound' : 'this'}
        />
        <div className="scenario-panel__scroll grow scroll" ref={list} key={generation}>
          <FormIssues issues={issues} goToIssue={lead} />
          <div className="scenario-panel__naming grid gap-s">
            <TextField
              label="Name"
              placeholder="Name of this scenario"
              value={name}
              onChange={(value) => form.edit(['name'], value === '' ? undefined : value, 'Name', 'name')}
              onEditEnd={form.endEdit}
            />
            <TextField
              label="Notes"
              placeholder="Notes: purpose and origin of the scenario"
              lines={2}
              value={notes}
              {...(stale !== null && { describedBy: NOTES_HINT })}
              onChange={(value) => form.edit(['notes'], value === '' ? undefined : value, 'Notes', 'notes')}
              onEditEnd={form.endEdit}
            />
            {stale === null ? null : (
              <p className="faint" id={NOTES_HINT}>
                {stale}
              </p>
            )}
          </div>
          {sections.map((section) => (
            <SectionView
              key={section.id}
              section={section}
              form={form}
              open={!closed.includes(section.id)}
              toggle={() => setOpen(section.id, closed.includes(section.id))}
            />
          ))}
        </div>
        <FieldHelp field={explained} />
      </div>
    </FormContext>
  );
}

/** Focuses the field at `path`, or the nearest one that contains it. */
function focusField(list: HTMLElement | null, path: Path | null): void {
  for (let length = path?.length ?? 0; length > 0; length -= 1) {
    const key = formatPath((path ?? []).slice(0, length));
    const row = list?.querySelector(`[data-path="${CSS.escape(key)}"]`);
    const control = row?.querySelector<HTMLElement>('input, select, textarea, button');
    if (control) {
      control.focus();
      return;
    }
  }
}
