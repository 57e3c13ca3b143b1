/** Scenarios as most tests use them, of transport alone: a reading of another kind holds an error. */
import {
  problemOf,
  type Reading,
  type ScenarioOrigin,
  type Scenarios,
} from '../../../electron/host/workloads/scenarios/index.ts';
import type { ReadOptions } from '../../../electron/host/workloads/scenarios/scenarios.ts';
import { asTransport } from '../../../electron/host/workloads/transport/scenario/reading.ts';

export class TransportScenarios {
  /** Scenarios of every kind. */
  readonly any: Scenarios;
  readonly resolve = problemOf;

  constructor(any: Scenarios) {
    this.any = any;
  }

  get materials(): Scenarios['materials'] {
    return this.any.materials;
  }

  async read(file: string, options?: ReadOptions): Promise<Reading> {
    return asTransport(await this.any.read(file, options), file);
  }

  async parse(text: string, place: ScenarioOrigin, options?: ReadOptions): Promise<Reading> {
    return asTransport(await this.any.parse(text, place, options), place.name);
  }

  async check(document: unknown, place: ScenarioOrigin): Promise<Reading> {
    return asTransport(await this.any.check(document, place), null);
  }

  text(document: unknown): string {
    return this.any.text(document);
  }

  write(file: string, document: unknown, ifExists?: 'replace' | 'refuse'): Promise<void> {
    return this.any.write(file, document, ifExists);
  }
}
