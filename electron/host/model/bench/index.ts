export { type Claim, readCatalogue, readClaimsOf, readTaskClaims } from './claims.ts';
export { commitOf } from './commit.ts';
export { devicesWithCeilings, noGpus, type SessionGpus, sessionGpus } from './machine.ts';
export { runSession, type SessionOptions } from './session.ts';
export { checkedSession, recordedFacts, sessionFile, sessionFileText, sessionText } from './session-file.ts';
export { type BenchLimits, type BenchProgress, limitsOf, maxRounds, SessionClock } from './stopping.ts';
export { fitLine, sweepFits } from './sweep.ts';
