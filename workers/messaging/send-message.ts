import { stopChannel } from '../../src/channels/connect.ts';
import { contactLock } from '../../src/contacts/events.ts';
import { addIdentities } from '../../src/contacts/identities/resolve.ts';
import { hearMarketingChoice } from '../../src/contacts/permission/opt-out.ts';
import { refusalOf } from '../../src/contacts/permission/permission.ts';
import { sendMessageJob } from '../../src/messaging/jobs.ts';
import { recordAccepted } from '../../src/messaging/settle.ts';
import { unknownWindow } from '../../src/messaging/window.ts';
import type { Em } from '../../src/platform/database/database.ts';
import { query } from '../../src/platform/database/query.ts';
import type { JobError } from '../../src/platform/ledger/jobs.entity.ts';
import { LocksOutdated } from '../../src/platform/ledger/locks.ts';
import { holdPool } from '../../src/platform/ledger/pools.ts';
import { endDoneOfSubject } from '../../src/platform/ledger/release.ts';
import type { Tx } from '../../src/platform/ledger/tx.ts';
import { reasonOf } from '../../src/platform/log.ts';
import { nowDate } from '../../src/platform/time/clock.ts';
import { ProviderBusy, ProviderFailed, ProviderRefused, ProviderUnknown } from '../../src/providers/errors.ts';
import { saysNoToMarketing } from '../../src/providers/messaging-app/error-codes.ts';
import type { Accepted } from '../../src/providers/messaging-app/provider.ts';
import { handle, type Outcome, type RunContext } from '../handler.ts';
import { type Claim, claimMessage, claimResend, sendingState } from './claim-message.ts';

type Context = RunContext<Claim | undefined>;

/** Longer than the provider may take: whoever finds a message `sending` for less finds someone sending it. */
const graceMs = 5_000;
const mostResends = 1;

export const sendMessage = handle(
  sendMessageJob,
  async ({ message_id }, context) => (context.claimed ? send(context, context.claimed) : unclaimed(context, message_id)),
  claimMessage,
);

async function send(context: Context, claim: Claim): Promise<Outcome> {
  const refusal = lastRefusal(claim);
  if (refusal) return context.fail(refusal);
  const backToQueued = async (tx: Tx) =>
    void (await tx.query(`update messages set status = 'queued', sending_at = null where id = $1 and status = 'sending'`, [
      claim.message_id,
    ]));
  let account: { phoneNumberId: string; accountId: string; accessToken: string };
  try {
    account = {
      phoneNumberId: claim.phone_number_id,
      accountId: claim.account_id,
      accessToken: context.secrets.open(claim.access_token),
    };
  } catch (error) {
    return context.wait(30_000, { reason: reasonOf(error), work: backToQueued });
  }
  try {
    const accepted = await context.outside(() =>
      context.providers.messagingApp.send(account, {
        callbackData: claim.message_id,
        toPhone: claim.to_phone || undefined,
        toUserId: claim.to_user_id || undefined,
        type: claim.type,
        content: claim.content,
        contextId: claim.context_id ?? undefined,
      }),
    );
    return await settleAccepted(context, claim, accepted);
  } catch (error) {
    if (error instanceof ProviderRefused) {
      if (saysNoToMarketing(error.providerCode)) await noteRefuser(context, claim);
      if (!error.stopsChannel)
        return context.fail({ code: 'provider_refused', message: error.message, provider_code: error.providerCode });
      // Not this message is wrong but the whole channel: it keeps its place and waits with the others until the channel is mended.
      await stopChannel(
        context.ledger.transact,
        context.row.organization_id,
        { id: claim.channel_id, sealedToken: claim.access_token },
        error.stopsChannel,
      );
      return context.wait(1_000, { reason: error.message, work: backToQueued });
    }
    if (error instanceof ProviderBusy) {
      if (error.scope === 'channel') await slowDown(context, error.retryAfterMs);
      return context.wait(error.retryAfterMs, { reason: error.message, work: backToQueued });
    }
    if (error instanceof ProviderFailed)
      return context.again(
        { code: 'provider_failed', message: error.message, provider_code: error.providerCode },
        { work: backToQueued },
      );
    if (error instanceof ProviderUnknown) {
      const { left_ms } = await unknownWindow(context.em, claim.message_id, context.config.unknownWindow * 1000);
      return context.wait(left_ms, { reason: error.message });
    }
    throw error;
  }
}

