/** The command palette in a real browser, and commands by keyboard alone. */
import { describe } from 'vitest';
import { paletteStories } from './palette-story.ts';

describe('the command palette, light theme', () => paletteStories('light'));
