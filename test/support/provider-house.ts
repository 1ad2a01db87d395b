import { recordAccepted } from '../../src/messaging/settle.ts';
import { checkJobs } from '../../src/platform/ledger/check.ts';
import { answerLock, conversationLane } from '../../src/platform/ledger/locks.ts';
import { endDoneOfSubject } from '../../src/platform/ledger/release.ts';
import { transactFor } from '../../src/platform/ledger/tenant.ts';
import { acceptProviderWebhook } from '../../src/provider-webhooks/accept.ts';
import { changesOf } from '../../src/providers/messaging-app/inbound.ts';
import { applyProviderWebhook } from '../../workers/provider-webhooks/apply.ts';
import { matchKeptStatus } from '../../workers/provider-webhooks/match-status.ts';
import type { ConversationMade } from './factories/conversation.ts';
import { type House, openHouse, type ToyHandler } from './house.ts';
import { bodyFor } from './provider-body.ts';
import { countRoundTrips } from './round-trips.ts';

const applying = applyProviderWebhook as unknown as ToyHandler;
const matching = matchKeptStatus as unknown as ToyHandler;

export type ProviderHouse = Awaited<ReturnType<typeof openProviderHouse>>;

/** A house whose provider webhooks and sends are run by the test, one by one. */
export async function openProviderHouse() {
  const house: House = await openHouse();
  const { organizationId } = house;
  const transact = transactFor(house.ledger.transact, organizationId);
  const jobOf = async (subjectId: string) =>
    (
      await house.sql<{ id: string; run: number; state: string; run_in: number }>(
        `select id, run, state, extract(epoch from run_at - clock_timestamp())::float8 as run_in from jobs where subject_id = $1`,
        [subjectId],
      )
    )[0];
  return {
    ...house,
    transact,
    jobOf,
    trips: countRoundTrips(house.database.pool),
    /** Stores a body; the id and the job of its webhook. */
    async received({ channel: { phoneNumberId, accountId: wabaId } }: ConversationMade, statuses: object[], more: object = {}) {
      const body = bodyFor({ phoneNumberId, wabaId }, { ...(statuses.length > 0 && { statuses }), ...more });
      await acceptProviderWebhook(house.em(), house.ledger.transact, changesOf(body));
      const [row] = await house.sql<{ id: string }>('select id from provider_webhooks order by id desc limit 1');
      return { id: row!.id, jobId: (await jobOf(row!.id))!.id };
    },
    apply: (jobId: string) => house.run(applying, { id: jobId }),
    match: ({ id, run }: { id: string; run: number }) => house.run(matching, { id, run }),
    /** As a send that has got its answer. */
    answered: ({ id, channel }: ConversationMade, messageId: string, providerMessageId: string) =>
      transact({ locks: [conversationLane(id), answerLock(channel.id, providerMessageId)] }, async (tx) => {
        await recordAccepted(tx.own, messageId, providerMessageId);
        endDoneOfSubject(tx.own, 'messages.send', messageId);
      }),
    async webhook(id: string) {
      const [row] = await house.sql<{ state: string; errors: { error: string }[] | null }>(
        'select state, errors from provider_webhooks where id = $1',
        [id],
      );
      return row!;
    },
    async messageState(id: string) {
      const [row] = await house.sql<{ status: string; provider_message_id: string | null; failure: object | null }>(
        'select status, provider_message_id, failure from messages where id = $1',
        [id],
      );
      return row!;
    },
    kept: (providerMessageId: string) =>
      house.sql<{ id: string; state: string }>(
        'select id, state from unmatched_statuses where provider_message_id = $1 order by id',
        [providerMessageId],
      ),
    /** The events of a message, in order: their types, with the status where they tell one. */
    async told(messageId: string) {
      const events = await house.sql<{ type: string; status: string | null }>(
        `select type, data->>'status' as status from events where data->>'message_id' = $1 order by seq`,
        [messageId],
      );
      return events.map(({ type, status }) => (status ? `${type} ${status}` : type));
    },
    findings: () => checkJobs(house.database),
  };
}
