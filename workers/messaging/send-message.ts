import { cancelled as campaignCancelled } from '../../src/campaigns/withdraw/cancelled.ts';
import { stopChannel } from '../../src/channels/change.ts';
import { contactLock } from '../../src/contacts/events.ts';
import { addIdentities } from '../../src/contacts/identities/resolve.ts';
import { hearMarketingChoice } from '../../src/contacts/permission/opt-out.ts';
import { refusalOf } from '../../src/contacts/permission/permission.ts';
import { recordAttempt } from '../../src/messaging/attempts.ts';
import { alarmOf, raiseAlarm } from '../../src/messaging/campaign-recipients.ts';
import { sendMessageJob } from '../../src/messaging/jobs.ts';
import type { Message } from '../../src/messaging/message.entity.ts';
import { recordAccepted } from '../../src/messaging/settle.ts';
import { changeBy, type MessageState, recordChanges, type StatusChange } from '../../src/messaging/told-statuses.ts';
import { unknownWindow } from '../../src/messaging/window.ts';
import type { Own } from '../../src/platform/database/own.ts';
import type { RowOf } from '../../src/platform/database/tables.ts';
import type { JobError } from '../../src/platform/ledger/jobs.entity.ts';
import { answerLock, conversationLane, LocksOutdated } from '../../src/platform/ledger/locks.ts';
import { holdPool, poolOf } from '../../src/platform/ledger/pools.ts';
import { endDoneOfSubject } from '../../src/platform/ledger/release.ts';
import type { Look } from '../../src/platform/ledger/transact.ts';
import type { TenantTx } from '../../src/platform/ledger/tx.ts';
import { reasonOf } from '../../src/platform/log.ts';
import { nowDate } from '../../src/platform/time/clock.ts';
import { ProviderBusy, ProviderFailed, ProviderRefused, ProviderUnknown } from '../../src/providers/errors.ts';
import { saysNoToMarketing, saysTemplateChanged } from '../../src/providers/messaging-app/error-codes.ts';
import type { Accepted, Account } from '../../src/providers/messaging-app/provider.ts';
import { readAgain } from '../../src/templates/sync.ts';
import { channelDeletedBefore } from '../channels/as-channel.ts';
import { handle, type Outcome, type RunContext } from '../handler.ts';
import { attemptBy, lostAttempt } from './attempt-by.ts';
import { outOfHours } from './campaign-hours.ts';
import { heldByPause } from './campaign-paused.ts';
import { type Claim, claimMessage, claimResend, sendingState } from './claim-message.ts';
import { flowMissing, openingContent } from './open-flow.ts';
import { pairWaitMs, spaceLane } from './pair-limit.ts';
import { type Files, fileMissing, filesOf, forgetExpired, isFileMissing, mayHaveExpired, uploadFiles } from './send-files.ts';

type Context = RunContext<Claim | undefined>;

/** Added to the provider's timeout: a younger `sending` message is still being sent. */
const graceMs = 5_000;
const maxResends = 1;

export const sendMessage = handle(
  sendMessageJob,
  async ({ message_id }, context) => (context.claimed ? send(context, context.claimed) : unclaimed(context, message_id)),
  claimMessage,
);

async function send(context: Context, claim: Claim): Promise<Outcome> {
  const refusal = lastRefusal(claim) ?? (await heldByPause(context.own, claim));
  if (refusal) return context.fail(refusal);
  const account = accountOf(context, claim);
  if (account instanceof Error) return context.wait(30_000, { reason: reasonOf(account), work: backToQueued(claim) });
  const files = await filesOf(context.own, claim);
  if (!files) return context.fail(fileMissing);
  if (files.toUpload.length > 0) return uploadFirst(context, claim, account, files);
  const content = await openingContent(context, claim, files.content);
  if (!content) return context.fail(flowMissing);
  const startedAt = performance.now();
  try {
    const accepted = await context.outside(() =>
      context.providers.messagingApp.send(account, {
        callbackData: claim.message_id,
        toPhone: claim.to_phone || undefined,
        toUserId: claim.to_user_id || undefined,
        type: claim.type,
        content,
        contextId: claim.context_id ?? undefined,
      }),
    );
    return await settleAccepted(context, claim, accepted);
  } catch (error) {
    const durationMs = performance.now() - startedAt;
    const note = ({ own }: TenantTx) => recordAttempt(own, claim.message_id, attemptBy(error, durationMs, context.row));
    if (mayHaveExpired(error, files)) {
      const works = [note, backToQueued(claim), forgetExpired(claim, files)];
      return context.wait(0, { reason: reasonOf(error), work: (tx) => each(works, tx) });
    }
    if (error instanceof ProviderUnknown) {
      const { left_ms } = await unknownWindow(context.own, claim.message_id, context.config.unknownWindow * 1000);
      return context.wait(left_ms, { reason: error.message, work: note });
    }
    return endBy(context, claim, error, note);
  }
}

