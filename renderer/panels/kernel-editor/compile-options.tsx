/** Compiler options of the user kernel, stored in its description. */
import { type ReactElement, useEffect, useId, useState } from 'react';
import {
  type CompileOptions,
  definesText,
  optionsText,
  parseDefines,
} from '../../../electron/contract/user-kernels/options.ts';
import type { UserKernelInfo } from '../../../electron/contract/user-kernels.ts';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';

const levels = [
  { value: '', label: 'Optimise by default' },
  ...[0, 1, 2, 3].map((level) => ({ value: String(level), label: `Optimise at level ${level}` })),
];
const fusionOptions = [
  { value: '', label: 'a·b + c by default' },
  { value: 'true', label: 'a·b + c fused' },
  { value: 'false', label: 'a·b + c not fused' },
];
const registers = [
  { value: '', label: 'Registers as needed' },
  ...[32, 40, 48, 64, 96, 128, 168, 255].map((most) => ({ value: String(most), label: `At most ${most} registers` })),
];

const numberOf = (text: string): number | undefined => (text === '' ? undefined : Number(text));

interface Props {
  readonly info: UserKernelInfo;
  readonly disabled: boolean;
  readonly onChange: (options: CompileOptions) => void;
}

function Check({
  label,
  checked,
  onChange,
}: {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (on: boolean) => void;
}): ReactElement {
  return (
    <label className="flex center gap-s">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      {label}
    </label>
  );
}

/** Macros are applied when the field loses focus, because half a name is not a macro. */
function Defines({ compile, change }: { compile: CompileOptions; change: (to: CompileOptions) => void }): ReactElement {
  const held = definesText(compile.defines);
  const [text, setText] = useState(held);
  const issueId = useId();
  useEffect(() => setText(held), [held]);
  const parsed = parseDefines(text);
  const endEdit = (): void => {
    if (typeof parsed === 'string' || text.trim() === held) return;
    change({ defines: Object.keys(parsed).length === 0 ? undefined : parsed });
  };
  return (
    <span className="compile-options__defines">
      <TextField
        label="Macros"
        value={text}
        placeholder="TILE=16 CHECKED"
        invalid={typeof parsed === 'string'}
        describedBy={issueId}
        onChange={setText}
        onEditEnd={endEdit}
      />
      <span id={issueId} className="danger">
        {typeof parsed === 'string' ? parsed : ''}
      </span>
    </span>
  );
}

export function CompileOptionsView({ info, disabled, onChange }: Props): ReactElement {
  const { compile } = info.description;
  const change = (to: CompileOptions): void => onChange({ ...compile, ...to });
  const says = optionsText(compile);
  return (
    <details className="compile-options line-below muted small">
      <summary>Compiler options: {says === '' ? 'default' : says}</summary>
      <fieldset className="flex center wrap" disabled={disabled} aria-label="Compiler options">
        <Check
          label="Fast math"
          checked={compile.fast_math ?? false}
          onChange={(on) => change({ fast_math: on || undefined })}
        />
        <Select
          label="Fused multiply-add"
          value={compile.fmad === undefined ? '' : String(compile.fmad)}
          options={fusionOptions}
          onChange={(value) => change({ fmad: value === '' ? undefined : value === 'true' })}
        />
        <Select
          label="Optimisation"
          value={String(compile.optimize ?? '')}
          options={levels}
          onChange={(value) => change({ optimize: numberOf(value) })}
        />
        {info.device === 'cuda' ? (
          <Select
            label="Registers"
            value={String(compile.registers ?? '')}
            options={registers}
            onChange={(value) => change({ registers: numberOf(value) })}
          />
        ) : null}
        <Check
          label="Source line information"
          checked={compile.lineinfo ?? false}
          onChange={(on) => change({ lineinfo: on || undefined })}
        />
        <Defines compile={compile} change={change} />
      </fieldset>
    </details>
  );
}
