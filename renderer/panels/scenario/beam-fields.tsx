/** Beam definition by energy, by range in water, or by spots, which are plotted and edited here. */
import { type ReactElement, useId } from 'react';
import { type Path, type Spot, valueAt } from '../../../electron/contract/scenario/index.ts';
import { spotWeightsChart } from '../../drawing/charts/spot-weights.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { ShownChart } from '../../widgets/plots/chart-plot.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { Commissioning } from './commissioning.tsx';
import { Field, Row } from './field.tsx';
import { fieldModel, issuesAt, useForm } from './fields.ts';
import { SobpBuilder } from './sobp-builder.tsx';

/** Ways to define a beam in a scenario. */
const beamForms = ['energy', 'range', 'spots', 'file'] as const;
type BeamForm = (typeof beamForms)[number];

const beamFormTitles: Readonly<Record<BeamForm, string>> = {
  energy: 'Its energy',
  range: 'Its range in water',
  spots: 'A list of spots',
  file: 'A file of spots…',
};

type Draft = Readonly<Record<string, unknown>>;

/** The way in which the document defines the beam; the first one present if there are several. */
function beamFormOf(beam: unknown): BeamForm {
  const spots = valueAt(beam, ['spots']);
  if (valueAt(beam, ['energy_MeV']) !== undefined) return 'energy';
  if (valueAt(beam, ['range_mm']) !== undefined) return 'range';
  if (spots === undefined) return 'energy';
  return Array.isArray(spots) ? 'spots' : 'file';
}

const round = (value: number, digits: number): number => Number(value.toPrecision(digits));

/**
 * Closest equivalent of a beam in another definition. `inForce`: energy and range that the current values resolve to.
 */
function convertedBeam(
  beam: Draft,
  way: BeamForm,
  inForce: { readonly energy_MeV: number; readonly range_mm: number },
): Draft {
  const { energy_MeV: _energy, range_mm: _range, range_is, spots: _spots, ...rest } = beam;
  if (way === 'energy') return { energy_MeV: round(inForce.energy_MeV, 5), ...rest };
  if (way === 'range') {
    return { range_mm: round(inForce.range_mm, 5), ...(range_is === undefined ? {} : { range_is }), ...rest };
  }
  if (way === 'file') return { spots: { file: '' }, ...rest };
  return { spots: [{ energy_MeV: round(inForce.energy_MeV, 5) }], ...rest };
}

/** A copy of the last spot with 3 % less energy. */
function nextSpot(spots: readonly unknown[]): Draft {
  const last = spots.at(-1);
  if (typeof last !== 'object' || last === null) return { energy_MeV: 70 };
  const energy = valueAt(last, ['energy_MeV']);
  return { ...last, ...(typeof energy === 'number' ? { energy_MeV: round(0.97 * energy, 4) } : {}) };
}

/** Resolved spots, completed by the host. */
function resolvedSpots(scenario: unknown): readonly Spot[] {
  const spots = valueAt(scenario, ['beam', 'spots']);
  return Array.isArray(spots) ? (spots as readonly Spot[]) : [];
}

const beamOf = (draft: unknown): Readonly<Record<string, unknown>> => {
  const beam = valueAt(draft, ['beam']);
  return typeof beam === 'object' && beam !== null ? (beam as Readonly<Record<string, unknown>>) : {};
};

/** Selects the beam definition, and edits the energy if it is defined by energy. */
export function EnergyField({ path }: { readonly path: Path }): ReactElement {
  const form = useForm();
  const id = useId();
  const way = beamFormOf(beamOf(form.draft));
  const { resolved } = form;
  const inForce = {
    energy_MeV: Number(valueAt(resolved?.scenario, ['beam', 'energy_MeV']) ?? 70),
    range_mm: resolved !== null && 'waterRange_mm' in resolved ? resolved.waterRange_mm : 40.8,
  };
  return (
    <>
      <div className="field" data-path="beam">
        <div className="field__row center grid gap-s">
          <label className="field__name" htmlFor={id} title="Quantity that defines the beam">
            Given by
          </label>
          <div className="field__control grid">
            <Select
              id={id}
              action="given-by"
              value={way}
              options={beamForms.map((value) => ({ value, label: beamFormTitles[value] }))}
              onChange={(next) =>
                form.edit(
                  ['beam'],
                  convertedBeam(beamOf(form.draft), next as BeamForm, inForce),
                  'How the beam is given',
                )
              }
            />
          </div>
          <span className="field__reset" />
        </div>
      </div>
      {way === 'energy' ? <Field path={path} /> : null}
      {way === 'energy' ? <Commissioning /> : null}
    </>
  );
}

/** Edits the range if the beam is defined by range, and shows the resulting energy. */
export function RangeField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  if (beamFormOf(beamOf(form.draft)) !== 'range') return null;
  const energy = valueAt(form.resolved?.scenario, ['beam', 'energy_MeV']);
  return (
    <>
      <Field path={path} />
      {typeof energy === 'number' && path.at(-1) === 'range_is' ? (
        <p className="field__told text-right muted" data-testid="beam-energy">
          {`${energy.toFixed(2)} MeV`}
        </p>
      ) : null}
    </>
  );
}

