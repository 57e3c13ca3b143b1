import { describe, test } from 'vitest';
import { expectRefused, moreHostile } from './open.ts';

describe('hostile text of the largest size is refused within seconds, also on a busy machine', () => {
  test.each(moreHostile)('%s (%#)', expectRefused);
});
