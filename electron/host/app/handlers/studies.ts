/** Handles calls about studies. */
import type { FileAccess } from '../../io/files/access.ts';
import type { Handlers } from '../service/service.ts';
import type { Clusters } from '../studies/cluster/clusters.ts';
import { describeCluster } from '../studies/cluster/engine.ts';
import type { Studies } from '../studies/studies.ts';
import { originOf } from './scenarios.ts';

interface StudyParts {
  readonly studies: Studies;
  readonly clusters: Clusters;
  readonly files: FileAccess;
}

const mimes = {
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
  h5: 'application/x-hdf5',
  json: 'application/json',
} as const;

export function studyHandlers({
  studies,
  clusters,
  files,
}: StudyParts): Pick<Handlers, Extract<keyof Handlers, `study.${string}`>> {
  return {
    'study.list': async () => ({ studies: await studies.list() }),
    'study.plan': async ({ document, file }) => studies.plan(document, await originOf(files, file)),
    'study.forecast': async ({ document, file }) => ({
      forecast: await studies.forecast(document, await originOf(files, file)),
    }),
    'study.start': async ({ document, file, on }) => ({
      study: await studies.start(document, await originOf(files, file), on),
    }),
    'study.resume': async ({ study, retry, on }) => {
      await studies.resume(study, retry, on);
      return {};
    },
    'study.clusters': async () => ({ clusters: await clusters.all() }),
    'study.keepClusters': async ({ clusters: described }) => {
      await clusters.replaceAll(described);
      return {};
    },
    'study.tryCluster': async ({ cluster }) => ({ says: await describeCluster(cluster) }),
    'study.stop': async ({ study }) => {
      await studies.stop(study);
      return {};
    },
    'study.rows': ({ study, ...look }) => studies.rows(study, look),
    'study.values': ({ study, ...asked }) => studies.values(study, asked),
    'study.point': ({ study, point }) => studies.point(study, point),
    'study.result': ({ study, point }) => studies.result(study, point),
    'study.advice': async ({ study, error_mm }) => ({ lines: await studies.advice(study, error_mm) }),
    'study.offers': ({ document }) => studies.offers(document),
    'study.views': async ({ study }) => ({ views: await studies.views(study) }),
    'study.keepViews': async ({ study, views }) => {
      await studies.saveViews(study, views);
      return {};
    },
    'study.export': async ({ study, format }) => ({
      name: `${study}.${format}`,
      mime: mimes[format],
      bytes: await studies.export(study, format),
    }),
  };
}
