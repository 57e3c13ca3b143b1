/** Toolbar of the editor: selection of variant and file, and actions. */
import { type ReactElement, useState } from 'react';
import {
  type SanitizerTool,
  sanitizerDefects,
  sanitizerTools,
} from '../../../electron/contract/user-kernels/checks.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import type { EditingContext } from './editing.ts';
import type { EditorState, Group, ShippedSources } from './store.ts';

interface EditorChoices {
  readonly groups: readonly Group[];
  readonly group: Group | undefined;
  readonly variant: string;
  readonly choose: (to: Partial<EditorState>) => void;
}

function Choices({ groups, group, variant, choose }: EditorChoices): ReactElement {
  return (
    <>
      <Select
        label="Workload"
        value={group?.key ?? ''}
        options={groups.map(({ key, label: title }) => ({ value: key, label: title }))}
        onChange={(key) => {
          const to = groups.find((one) => one.key === key);
          if (to !== undefined) choose({ workload: to.workload, bench: to.bench, variant: '' });
        }}
      />
      <Select
        label="Variant"
        value={variant}
        options={(group?.variants ?? []).map(({ id, title }) => ({ value: id, label: `${id} – ${title}` }))}
        onChange={(id) => choose({ variant: id })}
      />
    </>
  );
}

/** Runs under compute-sanitizer, which checks CUDA kernels only. */
function SanitizerMenu({
  busy,
  editing,
  text,
}: {
  readonly busy: boolean;
  readonly editing: EditingContext;
  readonly text: string;
}): ReactElement {
  const [tool, setTool] = useState<SanitizerTool>('memcheck');
  return (
    <>
      <Select
        label="Kind of check"
        value={tool}
        options={sanitizerTools.map((one) => ({ value: one, label: `${one}: ${sanitizerDefects[one]}` }))}
        onChange={(value) => setTool(sanitizerTools.find((one) => one === value) ?? 'memcheck')}
      />
      <Button
        action="sanitize"
        icon="check"
        disabled={busy}
        title="Runs it under NVIDIA's compute-sanitizer"
        onPress={() => void editing.actions.sanitize(text, tool)}
      >
        Sanitize
      </Button>
    </>
  );
}

/** `text`: current text in the editor. */
function EditorActions({
  editing,
  text,
  dirty,
}: {
  readonly editing: EditingContext;
  readonly text: string;
  readonly dirty: boolean;
}): ReactElement {
  const busy = editing.busy !== null || editing.saved === null;
  const { actions } = editing;
  return (
    <>
      <Button icon="save" disabled={busy || !dirty} title="Ctrl+S in the text" onPress={() => void actions.save(text)}>
        Save
      </Button>
      <Button
        action="build"
        icon="check"
        disabled={busy}
        title="Ctrl+B in the text"
        onPress={() => void actions.build(text)}
      >
        Build
      </Button>
      <Button
        action="run"
        icon="run"
        tone="primary"
        disabled={busy}
        title="Ctrl+Enter in the text"
        onPress={() => void actions.run(text)}
      >
        Run
      </Button>
      <Button
        icon="download"
        disabled={busy}
        title="Exports a folder that builds and runs without the workbench"
        onPress={() => void actions.reproduce(text)}
      >
        Export reproducer
      </Button>
      {editing.info?.device === 'cuda' ? <SanitizerMenu busy={busy} editing={editing} text={text} /> : null}
    </>
  );
}

interface EditorBarProps extends EditorChoices {
  readonly isUserKernel: boolean;
  readonly shipped: ShippedSources;
  readonly showFile: (path: string) => void;
  readonly copy: () => void;
  readonly begin: () => void;
  readonly editing: EditingContext;
  readonly text: string;
  readonly dirty: boolean;
}

export function EditorBar({
  isUserKernel,
  shipped,
  showFile,
  copy,
  begin,
  editing,
  text,
  dirty,
  ...chosen
}: EditorBarProps): ReactElement {
  return (
    <div className="kernel-editor__bar line-below flex center wrap gap-l">
      <Choices {...chosen} />
      {isUserKernel ? (
        <EditorActions editing={editing} text={text} dirty={dirty} />
      ) : (
        <>
          <Select
            label="File"
            value={shipped.shown?.path ?? ''}
            options={shipped.files.map(({ path }) => ({ value: path, label: path.replace(/^kernels\//, '') }))}
            onChange={showFile}
          />
          <Button action="copy" icon="copy" tone="primary" disabled={!shipped.mayCopy} onPress={copy}>
            Save copy
          </Button>
        </>
      )}
      <Button action="begin" icon="plus" title="A first user kernel, from a template" onPress={begin}>
        New kernel
      </Button>
      <span className="panel-readout" role="status" data-testid="user-kernel-says">
        {isUserKernel ? editing.message : shipped.notCopyable}
      </span>
    </div>
  );
}
