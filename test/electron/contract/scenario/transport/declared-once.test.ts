import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  energyColumns,
  ledgerColumns,
  ledgerValue,
  numberColumns,
} from '../../../../../electron/contract/scenario/transport/ledger-columns.ts';
import {
  runScalarEntries,
  scalarsFromEngine,
  summaryScalarsOf,
} from '../../../../../electron/contract/scenario/transport/run-scalars.ts';

const native = (file: string): string =>
  readFileSync(path.resolve(import.meta.dirname, '../../../../..', file), 'utf8');

describe('the numbers of a transport run', () => {
  it('carry their unit in their name, and have a distinct path in the run file', () => {
    for (const [name, { unit }] of runScalarEntries) {
      const suffix = unit.replace('²', '2');
      expect(suffix === '' ? name : name.split('_'), name).toContain(suffix === '' ? name : suffix);
    }
    const places = runScalarEntries.map(([, { at }]) => at.join('/'));
    expect(new Set(places).size).toBe(places.length);
  });

  it('are exactly those that the binding sets', () => {
    const binding = native('native/binding/runs/transport_result.cpp');
    const requested = runScalarEntries.flatMap(([, { engine }]) => engine ?? []);
    expect(requested.length).toBeGreaterThan(10);
    expect(requested.filter((name) => !binding.includes(`out.Set("${name}"`))).toEqual([]);
  });

  it("have one name in the engine's result and one in the summary", () => {
    const result = Object.fromEntries(runScalarEntries.flatMap(([, { engine }], i) => (engine ? [[engine, i]] : [])));
    const at = (name: string): number => runScalarEntries.findIndex(([each]) => each === name);
    const taken = scalarsFromEngine(result as Parameters<typeof scalarsFromEngine>[0]);
    expect(taken.range_mm).toBe(at('range_mm'));
    expect(taken).not.toHaveProperty('wall_s');
    const run = Object.fromEntries(runScalarEntries.map(([name], i) => [name, i]));
    const summary = summaryScalarsOf(run as Parameters<typeof summaryScalarsOf>[0]);
    expect(summary.min_psi_over_max).toBe(at('min_psi_over_max'));
    expect(summary).not.toHaveProperty('device_s');
  });
});

describe('the columns of the ledger', () => {
  it('equal those of the engine, in the same order', () => {
    const header = native('kernels/transport/run/ledger.hpp');
    const list = header.slice(header.indexOf('kLedgerColumns[] = {'));
    const columns = [...list.slice(0, list.indexOf('};')).matchAll(/\{"(\w+)", .*\}(, true)?\},/g)];
    expect(columns.map(([, name]) => name)).toEqual(energyColumns);
    expect(columns.filter(([, , energyOnly]) => energyOnly === undefined).map(([, name]) => name)).toEqual(
      numberColumns,
    );
    expect(Object.keys(ledgerColumns)).toEqual(energyColumns);
  });

  it('are found in a table by name', () => {
    const table = Float64Array.from({ length: 2 * numberColumns.length }, (_, i) => i);
    expect(ledgerValue(table, numberColumns, 'in')).toBe(numberColumns.length);
    expect(ledgerValue(table, numberColumns, 'stopped', 0)).toBe(2);
    expect(ledgerValue(new Float64Array(0), numberColumns, 'in')).toBe(0);
  });
});
