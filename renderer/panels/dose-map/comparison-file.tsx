/** Opens the dose of another program for comparison with the run, and maps its axes to those of the run. */
import { type ReactElement, useRef } from 'react';
import { planeUnitSchema, planeUnits } from '../../../electron/contract/dose/units.ts';
import { type ImportedDoseInfo, type ImportedPlane, MAX_DOSE_BYTES } from '../../../electron/contract/dose.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { NumberField } from '../../widgets/controls/number-field.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { PopoverRow } from '../../widgets/floating/popover.tsx';
import { useWorkbench } from '../../workbench/context.ts';

const names = ['x', 'y', 'z'] as const;
type AxisName = (typeof names)[number];

const depthOf = ({ sizes }: ImportedDoseInfo, plane: ImportedPlane): AxisName =>
  plane.depth ?? (sizes.length === 2 ? 'y' : 'z');

/** Options with the extent of each axis, by which the user recognises it. */
function axisOptions({ sizes, spacing_mm, origin_mm }: ImportedDoseInfo) {
  return sizes.map((size, i) => {
    const [step, first] = [spacing_mm[i] ?? 1, origin_mm[i] ?? 0];
    const [from, to] = [first - step / 2, first + (size - 0.5) * step];
    const text = (value: number): string => String(Number(value.toFixed(2))).replace('-', '−');
    return { value: names[i] ?? 'x', label: `${names[i]}: ${text(from)} … ${text(to)} mm` };
  });
}

/** Assigns a file's axes to those of the run. */
export function FileAxes({
  info,
  plane,
  onChange,
}: {
  readonly info: ImportedDoseInfo;
  readonly plane: ImportedPlane;
  readonly onChange: (plane: ImportedPlane) => void;
}): ReactElement {
  const options = axisOptions(info);
  const depth = depthOf(info, plane);
  const across = plane.across ?? 'x';
  // The two axes always differ: choosing the axis that the other select shows swaps the two.
  const choose = (which: 'depth' | 'across', axis: AxisName): void => {
    const other = which === 'depth' ? across : depth;
    const swapped = axis === other ? (which === 'depth' ? depth : across) : other;
    onChange({
      ...plane,
      ...(which === 'depth' ? { depth: axis, across: swapped } : { across: axis, depth: swapped }),
    });
  };
  const axisOf = (value: string): AxisName => names.find((name) => name === value) ?? 'x';
  const shift = (which: 'shift_depth_mm' | 'shift_across_mm', label: string): ReactElement => (
    <NumberField
      label={label}
      value={plane[which]}
      unit="mm"
      placeholder={0}
      min={-1e5}
      max={1e5}
      onChange={(value) => {
        if (typeof value === 'number' && Math.abs(value) <= 1e5) onChange({ ...plane, [which]: value });
      }}
    />
  );
  return (
    <>
      <PopoverRow name="Depth is">
        <Select
          label="Axis of the file that is depth"
          value={depth}
          options={options}
          onChange={(value) => choose('depth', axisOf(value))}
        />
      </PopoverRow>
      <PopoverRow name="Across is">
        <Select
          label="Axis of the file that is the lateral position"
          value={across}
          options={options}
          onChange={(value) => choose('across', axisOf(value))}
        />
      </PopoverRow>
      <PopoverRow name="Added">
        {shift('shift_depth_mm', 'Added to the depths of the file')}
        {shift('shift_across_mm', 'Added to the lateral positions of the file')}
      </PopoverRow>
      <PopoverRow name="Unit">
        <Select
          label="Unit of the doses in the file"
          value={plane.unit ?? ''}
          options={[
            { value: '', label: 'not known: scale both doses to their largest value' },
            ...planeUnitSchema.options.flatMap((unit) =>
              planeUnits[unit].axes === info.sizes.length ? [{ value: unit, label: planeUnits[unit].title }] : [],
            ),
          ]}
          onChange={(value) => onChange({ ...plane, unit: planeUnitSchema.safeParse(value).data ?? null })}
        />
      </PopoverRow>
      <p className="popover__note">
        {`A run begins at depth 0 and has x = 0 in its middle. The first number is added to the depths of the file, the second to its lateral positions.${info.sizes.length > 2 ? ' Its third axis is summed over.' : ''} ${plane.unit === null ? 'Both doses are scaled to their largest value until you choose a unit.' : `Compared in absolute terms, energy per ${planeUnits[plane.unit].by}.`}`}
      </p>
      {info.notes.map((note) => (
        <p key={note} className="popover__note" data-testid="dose-note">{`${info.name}: ${note}.`}</p>
      ))}
    </>
  );
}

/** `onOpen`: called with a dose that the host has opened. */
export function OpenDose({ onOpen }: { readonly onOpen: (info: ImportedDoseInfo) => void }): ReactElement {
  const { client, stores } = useWorkbench();
  const input = useRef<HTMLInputElement>(null);
  const take = async (chosen: readonly File[]): Promise<void> => {
    const title = `${chosen.map(({ name }) => name).join(', ')} could not be read`;
    const size = chosen.reduce((sum, file) => sum + file.size, 0);
    if (chosen.length > 2 || size > MAX_DOSE_BYTES) {
      const allowed = `at most two files, with ${MAX_DOSE_BYTES / 2 ** 20} MiB in total; use braggbench gamma for larger files`;
      stores.notices.show({
        tone: 'warning',
        title,
        text: `${chosen.length} files of ${size} bytes; allowed: ${allowed}.`,
      });
      return;
    }
    try {
      const files = await Promise.all(
        chosen.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })),
      );
      onOpen(await client.call('dose.import', { files }));
    } catch (error) {
      stores.notices.fail(title, error);
    }
  };
  return (
    <PopoverRow name="File">
      <input
        ref={input}
        type="file"
        multiple
        accept=".mha,.mhd,.raw,.zraw,.nrrd,.nhdr,.dcm,.csv,.txt"
        hidden
        data-testid="against-file"
        onChange={(event) => {
          const chosen = [...(event.target.files ?? [])];
          event.target.value = '';
          if (chosen.length > 0) void take(chosen);
        }}
      />
      <Button onPress={() => input.current?.click()}>Open a dose…</Button>
      <span className="popover__note">MetaImage, NRRD, RT Dose, or a map as CSV</span>
    </PopoverRow>
  );
}
