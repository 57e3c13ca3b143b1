/** The tunables that are shipped, against the sources that hold them. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ShippedSpace } from '../../../../../electron/contract/tuning/tunables.ts';
import { loadAddon } from '../../../../../electron/host/io/addon/addon.ts';
import { variantSources } from '../../../../../electron/host/model/bench/sources.ts';
import { constantsOf, constantsSince90 } from '../../../../../electron/host/model/tuning/constants.ts';
import { heldFor, readTunedRecords } from '../../../../../electron/host/model/tuning/recorded.ts';
import { readShippedSpaces } from '../../../../../electron/host/model/tuning/shipped.ts';
import { completed, configurationsOf } from '../../../../../electron/host/model/tuning/space.ts';
import { allVariants } from '../../../../../electron/host/workloads/index.ts';

const root = path.join(import.meta.dirname, '../../../../..');
const spaces: readonly ShippedSpace[] = await readShippedSpaces(path.join(root, 'assets'));
const records = await readTunedRecords(path.join(root, 'assets'));
/** BB_TUNABLE_90 has values from here on. */
const HOPPER = 90;

describe.each(spaces.map((space) => [`${space.bench || space.workload} ${space.variants.join(', ')}`, space] as const))(
  '%s',
  (_, { workload, bench, variants, file, tunables, conditions }) => {
    let text = '';
    beforeAll(async () => {
      text = await readFile(path.join(root, file), 'utf8');
    });

    test('its constants are in the source, and their values are allowed', () => {
      const usual = constantsOf(
        text,
        tunables.map(({ name }) => name),
        file,
      );
      const space = { variant: variants[0] ?? '', file, tunables, conditions, usual };
      expect(completed(space, usual)).toEqual(usual);
      const all = configurationsOf(space);
      expect(all.length).toBeGreaterThan(3);
      expect(all).toContainEqual(usual);
    });

    test('Hopper gets what was recorded to hold there, and else the usual constants', () => {
      const names = tunables.map(({ name }) => name);
      const held = heldFor(records, { file, variants }, HOPPER) ?? constantsOf(text, names, file);
      expect(constantsSince90(text, names, file)).toEqual(held);
    });

    test('its variants are written in that file', async () => {
      for (const id of variants) {
        const variant = allVariants(loadAddon()).find(
          (one) => one.workload === workload && one.bench === bench && one.id === id,
        );
        expect(variant, id).toBeDefined();
        if (variant === undefined) continue;
        const files = await variantSources(path.join(root, 'kernels'), variant);
        expect(files.map((one) => one.path)).toContain(file);
      }
    });
  },
);
