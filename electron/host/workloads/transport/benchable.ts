/** Proton transport as benchmarks take it. */
import { SESSION_FORMAT } from '../../../contract/bench/bench.ts';
import { candidates } from '../../model/bench/candidates.ts';
import { benchmark, devicesWithCeilings, recordedFacts, sessionGpus, sweepFits } from '../../model/bench/index.ts';
import { chooseBaselines, readRegistry } from '../../model/external/registry.ts';
import { externalRuns, rivals } from '../../model/external/rivals.ts';
import { type Answers, type Benchable, problemFor, reportEach } from '../benchable.ts';
import { problemOf } from '../scenarios/index.ts';
import { readClaims } from './claims.ts';
import { doseFieldOf } from './field.ts';
import { leastOfEach } from './work.ts';

export const transportBenchable: Benchable = {
  problem: (reading) => {
    if (reading.kind !== 'transport') throw new Error(`a scenario of ${reading.kind} came to transport`);
    return { kind: 'transport', problem: problemOf(reading) };
  },
  check: (addon, problem, variants) => {
    candidates(problemFor('transport', problem), variants, addon.variants());
  },
  least_s: async (addon, problem, variants) => leastOfEach(addon, problemFor('transport', problem), variants),
  hasRivals: true,
  measure: async (addon, task, { tell, signal }) => {
    const { scenario, variants, modes, seed, limits, assetsFolder, sweep, created, command } = task;
    const devices = await devicesWithCeilings(addon, () => undefined);
    const recorded = { document: task.document, ...(await recordedFacts(assetsFolder, devices)) };
    const claims = await readClaims(assetsFolder);
    const registry = task.external.length === 0 ? null : await readRegistry(assetsFolder);
    const baselines = registry === null ? [] : chooseBaselines(registry, task.external);
    const answers: Answers[] = [];
    const reports = await reportEach(task, signal, (problem, index) => {
      const found = new Map<string, Float64Array>();
      answers.push(found);
      return benchmark(addon, problemFor('transport', problem), {
        ...{ scenario, variants, modes, seed, limits, claims, recorded, signal },
        gpus: sessionGpus(devices),
        ...(registry !== null && {
          rivals: rivals({
            addon,
            folder: registry.folder,
            baselines,
            scenario: task.scenarios[index],
            ...externalRuns,
            signal,
          }),
        }),
        onDose: (label, dose) => found.set(label, dose),
        onProgress: (progress) => tell(progress, index),
      });
    });
    const values = sweep?.values.slice(0, reports.length) ?? [];
    return {
      session: {
        ...{ format: SESSION_FORMAT, format_version: 1, created, command, reports },
        sweep: sweep === null ? null : { path: sweep.path, values, fits: sweepFits(values, reports) },
      },
      answers,
    };
  },
  field: (problem, answer) => doseFieldOf(problemFor('transport', problem), Float64Array.from(answer)),
};