type Work = (tx: TenantTx) => Promise<void>;

async function each(works: Work[], tx: TenantTx) {
  for (const work of works) await work(tx);
}

/** Only what this claim holds: another run may have claimed the message since. */
const backToQueued =
  ({ message_id, claimed_at }: Claim): Work =>
  async ({ own }) => {
    // SQL: one statement (bench: send).
    await own.sql(
      `update messages m
          set status = 'queued', sending_at = null
        where m.organization_id = $1 and m.id = $2 and m.status = 'sending' and m.sending_at = $3::timestamptz`,
      [message_id, claimed_at],
    );
  };

/** Queued meanwhile: a message that is being sent for so long would count as lost, and be sent again. */
async function uploadFirst(context: Context, claim: Claim, account: Account, { toUpload }: Files): Promise<Outcome> {
  await context.transact({ locks: [conversationLane(claim.conversation_id)] }, backToQueued(claim));
  let uploaded: { waitMs: number };
  try {
    uploaded = await uploadFiles(context, account, claim.message_id, toUpload);
  } catch (error) {
    return isFileMissing(error) ? context.fail(fileMissing) : endBy(context, claim, error);
  }
  return context.wait(uploaded.waitMs, uploaded.waitMs > 0 ? { reason: 'another message uploads the file' } : {});
}

/** For a call that did not send the message. `note`: of a try to send it; without one the message is queued already. */
async function endBy(context: Context, claim: Claim, error: unknown, note?: Work): Promise<Outcome> {
  const requeue = (tx: TenantTx) => each(note ? [note, backToQueued(claim)] : [], tx);
  if (error instanceof ProviderRefused) {
    if (saysNoToMarketing(error.providerCode)) await noteRefuser(context, claim);
    if (claim.type === 'template' && saysTemplateChanged(error.providerCode))
      await readAgain(context.own, context.lasting, claim.channel_id, claim.content);
    if (!error.stopsChannel) {
      const reason = { code: 'provider_refused', message: error.message, provider_code: error.providerCode };
      return context.fail(reason, { work: note });
    }
    // The provider refuses the channel, not the message: it keeps its place until the channel is repaired.
    await stopChannel(context.lasting, { id: claim.channel_id, sealedToken: claim.access_token }, error.stopsChannel);
    return context.wait(1_000, { reason: error.message, work: requeue });
  }
  if (error instanceof ProviderBusy) {
    if (error.scope === 'recipient') {
      const waitMs = await pairWaitMs(context.own, claim.message_id, error);
      const work: Work = async (tx) => {
        await requeue(tx);
        await spaceLane(tx.own, context.row.lane, waitMs);
      };
      return context.wait(waitMs, { reason: error.message, work });
    }
    await slowDown(context, error.retryAfterMs);
    const work: Work = async (tx) => {
      await requeue(tx);
      await tellCampaign(tx, claim, error);
    };
    return context.wait(error.retryAfterMs, { reason: error.message, work });
  }
  if (error instanceof ProviderFailed) {
    const reason = { code: 'provider_failed', message: error.message, provider_code: error.providerCode };
    return context.again(reason, { work: requeue });
  }
  throw error;
}

/** The message waits with its channel; its campaign stops. */
async function tellCampaign({ own }: TenantTx, { campaign_id: id }: Claim, { providerCode }: ProviderBusy) {
  const alarm = alarmOf(providerCode);
  if (id !== null && alarm) await raiseAlarm(own, { id, alarm });
}

/** An error: the token cannot be decrypted, for example with another SECRET_KEY. */
function accountOf({ secrets }: Context, { phone_number_id, account_id, access_token }: Claim): Account | Error {
  try {
    return { phoneNumberId: phone_number_id, accountId: account_id, accessToken: secrets.open(access_token) };
  } catch (error) {
    return error as Error;
  }
}

const secondOfCampaign: JobError = { code: 'duplicate', message: 'The campaign writes to this person with another message' };

function addressRefusal({ contact_id, to_phone, to_user_id }: Claim): JobError | undefined {
  if (contact_id === null) return { code: 'contact_deleted', message: 'The contact was deleted before the message went out' };
  return to_phone || to_user_id
    ? undefined
    : { code: 'no_address', message: 'The contact has no address on this channel any more' };
}