/** What has become of the person since the message was accepted. Waiting would not help: whoever wants it sent later says so. */
function lastRefusal(claim: Claim): JobError | undefined {
  const isForgotten = claim.contact_id === null || (!claim.to_phone && !claim.to_user_id);
  const refusal: JobError | undefined = isForgotten
    ? { code: 'contact_deleted', message: 'The contact was deleted before the message went out' }
    : refusalOf(claim);
  if (!refusal || claim.resends === 0) return refusal && { code: refusal.code, message: refusal.message };
  // The first send may have arrived: that must still be able to prove itself, and a retry needs force.
  return { code: 'outcome_unknown', message: `The provider never said whether it took the message. ${refusal.message}` };
}

/** In a transaction before the end's: it takes another lock, and what the person said holds even if the end is lost. */
async function noteRefuser({ em, ledger, row }: Context, { message_id: proof }: Claim) {
  const look = () => contactOf(em, proof);
  const locks = (contactId: string | null) => (contactId ? [contactLock(contactId)] : []);
  await ledger.transact({ look, locks }, async (tx, contactId) => {
    if (!contactId) return;
    const choice = { status: 'denied', at: nowDate(), proof } as const;
    if (!(await hearMarketingChoice(tx.of(row.organization_id), contactId, choice))) throw new LocksOutdated();
  });
}

/** Whose a message is by now: the contact may have become part of another, or have been forgotten. */
async function contactOf(em: Em, messageId: string): Promise<string | null> {
  const [message] = await query<{ contact_id: string | null }>(em, 'select contact_id from messages where id = $1', [messageId]);
  return message?.contact_id ?? null;
}

function settleAccepted(context: Context, claim: Claim, { providerMessageId, phoneId, userId }: Accepted): Promise<Outcome> {
  return context.settle(async (tx) => {
    await recordAccepted(tx, claim.message_id, providerMessageId);
    endDoneOfSubject(tx, sendMessageJob.name, claim.message_id);
    if (!userId && (!phoneId || phoneId === claim.to_phone)) return;
    const contactId = await contactOf(tx.em, claim.message_id);
    if (!contactId) return;
    await addIdentities(tx.of(context.row.organization_id), context.secrets, contactId, { phoneId, userId });
  });
}

/** The number's own limit: nothing of the channel goes out for that long, then the pool is filled again. */
async function slowDown({ em, row, ledger }: Context, ms: number) {
  if (!row.pool) return;
  await holdPool(em, row.pool, ms);
  setTimeout(() => void ledger.fill(row.pool!), ms + 20).unref();
}

/** The row says it may run and the message was not to be had: someone is sending it, or its answer was lost. */
async function unclaimed(context: Context, messageId: string): Promise<Outcome> {
  const state = await sendingState(context.em, messageId);
  if (state?.status === 'queued') return context.wait(50);
  if (state?.status !== 'sending') return context.finish();
  const stillSendingMs = context.config.providerTimeoutMs + graceMs - state.age_ms;
  const windowMs = context.config.unknownWindow * 1000;
  const window = await unknownWindow(context.em, messageId, windowMs);
  if (window.has_passed && stillSendingMs <= 0) {
    if (state.resends >= mostResends)
      return context.fail({ code: 'outcome_unknown', message: 'The provider never said whether it took the message, twice' });
    const claim = await claimResend(context.em, messageId, state.resends);
    return claim ? send(context, claim) : context.wait(1_000);
  }
  // Past its end the window may still wait for an unapplied webhook or a web process that has not been there long enough.
  return context.wait(Math.max(window.left_ms, stillSendingMs, 1_000), { reason: 'the outcome of the send is not known yet' });
}
