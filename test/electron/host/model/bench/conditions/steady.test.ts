/** Locked clocks and waits for a GPU to cool: done where the rights are, and said where they are not. */
import { expect, test } from 'vitest';
import type { ClockState } from '../../../../../../electron/contract/devices.ts';
import { SteadyGpu } from '../../../../../../electron/host/model/bench/conditions/steady.ts';

function gpu(why: string | null, temperatures: number[] = []) {
  const asked: (number | null)[] = [];
  const addon = {
    lockClocks: ({ sm_MHz }: { sm_MHz: number | null }) => {
      asked.push(sm_MHz);
      return why;
    },
    clockState: () => ({ temperature_C: temperatures.shift() ?? null }) as ClockState,
  };
  return { addon, asked, temperatures };
}

test('a lock is taken off when the session ends, and told', () => {
  const { addon, asked } = gpu(null);
  const steady = new SteadyGpu(addon, 'GPU-1', { lock_MHz: 1500, cool_C: null });
  expect(steady.facts).toEqual([['GPU clock', 'locked at 1500 MHz']]);
  steady.close();
  expect(asked).toEqual([1500, null]);
});

test('without the rights, or a GPU, it says so and unlocks nothing', () => {
  const { addon, asked } = gpu('Insufficient Permissions');
  const refused = new SteadyGpu(addon, 'GPU-1', { lock_MHz: 1500, cool_C: null });
  refused.close();
  expect(refused.facts).toEqual([
    ['GPU clock', 'not locked (Insufficient Permissions); as root: nvidia-smi --lock-gpu-clocks=1500,1500'],
  ]);
  expect(asked).toEqual([1500]);
  const none = new SteadyGpu(addon, null, { lock_MHz: 1500, cool_C: 50 });
  expect(none.facts).toEqual([
    ['GPU clock', 'not locked: there is no GPU'],
    ['Cooling', 'not waited for: there is no GPU'],
  ]);
  const left = new SteadyGpu(addon, 'GPU-1', { lock_MHz: null, cool_C: null });
  left.close();
  expect(left.facts).toEqual([]);
  expect(asked).toEqual([1500]);
});

test('a round waits until the GPU is cool enough, and no longer once the session is cancelled', async () => {
  const { addon, temperatures } = gpu(null, [71, 65, 60]);
  const steady = new SteadyGpu(addon, 'GPU-1', { lock_MHz: null, cool_C: 60 });
  await steady.cooled(() => false);
  expect(temperatures).toEqual([]);
  expect(steady.facts[0]?.[1]).toMatch(/^0\.[4-9] s|^[1-9][\d.]* s waited for 60 °C/);
  await steady.cooled(() => false);
  expect(steady.facts).toEqual([['Cooling', 'not waited for: this GPU tells no temperature']]);
  temperatures.push(90);
  await steady.cooled(() => true);
  expect(temperatures).toEqual([90]);
});
