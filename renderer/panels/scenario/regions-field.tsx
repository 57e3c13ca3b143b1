/** Regions of the geometry: boxes of other materials; later ones override earlier ones. */
import { type ReactElement, useId } from 'react';
import { materialSummaries, type Path, valueAt } from '../../../electron/contract/scenario/index.ts';
import { maxRegions } from '../../../electron/contract/scenario/transport/geometry.ts';
import type { ResolvedScenario } from '../../../electron/contract/scenarios.ts';
import { significant } from '../../../electron/domain/numbers.ts';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { MenuButton } from '../../widgets/floating/menu.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { Field, Row } from './field.tsx';
import { fieldModel, issuesAt, useForm } from './fields.ts';
import { EntryButtons } from './list-field.tsx';

/** A region in the editor. */
interface RegionValue {
  readonly name?: string;
  readonly material: string;
  /** If missing, the region spans the whole width. */
  readonly x_mm?: readonly [number, number];
  readonly z_mm: readonly [number, number];
  readonly density_scale?: number;
}

type RegionPreset = 'slab' | 'half' | 'box';

const regionPresets: readonly { readonly id: RegionPreset; readonly label: string; readonly detail: string }[] = [
  { id: 'slab', label: 'Slab', detail: 'Over the whole width' },
  { id: 'half', label: 'Half slab', detail: 'Over x > 0: an edge along the beam' },
  { id: 'box', label: 'Box', detail: 'Around the beam axis' },
];

/** Rounds to one or two significant digits, for sizes that a person would choose. */
function round(value: number): number {
  if (value === 0) return 0;
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1);
  return Number((Math.round(value / step) * step).toPrecision(6));
}

/**
 * Creates a bone region in the middle of the range and inside the geometry. Its thickness is an eighth of the range.
 */
export function newRegion(preset: RegionPreset, resolved: ResolvedScenario | null): RegionValue {
  const width = Number(valueAt(resolved?.scenario, ['geometry', 'width_mm']) ?? 40);
  const depth = Number(valueAt(resolved?.scenario, ['geometry', 'depth_mm']) ?? 50);
  const range = Math.min(resolved !== null && 'range_mm' in resolved ? resolved.range_mm : depth, depth);
  const from = round(range * 0.4);
  const to = Math.min(depth, round(from + range / 8));
  const half = width / 2;
  const side = round(width / 8);
  const across: Readonly<Record<RegionPreset, Pick<RegionValue, 'x_mm'>>> = {
    slab: {},
    half: { x_mm: [0, half] },
    box: { x_mm: [-side, side] },
  };
  return { material: 'bone-compact-icru', ...across[preset], z_mm: [from, to] };
}

/** Options such as `Bone, compact (ICRU) – 1.85 g/cm³`. */
const materialOptions = Object.values(materialSummaries).map((material) => ({
  value: material.name,
  label: `${material.title} – ${significant(material.density_g_cm3, 3)} g/cm³`,
}));

/** Built-in materials, then those defined in the draft. */
function optionsOf(draft: unknown): readonly { readonly value: string; readonly label: string }[] {
  const own = valueAt(draft, ['geometry', 'materials']);
  const names = (Array.isArray(own) ? own : []).map((each: unknown) => valueAt(each, ['name']));
  return [
    ...materialOptions,
    ...names.filter((name) => typeof name === 'string').map((name) => ({ value: name, label: `${name} (own)` })),
  ];
}

export function MaterialField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const id = useId();
  const field = fieldModel(form.draft, form.resolved?.scenario ?? null, path);
  if (field === null) return null;
  return (
    <Row field={field} controlId={id}>
      {({ describedBy, invalid }) => (
        <Select
          id={id}
          value={String(field.value ?? field.currentDefault ?? '')}
          options={optionsOf(form.draft)}
          onChange={(next) => form.edit(path, next, field.title)}
          invalid={invalid}
          isDefault={field.value === undefined}
          {...(describedBy === undefined ? {} : { describedBy })}
        />
      )}
    </Row>
  );
}

