import { subjectLock } from '../../platform/ledger/locks.ts';

/** Held by every write of a pipeline or a stage: limits, the order of stages and the one default are exact. */
export const pipelinesLock = (organizationId: string) => subjectLock('pipelines', organizationId);
