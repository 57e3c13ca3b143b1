/** The command palette in a real browser, and commands by keyboard alone. */
import { describe } from 'vitest';
import { tellPalette } from './palette-story.ts';

describe('the command palette, light', () => tellPalette('light'));
