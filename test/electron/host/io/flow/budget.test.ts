import { expect, test } from 'vitest';
import { Budget } from '../../../../../electron/host/io/flow/budget.ts';

async function settled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<boolean>((done) => setTimeout(() => done(false), 5))]);
}

test('what fits is taken at once, the rest waits in order', async () => {
  const budget = new Budget(10);
  const first = await budget.take(6);
  const large = budget.take(8);
  const small = budget.take(1);
  expect(await settled(large)).toBe(false);
  expect(await settled(small)).toBe(false); // it came later
  first();
  first(); // giving back twice gives back once
  expect(await settled(large)).toBe(true);
  expect(await settled(small)).toBe(true);
  const whole = budget.take(2);
  expect(await settled(whole)).toBe(false);
  (await large)();
  expect(await settled(whole)).toBe(true);
});

test('more than there is gets all there is, alone', async () => {
  const budget = new Budget(10);
  const first = await budget.take(1);
  const huge = budget.take(100);
  expect(await settled(huge)).toBe(false);
  first();
  const release = await huge;
  const next = budget.take(1);
  expect(await settled(next)).toBe(false);
  release();
  expect(await settled(next)).toBe(true);
});
