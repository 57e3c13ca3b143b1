/**
 * Every cheat once, in sessions of one problem with one honest twin. cheats.long.test.ts repeats each cheat with its
 * own twin.
 */
import { cheats, tellFound, useCourt } from './cheats.ts';

tellFound(useCourt('cheats', cheats, 'first'), cheats);
