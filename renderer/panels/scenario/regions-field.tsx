/** The regions of the geometry: boxes of other materials, later ones over earlier ones. */
import { type ReactElement, useId } from 'react';
import { materialSummaries, type Path, valueAt } from '../../../electron/contract/scenario/index.ts';
import { maxRegions } from '../../../electron/contract/scenario/transport/geometry.ts';
import type { Resolved } from '../../../electron/contract/scenarios.ts';
import { significant } from '../../base/numbers.ts';
import { IconButton } from '../../widgets/controls/button.tsx';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { MenuButton } from '../../widgets/floating/menu.tsx';
import { Icon } from '../../widgets/words/icon.tsx';
import { Field, Row } from './field.tsx';
import { fieldModel, issuesAt } from './fields.ts';
import { useForm } from './form-context.ts';

/** Regions as the editor adds and moves them. */
interface RegionValue {
  readonly name?: string;
  readonly material: string;
  readonly x_mm: readonly [number, number];
  readonly z_mm: readonly [number, number];
  readonly density_scale?: number;
}

type RegionPreset = 'slab' | 'half' | 'box';

const regionPresets: readonly { readonly id: RegionPreset; readonly label: string; readonly detail: string }[] = [
  { id: 'slab', label: 'Slab', detail: 'Over the whole width' },
  { id: 'half', label: 'Half slab', detail: 'Over x > 0: an edge along the beam' },
  { id: 'box', label: 'Box', detail: 'Around the beam axis' },
];

/** One or two significant digits: a size that a person would choose. */
function round(value: number): number {
  if (value === 0) return 0;
  const step = 10 ** (Math.floor(Math.log10(Math.abs(value))) - 1);
  return Number((Math.round(value / step) * step).toPrecision(6));
}

/** A bone region of an eighth of the range in the middle of the range, inside the geometry. */
export function newRegion(preset: RegionPreset, resolved: Resolved | null): RegionValue {
  const width = Number(valueAt(resolved?.scenario, ['geometry', 'width_mm']) ?? 40);
  const depth = Number(valueAt(resolved?.scenario, ['geometry', 'depth_mm']) ?? 50);
  const range = Math.min(resolved !== null && 'range_mm' in resolved ? resolved.range_mm : depth, depth);
  const from = round(range * 0.4);
  const to = Math.min(depth, round(from + range / 8));
  const half = width / 2;
  const side = round(width / 8);
  const across: Readonly<Record<RegionPreset, readonly [number, number]>> = {
    slab: [-half, half],
    half: [0, half],
    box: [-side, side],
  };
  return { material: 'bone-compact-icru', x_mm: across[preset], z_mm: [from, to] };
}

export function moved<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const item = list[from];
  if (item === undefined || to < 0 || to >= list.length) return list;
  const rest = list.filter((_, i) => i !== from);
  return [...rest.slice(0, to), item, ...rest.slice(to)];
}

/** `Bone, compact (ICRU) – 1.85 g/cm³`. */
const materialOptions = Object.values(materialSummaries).map((material) => ({
  value: material.name,
  label: `${material.title} – ${significant(material.density_g_cm3, 3)} g/cm³`,
}));

/** The built-in materials, then those defined in the draft. */
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
          value={String(field.value ?? field.fallback ?? '')}
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
  const field = fieldModel(form.draft, null, path);
  if (field === null) return null;
  const bounds = field.schema.prefixItems?.[0] ?? {};
  const ends = Array.isArray(field.value) ? field.value : [undefined, undefined];
  return (
    <Row field={field}>
      {({ describedBy, invalid }) => (
        <span className="interval">
          {(['start', 'end'] as const).map((end, index) => (
            <NumberField
              key={end}
              label={`${field.title}, ${end}`}
              value={ends[index]}
              unit="mm"
              placeholder={null}
              min={bounds.minimum ?? Number.NEGATIVE_INFINITY}
              max={bounds.maximum ?? Number.POSITIVE_INFINITY}
              invalid={invalid}
              {...(describedBy === undefined ? {} : { describedBy })}
              onChange={(next) =>
                form.edit(
                  path,
                  index === 0 ? [next ?? '', ends[1]] : [ends[0], next ?? ''],
                  field.title,
                  `${field.key}.${end}`,
                )
              }
              onSettle={form.settle}
            />
          ))}
        </span>
      )}
    </Row>
  );
}

function RegionCard({
  path,
  index,
  count,
}: {
  readonly path: Path;
  readonly index: number;
  readonly count: number;
}): ReactElement {
  const form = useForm();
  const field = fieldModel(form.draft, null, [...path, 'name']);
  const list = path.slice(0, -1);
  const regions = (fieldModel(form.draft, null, list)?.value ?? []) as readonly unknown[];
  const put = (next: readonly unknown[], label: string): void =>
    form.edit(list, next.length === 0 ? undefined : next, label);
  return (
    <li className="region" data-invalid={issuesAt(form.issues, path).some((issue) => issue.severity === 'error')}>
      <div className="region__head">
        <span className="region__index">{index + 1}</span>
        <TextField
          label={`Name of region ${index + 1}`}
          placeholder={`Region ${index + 1}`}
          value={typeof field?.value === 'string' ? field.value : ''}
          onChange={(name) =>
            form.edit([...path, 'name'], name === '' ? undefined : name, 'Region name', `name ${index}`)
          }
          onSettle={form.settle}
        />
        <IconButton
          icon="up"
          size={13}
          label="Below the one before"
          disabled={index === 0}
          onPress={() => put(moved(regions, index, index - 1), 'Order of regions')}
        />
        <IconButton
          icon="down"
          size={13}
          label="Above the next one"
          disabled={index === count - 1}
          onPress={() => put(moved(regions, index, index + 1), 'Order of regions')}
        />
        <IconButton
          icon="copy"
          size={13}
          label="Duplicate"
          onPress={() =>
            put([...regions.slice(0, index + 1), regions[index], ...regions.slice(index + 1)], 'Duplicate region')
          }
        />
        <IconButton
          icon="trash"
          size={13}
          label={`Remove region ${index + 1}`}
          onPress={() =>
            put(
              regions.filter((_, i) => i !== index),
              'Remove region',
            )
          }
        />
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
      <div className="regions__head">
        <span className="field__name" title={field.description}>
          {field.title}
        </span>
        <MenuButton
          label="Add a region"
          action="region"
          className="regions__add"
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
        <p className="regions__none">None: one material everywhere.</p>
      ) : (
        <ol className="regions__list">
          {regions.map((_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: its place identifies a region
            <RegionCard key={index} path={[...path, index]} index={index} count={regions.length} />
          ))}
        </ol>
      )}
    </div>
  );
}
