/** The clusters that the user has described: in the settings, so that page and command line have the same. */
import { BraggError } from '../../../../contract/errors.ts';
import { withCluster } from '../../../../contract/study/cluster-draft.ts';
import type { Cluster } from '../../../../contract/study/clusters.ts';
import type { HostSettings } from '../../../io/files/settings.ts';

const namesOf = (all: readonly Cluster[]): string =>
  all.length === 0 ? 'none is described yet' : `known: ${all.map(({ name }) => name).join(', ')}`;

const unknown = (name: string, all: readonly Cluster[]): BraggError =>
  new BraggError('not-found', `There is no cluster ${name}; ${namesOf(all)}.`);

export class Clusters {
  readonly #settings: Pick<HostSettings, 'now' | 'change'>;

  constructor(settings: Pick<HostSettings, 'now' | 'change'>) {
    this.#settings = settings;
  }

  /** As they are now: another window or terminal may have changed them. */
  all(): Promise<readonly Cluster[]> {
    return this.#settings.now('clusters');
  }

  /** Throws BraggError `not-found` with the names that are known. */
  async named(name: string): Promise<Cluster> {
    const all = await this.all();
    const found = all.find((one) => one.name === name);
    if (found === undefined) throw unknown(name, all);
    return found;
  }

  async keep(clusters: readonly Cluster[]): Promise<void> {
    await this.#settings.change({ clusters });
  }

  /** Throws BraggError `exists` for a name that is there and not to be replaced. */
  async add(cluster: Cluster, replace: boolean): Promise<void> {
    await this.#settings.change(({ clusters }) => {
      if (!replace && clusters.some(({ name }) => name === cluster.name))
        throw new BraggError('exists', `There is a cluster ${cluster.name} already`);
      const next = withCluster(clusters, cluster.name, cluster);
      if ('fault' in next) throw new BraggError('invalid', next.fault);
      return { clusters: next.clusters };
    });
  }

  /** Throws BraggError `not-found`. */
  async remove(name: string): Promise<void> {
    await this.#settings.change(({ clusters }) => {
      const rest = clusters.filter((one) => one.name !== name);
      if (rest.length === clusters.length) throw unknown(name, clusters);
      return { clusters: rest };
    });
  }
}
