/** Starting the host, reading a scenario and solving it on the CPU touch neither a GPU nor NVIDIA's libraries. */
import { expect, it } from 'vitest';
import { loadAddon, type NativeAddon } from '../../../../electron/host/io/addon/addon.ts';
import { allVariants } from '../../../../electron/host/workloads/index.ts';
import { smallScenario } from '../small-run.ts';
import { openTestHost } from '../test-host.ts';

const LISTS = ['variants', 'diffractionVariants', 'taskVariants'] as const;

/** The addon on a machine whose devices must not be queried: every query is recorded. */
function watched(asked: string[]): NativeAddon {
  const real = loadAddon();
  const tell = (what: string) => {
    asked.push(what);
    return null;
  };
  const lists = Object.fromEntries(
    LISTS.map((name) => [
      name,
      () =>
        real[name]().map((variant) =>
          variant.device === 'cpu'
            ? variant
            : Object.create(variant, {
                available: { get: () => tell(`whether ${variant.id} is there`) === null },
                reason: { get: () => tell(`why ${variant.id} is not there`) },
              }),
        ),
    ]),
  );
  const devices = {
    devices: () => {
      tell('devices');
      return real.devices();
    },
    driverDevices: () => {
      tell('driverDevices');
      return real.driverDevices();
    },
  };
  return { ...real, ...lists, ...devices };
}

it('a run on the CPU asks no device, and what the machine can do is known when it is asked', async () => {
  const asked: string[] = [];
  const addon = watched(asked);
  expect(allVariants(addon).length).toBeGreaterThan(50);
  const test = await openTestHost({ addon });
  try {
    const scenario = { ...smallScenario, solver: { ...smallScenario.solver, variant: 'window' } };
    const { id } = await test.host.call('run.start', { scenario, name: 'here' });
    expect(await test.host.runs.ended(id)).toMatchObject({ state: 'done', device: 'cpu' });
    expect(asked).toEqual([]);
    expect(test.host.capabilities().devices.cuda).toEqual(loadAddon().devices().cuda);
    expect(asked).toContain('devices');
  } finally {
    await test.close();
  }
});
