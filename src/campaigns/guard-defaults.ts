import type { Guards } from './campaign.entity.ts';

export const guardDefaults: Required<Guards> = { max_failed_percent: 20, retry_capped: false, start_grace_minutes: 60 };

export const guardsOf = ({ guards }: { guards: Guards }): Required<Guards> => ({ ...guardDefaults, ...guards });

export const graceMinutesOf = (campaign: { guards: Guards }): number => guardsOf(campaign).start_grace_minutes;
