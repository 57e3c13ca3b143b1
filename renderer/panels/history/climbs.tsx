/** Attempts of coding agents at a problem, as stored in the library, with the code changes of each attempt. */
import { type ReactElement, useCallback, useEffect, useMemo, useState } from 'react';
import type { AgentAttempt, AttemptHistory } from '../../../electron/contract/bench/history.ts';
import { condenseRows, sourceDiff } from '../../../electron/domain/code-diff.ts';
import { factorText, measuredTime } from '../../../electron/domain/measured.ts';
import { NO_VALUE } from '../../../electron/domain/numbers.ts';
import { tokenizeLines } from '../../base/code-tokens.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { CONTEXT_LINES, CodeDiff } from '../../widgets/words/code-diff.tsx';
import { useWorkbench } from '../../workbench/context.ts';

interface LoadedHistories {
  /** Null if no response has arrived yet. */
  readonly histories: readonly AttemptHistory[] | null;
  readonly failure: string | null;
  readonly reload: () => void;
}

/** Attempts, requested again whenever this program or an agent's server changes the library. */
export function useAttemptHistories(): LoadedHistories {
  const { client } = useWorkbench();
  const [read, setRead] = useState<Omit<LoadedHistories, 'reload'>>({ histories: null, failure: null });
  const reload = useCallback(
    () =>
      void client.call('bench.climbs', {}).then(
        ({ climbs: histories }) => setRead({ histories, failure: null }),
        (error: unknown) => setRead((before) => ({ ...before, failure: errorText(error) })),
      ),
    [client],
  );
  useEffect(() => {
    const handle = client.stream('library', {}, { frame: reload });
    return () => handle.close();
  }, [client, reload]);
  return { ...read, reload };
}

/** Differences of an attempt from the previous one; the first attempt is compared with an empty file. */
function Change({ file, before }: { readonly file: string; readonly before: string | null }): ReactElement {
  const { client } = useWorkbench();
  const [texts, setTexts] = useState<readonly [string, string] | string | null>(null);
  useEffect(() => {
    let current = true;
    const read = (one: string) => client.call('bench.attempt', { file: one }).then(({ text }) => text);
    Promise.all([before === null ? '' : read(before), read(file)]).then(
      ([left, right]) => current && setTexts([left, right]),
      (error: unknown) => current && setTexts(errorText(error)),
    );
    return () => {
      current = false;
    };
  }, [client, file, before]);
  const code = useMemo(() => {
    if (texts === null || typeof texts === 'string') return null;
    const [left, right] = texts.map((one) => (one === '' ? [] : one.replace(/\n$/, '').split('\n')));
    const rows = sourceDiff(left ?? [], right ?? []);
    return {
      rows: condenseRows(rows, CONTEXT_LINES),
      left: tokenizeLines(left ?? []),
      right: tokenizeLines(right ?? []),
    };
  }, [texts]);
  if (typeof texts === 'string') return <p role="alert">{texts}</p>;
  if (code === null) return <p>Reading the sources…</p>;
  return code.rows.some((row) => row !== null) ? <CodeDiff {...code} /> : <p>No line differs.</p>;
}

function Attempt({ one, before }: { readonly one: AgentAttempt; readonly before: string | null }): ReactElement {
  const { client, stores, userKernels } = useWorkbench();
  const [isOpen, setOpen] = useState(false);
  const { attempt, file, verdict, reason, time_s, interval, vs_reference, vs_best } = one;
  const replay = async (): Promise<void> => {
    try {
      const beside = stores.scenario.getState().file?.file ?? null;
      const requestedKernel = await client.call('userKernels.replay', { beside, attempt: file });
      // Reload the kernels first, because the editor lists only those it knows.
      await userKernels.refresh();
      stores.userKernels.setState({ requestedKernel });
      stores.layout.choose('compare');
      stores.layout.reveal('kernel-editor');
    } catch (error) {
      stores.notices.fail(`${file} was not added to the problem folder`, error);
    }
  };
  return (
    <>
      <tr data-verdict={verdict}>
        <th scope="row">{attempt}</th>
        <td>
          {verdict}
          {reason === null ? null : <p className="small">{reason}</p>}
        </td>
        <td className="nowrap">{time_s === null ? NO_VALUE : measuredTime(time_s)}</td>
        <td className="nowrap">
          {interval === null ? NO_VALUE : `${measuredTime(interval.low)}–${measuredTime(interval.high)}`}
        </td>
        <td className="nowrap">{vs_reference === null ? NO_VALUE : factorText(vs_reference)}</td>
        <td className="nowrap">
          {vs_best === null ? NO_VALUE : `${factorText(vs_best)} of attempt ${vs_best.attempt}`}
        </td>
        <td className="history__actions nowrap">
          <Button
            pressed={isOpen}
            title={before === null ? 'The source' : 'Lines that differ from the previous attempt'}
            onPress={() => setOpen(!isOpen)}
          >
            Difference
          </Button>
          <Button
            title="Copies the source into the folder of the open problem, as a candidate"
            onPress={() => void replay()}
          >
            Add to folder
          </Button>
        </td>
      </tr>
      {isOpen ? (
        <tr>
          <td colSpan={7}>
            <Change file={file} before={before} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

export function AttemptHistoryView({ climb }: { readonly climb: AttemptHistory }): ReactElement {
  const { problem, attempts } = climb;
  const title = `Attempts at ${problem}`;
  return (
    <section className="history__series history__climb" aria-label={title} data-testid="climb">
      <h2>{title}</h2>
      <table className="table claims">
        <thead>
          <tr>
            <th scope="col">Attempt</th>
            <th scope="col">Verdict</th>
            <th scope="col">Time</th>
            <th scope="col">95 % interval</th>
            <th scope="col">Speed compared with reference</th>
            <th scope="col">Speed compared with best before</th>
            <th scope="col">Source</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((one, i) => (
            <Attempt key={one.file} one={one} before={attempts[i - 1]?.file ?? null} />
          ))}
        </tbody>
      </table>
    </section>
  );
}
