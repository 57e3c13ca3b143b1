/**
 * Dialog to define, test and save the clusters that can run studies, and the selection of a study's target: this
 * machine or a cluster.
 */
import { type ReactElement, useCallback, useEffect, useId, useState } from 'react';
import {
  type Cluster,
  type ClusterDraft,
  draftFromCluster,
  newCluster,
  parseCluster,
  withReplacedCluster,
} from '../../../electron/contract/study/clusters.ts';
import { errorText } from '../../state/notices.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { TextField } from '../../widgets/controls/text-field.tsx';
import { Dialog } from '../../widgets/floating/dialog.tsx';
import { useWorkbench } from '../../workbench/context.ts';

const NEW = '';

const fields: readonly { readonly key: keyof ClusterDraft; readonly label: string; readonly hint: string }[] = [
  { key: 'name', label: 'Name', hint: 'name of the cluster in this workbench' },
  {
    key: 'host',
    label: 'Login host',
    hint: 'user@login.example, or an entry of ~/.ssh/config; empty: use sbatch on this machine',
  },
  { key: 'folder', label: 'Folder', hint: 'readable by every node; relative to your home folder there, or absolute' },
  {
    key: 'program',
    label: 'Braggbench there',
    hint: 'command that starts Braggbench there; empty: braggbench, or this program',
  },
  { key: 'modules', label: 'Modules', hint: 'loaded first, such as cuda/13.0' },
  { key: 'sbatch', label: 'Options for sbatch', hint: '--partition=cpu --time=1:00:00' },
  { key: 'cores', label: 'Cores per task', hint: '1' },
];

interface ClustersDialogProps {
  readonly clusters: readonly Cluster[];
  readonly onSaved: (clusters: readonly Cluster[]) => void;
  readonly onDone: () => void;
}

function ClustersDialog({ clusters, onSaved, onDone }: ClustersDialogProps): ReactElement {
  const { client } = useWorkbench();
  const [chosen, setChosen] = useState(clusters[0]?.name ?? NEW);
  const [draft, setDraft] = useState(draftFromCluster(clusters[0] ?? newCluster));
  const [message, setMessage] = useState<{ readonly text: string; readonly wrong: boolean } | null>(null);
  const [busy, setBusy] = useState(false);
  const id = useId();
  const choose = (name: string): void => {
    setChosen(name);
    setDraft(draftFromCluster(clusters.find((one) => one.name === name) ?? newCluster));
    setMessage(null);
  };
  const runReporting = async (work: () => Promise<string>): Promise<void> => {
    setBusy(true);
    setMessage(null);
    await work().then(
      (text) => setMessage({ text, wrong: false }),
      (error: unknown) => setMessage({ text: errorText(error), wrong: true }),
    );
    setBusy(false);
  };
  const checked = (work: (cluster: Cluster) => Promise<string>): void => {
    const read = parseCluster(draft);
    if ('fault' in read) setMessage({ text: read.fault, wrong: true });
    else void runReporting(() => work(read.cluster));
  };
  const keep = async (next: readonly Cluster[], shown: string): Promise<void> => {
    await client.call('study.keepClusters', { clusters: [...next] });
    onSaved(next);
    setChosen(shown);
  };
  const save = (): void =>
    checked(async (cluster) => {
      const next = withReplacedCluster(clusters, chosen === NEW ? null : chosen, cluster);
      if ('fault' in next) throw new Error(next.fault);
      await keep(next.clusters, cluster.name);
      return `${cluster.name} was saved.`;
    });
  const remove = (): void =>
    void runReporting(async () => {
      await keep(
        clusters.filter(({ name }) => name !== chosen),
        NEW,
      );
      setDraft(draftFromCluster(newCluster));
      return `${chosen} was removed from the list.`;
    });
  const attempt = (): void => checked(async (cluster) => (await client.call('study.tryCluster', { cluster })).says);
  return (
    <Dialog
      title="Clusters"
      size="large"
      onDismiss={onDone}
      onSubmit={save}
      actions={
        <>
          {chosen === NEW ? null : (
            <Button icon="trash" disabled={busy} onPress={remove}>
              Remove
            </Button>
          )}
          <Button disabled={busy} onPress={attempt}>
            Try it
          </Button>
          <Button disabled={busy} onPress={onDone}>
            Close
          </Button>
          <Button tone="primary" icon="save" disabled={busy} onPress={save}>
            Save
          </Button>
        </>
      }
    >
      <p>
        A cluster with Slurm solves the points of a study; results are copied here as they arrive. Your own ssh is used:
        log in with a key or an agent. Passwords are neither requested nor stored.
      </p>
      <div className="studies__cluster center grid">
        <label htmlFor={`${id}-which`}>Cluster</label>
        <Select
          id={`${id}-which`}
          value={chosen}
          options={[...clusters.map(({ name }) => ({ value: name, label: name })), { value: NEW, label: 'a new one' }]}
          onChange={choose}
        />
        {fields.map(({ key, label, hint }) => [
          <label key={`${key} label`} htmlFor={`${id}-${key}`}>
            {label}
          </label>,
          <TextField
            key={key}
            id={`${id}-${key}`}
            placeholder={hint}
            value={draft[key]}
            onChange={(text) => setDraft({ ...draft, [key]: text })}
          />,
        ])}
      </div>
      <p role="status" data-testid="cluster-says" className={message?.wrong === true ? 'studies__fault' : ''}>
        {busy ? 'Asking…' : (message?.text ?? '')}
      </p>
    </Dialog>
  );
}

const THIS_MACHINE = '';

interface TargetChoiceProps {
  /** Name of a cluster; null for this machine. */
  readonly on: string | null;
  readonly onChange: (on: string | null) => void;
}

export function TargetChoice({ on, onChange }: TargetChoiceProps): ReactElement {
  const { client, stores } = useWorkbench();
  const [clusters, setClusters] = useState<readonly Cluster[]>([]);
  const [isListed, setIsListed] = useState(false);
  const look = useCallback(
    () =>
      client.call('study.clusters', {}).then(
        (answer) => setClusters(answer.clusters),
        (error: unknown) => stores.notices.fail('The clusters could not be read', error),
      ),
    [client, stores],
  );
  useEffect(() => void look(), [look]);
  const onClustersSaved = (next: readonly Cluster[]): void => {
    setClusters(next);
    if (on !== null && !next.some(({ name }) => name === on)) onChange(null);
  };
  return (
    <span className="studies__where center wrap gap-s">
      <Select
        label="Where it is solved"
        value={on ?? THIS_MACHINE}
        options={[
          { value: THIS_MACHINE, label: 'this machine' },
          ...clusters.map(({ name }) => ({ value: name, label: name })),
        ]}
        onChange={(name) => onChange(name === THIS_MACHINE ? null : name)}
      />
      <Button onPress={() => void look().then(() => setIsListed(true))}>Clusters…</Button>
      {isListed ? (
        <ClustersDialog clusters={clusters} onSaved={onClustersSaved} onDone={() => setIsListed(false)} />
      ) : null}
    </span>
  );
}
