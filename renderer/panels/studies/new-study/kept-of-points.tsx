/** What is kept of each point, and how points go beside each other. */
import type { ReactElement } from 'react';
import { type MeasureGroup, measureGroups } from '../../../../electron/contract/study/index.ts';
import { Segmented } from '../../../widgets/controls/segmented.tsx';
import { type Form, keeping, timed } from './study-form.ts';

const measureLabels: Readonly<Record<MeasureGroup, string>> = {
  readouts: 'Readouts',
  curves: 'Curves',
  ledger: 'Ledger',
  times: 'Times',
  memory: 'Memory',
  energy: 'Energy',
};

interface KeptOfPointsProps {
  readonly form: Form;
  readonly onChange: (form: Form) => void;
}

export function KeptOfPoints({ form, onChange }: KeptOfPointsProps): ReactElement {
  const measures = form.measures ?? [];
  const keep = (group: MeasureGroup, isKept: boolean): void =>
    onChange(
      keeping(
        form,
        measureGroups.filter((one) => (one === group ? isKept : measures.includes(one))),
      ),
    );
  return (
    <>
      <h3>What is kept of each point</h3>
      <div className="studies__measures">
        {measureGroups.map((group) => (
          <label key={group}>
            <input
              type="checkbox"
              checked={measures.includes(group)}
              onChange={({ target }) => keep(group, target.checked)}
            />
            {measureLabels[group]}
          </label>
        ))}
      </div>
      <div className="studies__times">
        <Segmented
          label="Points at a time"
          value={form.timing ?? 'shared'}
          options={[
            { value: 'shared', label: 'As many at once as fit' },
            { value: 'alone', label: 'One at a time, for times and energy' },
          ]}
          onChange={(timing) => onChange(timed(form, timing))}
        />
        <Segmented
          label="Repeats of each point"
          value={String(form.repeats ?? 1)}
          options={[
            { value: '1', label: 'Once' },
            { value: '5', label: 'Five times' },
          ]}
          onChange={(repeats) => onChange({ ...form, repeats: Number(repeats) })}
        />
      </div>
    </>
  );
}