function IntervalField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const field = fieldModel(form.draft, form.resolved?.scenario ?? null, path);
  if (field === null) return null;
  const bounds = field.schema.prefixItems?.[0] ?? {};
  const inForce = valueAt(form.resolved?.scenario, path);
  const whole = Array.isArray(inForce) ? inForce : [undefined, undefined];
  const ends = Array.isArray(field.value) ? field.value : [undefined, undefined];
  // A range needs both ends: setting one also sets the other to its current value. If both are empty, the field is
  // removed.
  const withEnd = (index: number, next: number | string | undefined): readonly unknown[] | undefined => {
    const others = field.value === undefined ? whole : ends;
    const both = [0, 1].map((end) => (end === index ? (next ?? '') : others[end]));
    return both.every((end) => end === '' || end === undefined) ? undefined : both;
  };
  return (
    <Row field={field}>
      {({ describedBy, invalid }) => (
        <span className="interval grid gap-s">
          {(['start', 'end'] as const).map((end, index) => (
            <NumberField
              key={end}
              label={`${field.title}, ${end}`}
              value={ends[index]}
              unit="mm"
              placeholder={typeof whole[index] === 'number' ? whole[index] : null}
              min={bounds.minimum ?? Number.NEGATIVE_INFINITY}
              max={bounds.maximum ?? Number.POSITIVE_INFINITY}
              invalid={invalid}
              {...(describedBy === undefined ? {} : { describedBy })}
              onChange={(next) => form.edit(path, withEnd(index, next), field.title, `${field.key}.${end}`)}
              onEditEnd={form.endEdit}
            />
          ))}
        </span>
      )}
    </Row>
  );
}

function RegionCard({ path, index }: { readonly path: Path; readonly index: number }): ReactElement {
  const form = useForm();
  const field = fieldModel(form.draft, null, [...path, 'name']);
  return (
    <li
      className="region grid sunken"
      data-invalid={issuesAt(form.issues, path).some((issue) => issue.severity === 'error')}
    >
      <div className="region__head flex center">
        <span className="faint">{index + 1}</span>
        <TextField
          label={`Name of region ${index + 1}`}
          placeholder={`Region ${index + 1}`}
          value={typeof field?.value === 'string' ? field.value : ''}
          onChange={(name) =>
            form.edit([...path, 'name'], name === '' ? undefined : name, 'Region name', `name ${index}`)
          }
          onEditEnd={form.endEdit}
        />
        <EntryButtons path={path} noun="region" up="Below the one before" down="Above the next one" />
      </div>
      <MaterialField path={[...path, 'material']} />
      <IntervalField path={[...path, 'z_mm']} />
      <IntervalField path={[...path, 'x_mm']} />
      <Field path={[...path, 'density_scale']} />
    </li>
  );
}

export function RegionsField({ path }: { readonly path: Path }): ReactElement | null {
  const form = useForm();
  const field = fieldModel(form.draft, null, path);
  if (field === null) return null;
  const regions: readonly unknown[] = Array.isArray(field.value) ? field.value : [];
  const own = form.issues.filter((issue) => issue.path === field.key);
  return (
    <div className="regions" data-path={field.key}>
      <div className="regions__head between flex center">
        <span className="field__name" title={field.description}>
          {field.title}
        </span>
        <MenuButton
          label="Add a region"
          action="region"
          className="control regions__add flex center gap-s"
          align="end"
          items={regionPresets.map((preset) => ({
            id: preset.id,
            label: preset.label,
            detail: preset.detail,
            disabled: regions.length >= maxRegions,
            onChoose: () => form.edit(path, [...regions, newRegion(preset.id, form.resolved)], 'Add region'),
          }))}
        >
          <Icon name="plus" size={12} />
          Add
        </MenuButton>
      </div>
      {own.map((issue) => (
        <p key={issue.message} className="field__faults">
          {issue.message}
        </p>
      ))}
      {regions.length === 0 ? (
        <p className="faint">None: one material everywhere.</p>
      ) : (
        <ol className="regions__list grid gap-m">
          {regions.map((_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: its position identifies a region
            <RegionCard key={index} path={[...path, index]} index={index} />
          ))}
        </ol>
      )}
    </div>
  );
}
