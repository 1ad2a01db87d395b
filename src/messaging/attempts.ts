import { uuidv7 } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { AttemptError, AttemptOutcome } from './message-attempt.entity.ts';

/** Of one message. A try that the provider is too busy for spends no attempt of its job: without a bound they might go on for ever. */
export const maxAttempts = 100;

export type Attempt = {
  outcome: AttemptOutcome;
  errorClass?: AttemptError;
  providerCode?: string | null;
  reason?: string;
  durationMs?: number;
  job?: { id: string; run: number };
};

/**
 * SQL: reads the message and its tries, and makes room. A try is known by when it was claimed: a run that is repeated writes nothing. The
 * last row gives way to a newer one when there are too many. The provider's words may name the person: dropped once the contact is erased.
 */
const recordStatement = `
  with sent as (
    select m.sending_at, m.resends, m.contact_id is null as is_erased
      from messages m
     where m.organization_id = $1 and m.id = $2 and m.sending_at is not null
       and not exists (
         select 1 from message_attempts a
          where a.organization_id = $1 and a.message_id = $2 and a.started_at = m.sending_at)),
  known as (
    select count(*) as kept, coalesce(max(number), 0) as last
      from message_attempts
     where organization_id = $1 and message_id = $2),
  dropped as (
    delete from message_attempts a
     using known, sent
     where a.organization_id = $1 and a.message_id = $2 and a.number = known.last and known.kept >= ${maxAttempts})
  insert into message_attempts (
    id, organization_id, message_id, number, job_id, run, trigger, outcome, error_class, provider_code, reason, duration_ms, started_at)
  select $3, $1, $2, known.last + 1, $4::uuid, $5::int,
         case when sent.resends > 0 then 'resend'
              when known.last = 0 then 'first'
              when (select a.retried_at
                      from message_attempts a
                     where a.organization_id = $1 and a.message_id = $2 and a.number = known.last) is not null then 'retry'
              else 'schedule' end,
         $6, $7, $8, case when sent.is_erased then '' else $9 end, $10::int, sent.sending_at
    from sent, known
  on conflict on constraint message_attempts_number do nothing`;

/** Of the try that was claimed last; in the transaction that ends it, before the claim is taken back. */
export async function recordAttempt(
  tx: OwnTx,
  messageId: string,
  { outcome, errorClass, providerCode = null, reason = '', durationMs, job }: Attempt,
): Promise<void> {
  await tx.sql(recordStatement, [
    messageId,
    uuidv7(),
    job?.id ?? null,
    job?.run ?? null,
    outcome,
    errorClass ?? null,
    providerCode,
    reason,
    durationMs === undefined ? null : Math.round(durationMs),
  ]);
}

/** SQL: by the database's clock. Somebody asks for another try after the last one. */
export const markRetried = (tx: OwnTx, messageId: string) =>
  tx.sql(
    `update message_attempts
        set retried_at = clock_timestamp()
      where organization_id = $1 and message_id = $2
        and number = (
          select max(number)
            from message_attempts
           where organization_id = $1 and message_id = $2)`,
    [messageId],
  );