/** What may have changed since the message was accepted. */
function lastRefusal(claim: Claim): JobError | undefined {
  const refusal: JobError | undefined =
    addressRefusal(claim) ??
    (claim.campaign?.status === 'cancelled' ? campaignCancelled : undefined) ??
    (claim.is_deleted ? channelDeletedBefore : permissionRefusal(claim)) ??
    (claim.campaign?.is_second ? secondOfCampaign : undefined) ??
    outOfHours(claim, nowDate());
  return refusal && { code: refusal.code, message: refusal.message };
}

/** A campaign of marketing needs consent whatever its template is. */
const permissionRefusal = (claim: Claim) =>
  refusalOf(claim.campaign?.purpose === 'marketing' ? { ...claim, category: 'marketing' } : claim);

/**
 * A separate transaction: it takes another lock, and the refusal holds even if the end is lost. It waits for a database that is away, or the provider's
 * answer would be lost with it.
 */
async function noteRefuser({ own, lasting }: Context, { message_id: proof }: Claim) {
  const look = () => contactOf(own, proof);
  const locks = (contactId: string | null) => (contactId ? [contactLock(contactId)] : []);
  await lasting({ look, locks }, async (tx, contactId) => {
    if (!contactId) return;
    const choice = { status: 'denied', at: nowDate(), proof } as const;
    if (!(await hearMarketingChoice(tx.own, contactId, choice))) throw new LocksOutdated();
  });
}

/** Reads it again: the contact may have been merged or erased since. */
async function contactOf(own: Own, messageId: string): Promise<string | null> {
  // SQL: one statement (bench: send).
  const [message] = await own.sql<RowOf<typeof Message, 'contact_id'>>(
    `select m.contact_id
       from messages m
      where m.organization_id = $1 and m.id = $2`,
    [messageId],
  );
  return message?.contact_id ?? null;
}

/** In one round trip where the message is as it was claimed, and the answer tells nothing new of the person. */
function settleAccepted(context: Context, claim: Claim, { providerMessageId, phoneId, userId }: Accepted): Promise<Outcome> {
  const isNewsOfPerson = Boolean(userId || (phoneId && phoneId !== claim.to_phone));
  const proof = { status: 'sent', providerMessageId } as const;
  const claimed = isNewsOfPerson ? undefined : changeBy(stateOf(claim), proof);
  const looked: Look<StatusChange | undefined> = {
    look: async (attempt) => (attempt === 1 ? claimed : undefined),
    locks: () => [answerLock(claim.channel_id, providerMessageId)],
    isOneTrip: (change) => change !== undefined,
  };
  return context.settle(looked, async (tx, change) => {
    if (change) return recordChanges(tx.own, [change], { isUnheard: !claim.is_heard });
    await recordAccepted(tx.own, claim.message_id, providerMessageId);
    endDoneOfSubject(tx.own, sendMessageJob.name, claim.message_id);
    const contactId = isNewsOfPerson ? await contactOf(tx.own, claim.message_id) : undefined;
    if (contactId) await addIdentities(tx.own, context.secrets, contactId, { phoneId, userId });
  });
}

const stateOf = ({ message_id: id, channel_id, conversation_id, contact_id, campaign_id, origin }: Claim): MessageState => ({
  ...{ id, channel_id, conversation_id, contact_id, campaign_id, origin },
  ...{ status: 'sending', provider_message_id: null, failure: null },
});

/** The phone number's own limit: the channel sends nothing for `ms`. */
async function slowDown({ database, row, ledger }: Context, ms: number) {
  if (!row.pool) return;
  const pool = poolOf(row.organization_id, row.pool);
  await holdPool(database, pool, ms);
  setTimeout(() => void ledger.fill(pool), ms + 20).unref();
}

/** The claim failed: another run is sending the message, or its answer was lost. */
async function unclaimed(context: Context, messageId: string): Promise<Outcome> {
  const state = await sendingState(context.own, messageId);
  if (state?.status === 'queued') return context.wait(50);
  if (state?.status !== 'sending') return context.finish();
  const stillSendingMs = context.config.providerTimeoutMs + graceMs - state.age_ms;
  const windowMs = context.config.unknownWindow * 1000;
  const window = await unknownWindow(context.own, messageId, windowMs);
  if (window.has_passed && stillSendingMs <= 0) {
    const note = ({ own }: TenantTx) => recordAttempt(own, messageId, lostAttempt(context.row));
    if (state.resends >= maxResends)
      return context.fail(
        { code: 'outcome_unknown', message: 'The provider never said whether it took the message, twice' },
        { work: note },
      );
    await context.transact({}, note);
    const claim = await claimResend(context.own, messageId, state.resends);
    return claim ? send(context, claim) : context.wait(1_000);
  }
  // After its end the window may still wait for an unapplied webhook or a newly started web process.
  return context.wait(Math.max(window.left_ms, stillSendingMs, 1_000), { reason: 'the outcome of the send is not known yet' });
}
