/** The scenario as a form: every field of the schema, with what the host says about it. */
import { type ReactElement, useCallback, useMemo, useRef, useState } from 'react';
import type { Issue } from '../../../electron/contract/errors.ts';
import { formatPath, kindOfDocument, type Path, parsePath } from '../../../electron/contract/scenario/index.ts';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import { EnergyField, RangeField, SpotsField } from './beam-fields.tsx';
import { CtField } from './ct-field.tsx';
import { FieldHelp } from './field-help.tsx';
import { currentIssues, type FieldModel, issuesAt } from './fields.ts';
import { type Form, FormContext } from './form-context.ts';
import { FormIssues } from './form-issues.tsx';
import { OwnMaterialsField } from './materials-field.tsx';
import { MaterialField, RegionsField } from './regions-field.tsx';
import { ResolvedCard } from './resolved-card.tsx';
import { type Section, sectionSummary, sectionsOf } from './sections.ts';
import { createScenarioPanelStore } from './store.ts';
import { SchemaField, TableField } from './union-fields.tsx';
import { VariantField } from './variant-field.tsx';
import './scenario-panel.css';

/** Fields whose control is more than their schema says. */
const special: Readonly<Record<string, (props: { readonly path: Path }) => ReactElement | null>> = {
  'beam.energy_MeV': EnergyField,
  'beam.range_mm': RangeField,
  'beam.range_is': RangeField,
  'beam.spots': SpotsField,
  'geometry.background': MaterialField,
  'geometry.regions': RegionsField,
  'geometry.materials': OwnMaterialsField,
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
        <button type="button" aria-expanded={open} onClick={toggle}>
          <Icon name={open ? 'chevron' : 'right'} size={12} />
          <span>{section.title}</span>
          {bad ? (
            <span className="form-section__bad">{faults.length === 1 ? '1 fault' : `${faults.length} faults`}</span>
          ) : null}
          {open || bad ? null : (
            <span className="form-section__summary">
              {sectionSummary(section, form.draft, form.resolved?.scenario ?? null)}
            </span>
          )}
        </button>
      </h2>
      {open ? (
        <div className="form-section__fields">
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
    () => ({ draft, resolved, issues, edit: stores.scenario.edit, settle: stores.scenario.settle, explain }),
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
    // After the section has been drawn.
    requestAnimationFrame(() => focusField(list.current, path));
  };
  const name = typeof draft['name'] === 'string' ? draft['name'] : '';
  const notes = typeof draft['notes'] === 'string' ? draft['notes'] : '';

  return (
    <FormContext value={form}>
      <div className="scenario-panel">
        <ResolvedCard
          resolved={resolved}
          of={check?.draft !== draft ? 'before' : check.resolved === null ? 'sound' : 'this'}
        />
        <div className="scenario-panel__scroll" ref={list} key={generation}>
          <FormIssues issues={issues} lead={lead} />
          <div className="scenario-panel__naming">
            <TextField
              label="Name"
              placeholder="Name of this scenario"
              value={name}
              onChange={(value) => form.edit(['name'], value === '' ? undefined : value, 'Name', 'name')}
              onSettle={form.settle}
            />
            <TextField
              label="Notes"
              placeholder="Notes: what it is for, where it comes from"
              lines={2}
              value={notes}
              onChange={(value) => form.edit(['notes'], value === '' ? undefined : value, 'Notes', 'notes')}
              onSettle={form.settle}
            />
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

/** Puts the focus on the field at `path`, or on the nearest one that holds it. */
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
