/**
 * What an attempt is owed to. A delivery that is replayed keeps who asked (`asked_by`) and after which attempt (`asked_after`): the next one
 * is marked by it, and those after that follow the schedule again.
 */
export const triggers = ['schedule', 'replay', 'recover', 'test'] as const;
export type Trigger = (typeof triggers)[number];
export type AskedTrigger = Extract<Trigger, 'replay' | 'recover'>;

/** SQL: of a delivery whose attempt was just counted. */
export const triggerOfAttempt = `
  case when asked_after = attempts - 1 then asked_by
       when is_test then 'test'
       else 'schedule' end`;
