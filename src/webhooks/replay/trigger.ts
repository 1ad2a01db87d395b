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

export type Asked = { is_test: boolean; asked_by: string | null; asked_after: number | null; attempts_before: number };

/** The same rule for the log line, of a delivery as it was claimed: asked for during the attempt, only the row says so. */
export const triggerOf = ({ is_test, asked_by, asked_after, attempts_before }: Asked) => {
  if (asked_by !== null && asked_after === attempts_before) return asked_by;
  return is_test ? 'test' : 'schedule';
};
