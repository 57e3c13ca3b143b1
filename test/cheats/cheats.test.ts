/**
 * Every cheat once, in sessions of one problem with one honest twin. cheats.long.test.ts repeats each cheat with its
 * own twin.
 */
import { cheats, reportDetection, useCheatHarness } from './cheats.ts';

reportDetection(useCheatHarness('cheats', cheats, 'first'), cheats);
