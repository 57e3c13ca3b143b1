/**
 * Dialog for a remote GPU machine: its ssh host name, prompts of ssh, connection progress, and a button to open its
 * window.
 */
import { type ReactElement, useEffect, useId, useState } from 'react';
import type { Remote, RemoteMachine } from '../../../electron/contract/remote.ts';
import { formatBytes } from '../../../electron/domain/values/units.ts';
import type { DialogKinds } from '../../state/dialogs.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';
import { useSelected, useWorkbench } from '../../workbench/context.ts';

interface ConnectDialogProps {
  readonly request: DialogKinds['connect']['request'];
  readonly close: () => void;
}

/** Maximum number of names suggested below the field. */
const MAX_OFFERED = 12;

function gpuText({ gpus }: RemoteMachine): string {
  switch (gpus.kind) {
    case 'found': {
      const [first] = gpus.gpus;
      const memory =
        first?.memory_MiB === null || first === undefined ? '' : `, ${formatBytes(first.memory_MiB * 2 ** 20)}`;
      return `${gpus.gpus.length > 1 ? `${gpus.gpus.length} × ` : ''}${first?.name ?? ''}${memory}`;
    }
    case 'none':
      return 'no GPU';
    case 'unknown':
      return `GPUs could not be detected: ${gpus.reason}`;
  }
}

/** Properties of the remote machine. */
function Facts({ machine }: { readonly machine: RemoteMachine | null }): ReactElement | null {
  if (machine === null) return null;
  const cores = machine.cores === null ? '' : ` · ${machine.cores} ${machine.cores === 1 ? 'core' : 'cores'}`;
  return (
    <p className="selectable">
      {machine.node} · {machine.platform}
      {cores} · {gpuText(machine)}
      {machine.otherVersions.length === 0
        ? null
        : `. Another version is installed there (${machine.otherVersions.join(', ')}); this one runs next to it.`}
    </p>
  );
}

function Progress({ remote: { host, state } }: { readonly remote: Remote }): ReactElement {
  switch (state.kind) {
    case 'connecting':
      return <p role="status">Connecting to {host}…</p>;
    case 'asks':
      return <p role="status">ssh asks:</p>;
    case 'copying':
      return (
        <>
          <p role="status">
            Copying the program to {host}, once: {formatBytes(state.done_bytes)}
          </p>
          <progress className="wide" max={state.total_bytes} value={state.done_bytes} aria-label="Copied" />
        </>
      );
    case 'starting':
      return <p role="status">Starting the workbench on {host}…</p>;
    case 'open':
      return (
        <p role="status">
          Connected. The workbench of {host} opens in a separate window. Remote computations continue when this window
          is closed.
        </p>
      );
    case 'lost':
      return <p role="status">{state.reason}; reconnecting. Remote computations continue.</p>;
    case 'login-node':
      return (
        <p role="status">
          {host} has Slurm but no GPU, so it is probably the login node of a cluster. Describe it under Studies,
          Clusters…, and run studies on it.
        </p>
      );
    case 'failed':
      return <p role="alert">{state.reason}</p>;
  }
}

interface PromptProps {
  readonly prompt: string;
  readonly secret: boolean;
  readonly onAnswer: (answer: string) => void;
}

/** A prompt of ssh. Passwords are typed into a field that is removed with the prompt. */
function Prompt({ prompt, secret, onAnswer }: PromptProps): ReactElement {
  const [text, setText] = useState('');
  const id = useId();
  return (
    <div className="connect-asked stack gap-l">
      <label htmlFor={id} className="selectable connect-asked__prompt break-anywhere">
        {prompt}
      </label>
      <input
        id={id}
        className="control text-field wide"
        type={secret ? 'password' : 'text'}
        autoComplete="off"
        spellCheck={false}
        value={text}
        // Focus the field, because the user's next input is the answer.
        ref={(field) => field?.focus()}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          onAnswer(text);
        }}
      />
      <Button tone="primary" onPress={() => onAnswer(text)}>
        Answer
      </Button>
    </div>
  );
}

export default function ConnectDialog({ request, close: done }: ConnectDialogProps): ReactElement {
  const { client, stores } = useWorkbench();
  const [host, setHost] = useState('');
  const [offered, setOffered] = useState<readonly string[]>([]);
  const [id, setId] = useState(request.remote);
  const [error, setError] = useState<string | null>(null);
  const remotes = useSelected(stores.connection, (state) => state.remotes);
  const remote = remotes.find((one) => one.id === id) ?? null;
  const state = remote?.state ?? null;

  useEffect(() => {
    client.call('remote.hosts', {}).then(
      ({ hosts }) => setOffered(hosts.slice(0, MAX_OFFERED)),
      () => setOffered([]),
    );
  }, [client]);

  const connect = (to: string, anyway = false): void => {
    setError(null);
    client.call('remote.connect', { host: to, anyway }).then(
      (answer) => setId(answer.id),
      (error: unknown) => setError(errorText(error)),
    );
  };
  const reportErrors = (work: Promise<unknown>): void =>
    void work.catch((error: unknown) => setError(errorText(error)));
  const disconnect = (): void => {
    if (id !== null) reportErrors(client.call('remote.close', { id }));
    setId(null);
  };
  const over = state === null || state.kind === 'failed' || state.kind === 'login-node';
  /** A failed connection is discarded when the dialog closes. */
  const close = (): void => {
    if (id !== null && over) client.call('remote.close', { id }).catch(() => undefined);
    done();
  };
  return (
    <Dialog
      title={remote === null ? 'Connect' : `Connect to ${remote.host}`}
      onDismiss={close}
      onSubmit={() => over && host.trim() !== '' && connect(host.trim())}
      actions={
        <>
          <Button onPress={close}>{remote === null ? 'Cancel' : 'Close'}</Button>
          {over ? null : <Button onPress={disconnect}>Disconnect</Button>}
          {state?.kind === 'login-node' && remote !== null ? (
            <Button onPress={() => connect(remote.host, true)}>Start it there anyway</Button>
          ) : null}
          {over ? (
            <Button tone="primary" disabled={host.trim() === ''} onPress={() => connect(host.trim())}>
              Connect
            </Button>
          ) : null}
          {state?.kind === 'open' ? (
            <a className="button button--primary" href={state.url} target="_blank" rel="noreferrer" onClick={close}>
              <span>Open its window</span>
            </a>
          ) : null}
        </>
      }
    >
      {over ? (
        <>
          <TextField label="Host" value={host} placeholder="gpubox or me@10.0.0.7" onChange={setHost} autoFocus />
          <p className="dialog-hint faint break-anywhere">
            As with ssh: aliases, jump hosts, keys and second factors work as in your configuration. The program is
            copied there once; no password is stored.
          </p>
          {offered.length === 0 ? null : (
            <div className="flex wrap gap-s">
              {offered.map((name) => (
                <Button key={name} tone="quiet" onPress={() => setHost(name)}>
                  {name}
                </Button>
              ))}
            </div>
          )}
        </>
      ) : null}
      {error === null ? null : <p role="alert">{error}</p>}
      {remote === null ? null : (
        <>
          <Progress remote={remote} />
          <Facts machine={remote.machine} />
        </>
      )}
      {state?.kind === 'asks' && remote !== null ? (
        <Prompt
          key={state.prompt}
          prompt={state.prompt}
          secret={state.secret}
          onAnswer={(answer) => reportErrors(client.call('remote.answer', { id: remote.id, answer }))}
        />
      ) : null}
    </Dialog>
  );
}
