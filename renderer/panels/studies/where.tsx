/** Target of a study: this machine, or a cluster. */
import { type ReactElement, useCallback, useEffect, useState } from 'react';
import type { Cluster } from '../../../electron/contract/study/clusters.ts';
import { Button } from '../../widgets/controls/button.tsx';
import { Select } from '../../widgets/controls/select.tsx';
import { useWorkbench } from '../../workbench/context.ts';
import { ClustersDialog } from './clusters-dialog.tsx';

const HERE = '';

interface WhereProps {
  /** Name of a cluster; null: this machine. */
  readonly on: string | null;
  readonly onChange: (on: string | null) => void;
}

export function Where({ on, onChange }: WhereProps): ReactElement {
  const { client, stores } = useWorkbench();
  const [clusters, setClusters] = useState<readonly Cluster[]>([]);
  const [asked, setAsked] = useState(false);
  const look = useCallback(
    () =>
      client.call('study.clusters', {}).then(
        (answer) => setClusters(answer.clusters),
        (error: unknown) => stores.notices.fail('The clusters were not read', error),
      ),
    [client, stores],
  );
  useEffect(() => void look(), [look]);
  const kept = (next: readonly Cluster[]): void => {
    setClusters(next);
    if (on !== null && !next.some(({ name }) => name === on)) onChange(null);
  };
  return (
    <span className="studies__where">
      <Select
        label="Where it is solved"
        value={on ?? HERE}
        options={[
          { value: HERE, label: 'this machine' },
          ...clusters.map(({ name }) => ({ value: name, label: name })),
        ]}
        onChange={(name) => onChange(name === HERE ? null : name)}
      />
      <Button onPress={() => void look().then(() => setAsked(true))}>Clusters…</Button>
      {asked ? <ClustersDialog clusters={clusters} onKept={kept} onDone={() => setAsked(false)} /> : null}
    </span>
  );
}
