/** Clusters that the user has described. They are stored in the settings, which page and command line share. */
import { BraggError } from '../../../../contract/errors.ts';
import { type Cluster, withReplacedCluster } from '../../../../contract/study/clusters.ts';
import type { HostSettings } from '../../../io/files/state-file.ts';

const namesOf = (all: readonly Cluster[]): string =>
  all.length === 0 ? 'none is configured yet' : `known: ${all.map(({ name }) => name).join(', ')}`;

const clusterNotFound = (name: string, all: readonly Cluster[]): BraggError =>
  new BraggError('not-found', `The cluster ${name} does not exist; ${namesOf(all)}.`);

export class Clusters {
  readonly #settings: Pick<HostSettings, 'read' | 'change'>;

  constructor(settings: Pick<HostSettings, 'read' | 'change'>) {
    this.#settings = settings;
  }

  /** Reads the settings each time, because another window or terminal may have changed them. */
  all(): Promise<readonly Cluster[]> {
    return this.#settings.read('clusters');
  }

  /** Returns the cluster with this name. Throws BraggError `not-found` with the known names. */
  async requireCluster(name: string): Promise<Cluster> {
    const all = await this.all();
    const found = all.find((one) => one.name === name);
    if (found === undefined) throw clusterNotFound(name, all);
    return found;
  }

  async replaceAll(clusters: readonly Cluster[]): Promise<void> {
    await this.#settings.change({ clusters });
  }

  /** Adds or replaces a cluster. Throws BraggError `exists` if the name exists and `replace` is false. */
  async add(cluster: Cluster, replace: boolean): Promise<void> {
    await this.#settings.change(({ clusters }) => {
      if (!replace && clusters.some(({ name }) => name === cluster.name))
        throw new BraggError('exists', `A cluster named ${cluster.name} already exists`);
      const next = withReplacedCluster(clusters, cluster.name, cluster);
      if ('fault' in next) throw new BraggError('invalid', next.fault);
      return { clusters: next.clusters };
    });
  }

  /** Throws BraggError `not-found`. */
  async remove(name: string): Promise<void> {
    await this.#settings.change(({ clusters }) => {
      const rest = clusters.filter((one) => one.name !== name);
      if (rest.length === clusters.length) throw clusterNotFound(name, clusters);
      return { clusters: rest };
    });
  }
}
