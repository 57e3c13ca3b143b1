import { describe, test } from 'vitest';
import { expectRefused, hostileVariants } from './open.ts';

describe('hostile text of the maximum size is rejected within seconds (long cases)', () => {
  test.each(hostileVariants)('%s (%#)', expectRefused);
});
