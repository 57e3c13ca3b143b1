/** External programs as candidates, including the user's own. */
import { type ReactElement, useEffect, useState } from 'react';
import type { ExternalProgram } from '../../../electron/contract/bench/benches.ts';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';
import type { ChooseProps } from './store.ts';
import { Tick, toggled } from './tick.tsx';
import { useScenarioBench } from './variants.ts';

interface OwnProps extends ChooseProps {
  readonly program: ExternalProgram;
  readonly file: NonNullable<ExternalProgram['file']>;
}

/** One that the user has: it runs by the path of its file on the machine that measures. */
function OwnProgram({ store, program: { id, title, language }, file }: OwnProps): ReactElement {
  const external = useSelected(store, (state) => state.external);
  const files = useSelected(store, (state) => state.files);
  const own = files[id] ?? '';
  const can = own.trim() !== '' || file.named !== null;
  return (
    <div className="compare-options__row compare-own">
      <Tick
        label={id}
        detail={`${title} (${language})`}
        checked={can && external.includes(id)}
        disabled={!can}
        onChange={(on) => store.setState({ external: toggled(external, id, on) })}
      />
      <span className="compare-own__file">
        <TextField
          label={`Path of ${id}: ${file.what}`}
          placeholder={file.named ?? `Path of ${file.what}`}
          value={own}
          onChange={(text) => store.setState({ files: { ...files, [id]: text } })}
        />
      </span>
    </div>
  );
}

/** Programs outside, with the reason of each that cannot run. */
export function OtherPrograms({ store }: ChooseProps): ReactElement {
  const { client, stores } = useWorkbench();
  const external = useSelected(store, (state) => state.external);
  const { workload, bench } = useScenarioBench();
  const [programs, setPrograms] = useState<readonly ExternalProgram[] | null>(null);
  useEffect(() => {
    let current = true;
    setPrograms(null);
    client.call('bench.external', { workload, bench }).then(
      (answer) => current && setPrograms(answer.programs),
      (error: unknown) => stores.notices.fail('Other programs could not be asked', error),
    );
    return () => {
      current = false;
    };
  }, [client, stores, workload, bench]);
  const missing = [
    ...Map.groupBy(
      (programs ?? []).filter(({ reason }) => reason !== null),
      ({ reason }) => reason ?? '',
    ),
  ];
  const able = (programs ?? []).filter(({ reason }) => reason === null);
  return (
    <fieldset className="compare-group">
      <legend>Other programs</legend>
      <p className="compare-group__text">
        {programs === null
          ? 'Asking what is installed…'
          : programs.length === 0
            ? 'None is known that solves this scenario.'
            : 'Timed in the same rounds, on the same scenario, and held to the same reference.'}
      </p>
      <div className="compare-ticks">
        {able
          .filter(({ file }) => file === null)
          .map(({ id, title, language }) => (
            <Tick
              key={id}
              label={id}
              detail={`${title} (${language})`}
              checked={external.includes(id)}
              onChange={(on) => store.setState({ external: toggled(external, id, on) })}
            />
          ))}
      </div>
      {able.map((program) =>
        program.file === null ? null : (
          <OwnProgram key={program.id} store={store} program={program} file={program.file} />
        ),
      )}
      {missing.map(([reason, list]) => (
        <p key={reason} className="compare-group__text">
          Not here: {list.map(({ id }) => id).join(', ')}. {reason}
        </p>
      ))}
    </fieldset>
  );
}
