import { describe, expect, test } from 'vitest';
import { useBothWays } from './both-ways.ts';

const { bothWays } = useBothWays();

describe('from its start-up image the command line says the same', () => {
  test.each([[['help', 'run']], [['variants', '--json']], [['claims']], [['nonsense']]])('%j', async (words) => {
    const [image, plain] = await bothWays(words);
    expect(image).toEqual(plain);
  });
});