const columns = [
  { key: 'energy_MeV', title: 'Energy', unit: 'MeV' },
  { key: 'x_mm', title: 'Across', unit: 'mm' },
  { key: 'weight', title: 'Weight', unit: '1' },
] as const;

/** Maximum number of spots that the form lists. Longer lists are only plotted, and are edited in a file. */
const MAX_ROWS = 100;

function SpotRow({
  path,
  index,
  remove,
}: {
  readonly path: Path;
  readonly index: number;
  readonly remove: () => void;
}) {
  const form = useForm();
  const byRange = valueAt(form.draft, [...path, 'range_mm']) !== undefined;
  const issues = issuesAt(form.issues, path);
  return (
    <li className="spot center grid gap-s" data-invalid={issues.some(({ severity }) => severity === 'error')}>
      {columns.map(({ key: wanted, title, unit }) => {
        const key = byRange && wanted === 'energy_MeV' ? 'range_mm' : wanted;
        const field = fieldModel(form.draft, form.resolved?.scenario ?? null, [...path, key]);
        if (field === null) return null;
        const fallback = field.currentDefault;
        return (
          <NumberField
            key={key}
            label={`${key === 'range_mm' ? 'Range' : title} of spot ${index + 1}`}
            value={field.value}
            unit={key === 'range_mm' ? 'mm' : unit}
            placeholder={typeof fallback === 'number' ? fallback : null}
            min={field.schema.minimum ?? Number.NEGATIVE_INFINITY}
            max={field.schema.maximum ?? Number.POSITIVE_INFINITY}
            invalid={issues.some((issue) => issue.path === field.key && issue.severity === 'error')}
            onChange={(next) => form.edit([...path, key], next, title, field.key)}
            onEditEnd={form.endEdit}
          />
        );
      })}
      <IconButton icon="trash" size={13} label={`Remove spot ${index + 1}`} onPress={remove} />
      {issues.map((issue) => (
        <p key={issue.message} className="field__faults">
          {issue.message}
        </p>
      ))}
    </li>
  );
}

function SpotList({ path, spots }: { readonly path: Path; readonly spots: readonly unknown[] }): ReactElement {
  const form = useForm();
  return (
    <>
      <ol className="spots__list grid">
        {spots.slice(0, MAX_ROWS).map((_, index) => (
          <SpotRow
            // biome-ignore lint/suspicious/noArrayIndexKey: its position identifies a spot
            key={index}
            path={[...path, index]}
            index={index}
            remove={() =>
              form.edit(
                path,
                spots.filter((_one, i) => i !== index),
                'Remove spot',
              )
            }
          />
        ))}
      </ol>
      {spots.length > MAX_ROWS ? <p className="faint">{`${spots.length - MAX_ROWS} more are in the file.`}</p> : null}
    </>
  );
}

/** Plot of the spots' weights, and below it their list or file name. */
export function SpotsField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const { scheduler } = useWorkbench();
  const id = useId();
  const way = beamFormOf(beamOf(form.draft));
  const field = fieldModel(form.draft, null, path);
  if (field === null || (way !== 'spots' && way !== 'file')) return null;
  const spots: readonly unknown[] = Array.isArray(field.value) ? field.value : [];
  const drawn = resolvedSpots(form.resolved?.scenario);
  const file = valueAt(field.value, ['file']);
  return (
    <div className="regions spots" data-path={field.key}>
      <div className="regions__head between flex center">
        <span className="field__name" title={field.description}>
          {`${field.title}: ${way === 'spots' ? spots.length : drawn.length}`}
        </span>
        {way === 'spots' ? (
          <button
            type="button"
            className="control regions__add flex center gap-s"
            onClick={() => form.edit(path, [...spots, nextSpot(spots)], 'Add spot')}
          >
            <Icon name="plus" size={12} />
            Add
          </button>
        ) : null}
      </div>
      {way === 'spots'
        ? form.issues
            .filter((issue) => issue.path === field.key)
            .map((issue) => (
              <p key={issue.message} className="field__faults">
                {issue.message}
              </p>
            ))
        : null}
      {way === 'spots' ? <SobpBuilder path={path} /> : null}
      {drawn.length > 1 ? (
        <div className="spots__picture relative">
          <ShownChart chart={spotWeightsChart(drawn)} scheduler={scheduler} fill={true} />
        </div>
      ) : null}
      {way === 'spots' ? (
        <SpotList path={path} spots={spots} />
      ) : (
        <Row field={{ ...field, title: 'File', key: `${field.key}.file` }} controlId={id}>
          {() => (
            <TextField
              id={id}
              value={typeof file === 'string' ? file : ''}
              placeholder="fields/mine.csv"
              onChange={(next) => form.edit([...path, 'file'], next, 'Spots', 'spots-file')}
              onEditEnd={form.endEdit}
            />
          )}
        </Row>
      )}
    </div>
  );
}
