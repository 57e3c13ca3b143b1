import { describe, expect, test } from 'vitest';
import { useImageAndSource } from './both-ways.ts';

const { bothWays: fromImageAndSource } = useImageAndSource();

describe('the command line prints the same output from its start-up image (all commands)', () => {
  test.each([[['help', 'run']], [['variants', '--json']], [['claims']], [['nonsense']]])('%j', async (words) => {
    const [image, plain] = await fromImageAndSource(words);
    expect(image).toEqual(plain);
  });
});
