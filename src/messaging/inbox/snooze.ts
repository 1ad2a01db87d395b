import { invalidField } from '../../platform/errors.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { assertAhead } from '../../platform/time/ahead.ts';
import { now } from '../../platform/time/clock.ts';
import { momentMs } from '../../platform/time/moment.ts';
import type { ConversationStatus } from '../conversation.entity.ts';
import { wakeConversationJob } from './jobs.ts';
import { callOffWake } from './wake.ts';

export const maxSnoozeDays = 366;

export type Sleep = { status: ConversationStatus; snoozed_until: string | null };
export type SleepPatch = { status?: ConversationStatus; snoozed_until?: string | null };

/** A time snoozes, another status wakes. Throws 422 for a time that is past, too far away, or given with another status. */
export function sleepAfter(before: Sleep, { status, snoozed_until: until }: SleepPatch): Sleep {
  if (until) {
    if (status && status !== 'snoozed')
      throw invalidField('snoozed_until', `A time goes with the status snoozed, not with ${status}`);
    assertAhead('snoozed_until', until, maxSnoozeDays);
    return { status: 'snoozed', snoozed_until: sameMoment(before.snoozed_until, until) ? before.snoozed_until : until };
  }
  const after = status ?? before.status;
  const keepsTime = after === 'snoozed' && until === undefined;
  return { status: after, snoozed_until: keepsTime ? before.snoozed_until : null };
}

const sameMoment = (stored: string | null, given: string) => stored !== null && momentMs(stored) === momentMs(given);

/** Exactly one job for each conversation that has a time. */
export function moveWake(tx: TenantTx, id: string, before: Sleep, after: Sleep): void {
  if (before.snoozed_until === after.snoozed_until) return;
  if (before.snoozed_until) callOffWake(tx.own, [id]);
  if (!after.snoozed_until) return;
  const delayMs = Math.max(1, momentMs(after.snoozed_until) - now());
  tx.own.enqueue(wakeConversationJob, { conversation_id: id }, { delayMs });
}
