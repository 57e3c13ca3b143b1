/** The command palette once more, in the dark. */
import { describe } from 'vitest';
import { tellPalette } from './palette-story.ts';

describe('the command palette, dark', () => tellPalette('dark'));
