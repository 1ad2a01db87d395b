import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { maxAttempts, recordAttempt } from '../../../src/messaging/attempts.ts';
import { MessageAttempt } from '../../../src/messaging/message-attempt.entity.ts';
import { retryMessage } from '../../../src/messaging/retry.ts';
import { recordedOf } from '../../../src/messaging/timeline.ts';
import { entriesOf } from '../../../src/messaging/timeline-entries.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { conversationLane } from '../../../src/platform/ledger/locks.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { purges } from '../../../src/platform/retention/purges.ts';
import { runPurge } from '../../../src/platform/retention/run.ts';
import { applySeen, lookAtStatuses } from '../../../src/provider-webhooks/apply-status.ts';
import type { InboundStatus } from '../../../src/providers/messaging-app/inbound.ts';
import { type ConversationMade, conversation } from '../../support/factories/conversation.ts';
import { message } from '../../support/factories/message.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import { type House, openHouse } from '../../support/house.ts';
import { setMessage, startSending, storedMessage } from '../../support/rules/messages.ts';

type Status = InboundStatus['status'];
/** In the order of their rank, which the timeline keeps for those of one moment. */
const words: Status[] = ['sent', 'delivered', 'read', 'failed'];
let house: House;
let talk: ConversationMade;
beforeAll(async () => {
  house = await openHouse();
  talk = await conversation(house.em(), house.organizationId);
});
afterAll(() => house.close());

const own = () => ownRows(house.database, house.organizationId);
const transact = () => transactFor(house.ledger.transact, house.organizationId);
const timeOf = (status: Status) => new Date(Date.UTC(2026, 10, 22, 10, 0, words.indexOf(status)));
const told = (id: string, providerMessageId: string, status: Status): InboundStatus => ({
  kind: 'status',
  phoneNumberId: talk.channel.phoneNumberId,
  providerMessageId,
  status,
  at: timeOf(status),
  callbackData: id,
  pricing: { model: 'PMP', category: 'utility' },
  ...(status === 'failed' && { error: { code: '131026', message: 'Message undeliverable' } }),
});
const apply = (statuses: InboundStatus[]) =>
  transact()(lookAtStatuses(own(), statuses, { channelId: talk.channel.id }), applySeen);
const entriesFor = async (id: string) => entriesOf((await recordedOf(own(), id))!);
const statusOf = async (id: string) => (await storedMessage(house.em(), id)).status;

/** A body tells several statuses at once; one that was told may be told again. `isLate`: of the send before the last retry. */
const body = fc.record({
  statuses: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }),
  isLate: fc.boolean(),
});
const steps = fc.array(fc.oneof({ weight: 3, arbitrary: body }, { weight: 2, arbitrary: fc.constant('retry' as const) }), {
  minLength: 1,
  maxLength: 9,
});

/** Ranks only rise, and only what was not delivered fails. */
function after(was: string, status: Status): string {
  if (was === 'failed') return was;
  if (status === 'failed') return was === 'sending' || was === 'sent' ? 'failed' : was;
  return words.indexOf(status) > words.indexOf(was as Status) ? status : was;
}

/** By force, since the provider had taken it; then a worker claims it. */
async function retried(id: string) {
  await transact()({ locks: [conversationLane(talk.id)] }, (tx) => retryMessage(tx, id, true));
  await startSending(house.em(), id);
}

test('any order of statuses, repeats and retries ends where the ranks of the last send lead, and the timeline holds each of each send once', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (order) => {
      const id = await message(house.em(), house.organizationId, talk, { status: 'sending' });
      /** What was told of each send. */
      const sends: Set<Status>[] = [new Set()];
      let expected = 'sending';
      for (const step of order) {
        if (step === 'retry') {
          if (expected !== 'failed') continue;
          await retried(id);
          sends.push(new Set());
          expected = 'sending';
          continue;
        }
        const send = sends.length - (step.isLate ? 2 : 1);
        if (send < 0) continue;
        await apply(step.statuses.map((status) => told(id, `wamid.${id}.${send}`, status)));
        // Nothing that comes late about an earlier send says anything of this one.
        if (step.isLate) continue;
        for (const status of step.statuses) {
          sends[send]!.add(status);
          expected = after(expected, status);
        }
      }
      expect(await statusOf(id)).toBe(expected);
      const entries = await entriesFor(id);
      const shown = entries.filter((entry) => entry.kind === 'status');
      const byRank = (statuses: Status[]) => statuses.sort((one, other) => words.indexOf(one) - words.indexOf(other));
      const heard = [...byRank(sends.slice(0, -1).flatMap((send) => [...send])), ...byRank([...sends.at(-1)!])];
      expect(shown.map(({ status }) => status.status)).toEqual(heard);
      expect(shown.map(({ at }) => at)).toEqual(heard.map((status) => timeOf(status).toISOString()));
      expect(shown.filter(({ status }) => status.by !== 'provider')).toEqual([]);
      expect(entries.filter(({ kind }) => kind === 'retried')).toHaveLength(sends.length - 1);
      expect(entries.filter(({ kind }) => kind === 'failed')).toHaveLength(expected === 'failed' ? 1 : 0);
    }),
    { numRuns: numRuns({ default: 6, deep: 60 }) },
  );
});

test('a status that changes nothing leaves the message as it was, and is told', async () => {
  const id = await message(house.em(), house.organizationId, talk, { status: 'failed', providerMessageId: 'wamid.refused' });
  await setMessage(house.em(), id, { failure: { code: 'provider_refused', provider_code: '1', message: 'no' } });
  const before = await storedMessage(house.em(), id);
  await apply([told(id, 'wamid.refused', 'sent')]);
  const after = await storedMessage(house.em(), id);
  expect(after.status).toBe(before.status);
  expect(after.failure).toEqual(before.failure);
  expect(after.updated_at).toBe(before.updated_at);
  expect((await entriesFor(id)).filter(({ kind }) => kind === 'status')).toHaveLength(1);
});

async function attempted(id: string, claimedAt: string) {
  await setMessage(house.em(), id, { sending_at: claimedAt });
  await transact()({ locks: [conversationLane(talk.id)] }, (tx) =>
    recordAttempt(tx.own, id, { outcome: 'failed', errorClass: 'busy', durationMs: 1.4 }),
  );
}
const numbers = async (id: string) =>
  (await house.em().find(MessageAttempt, { message_id: id }, { orderBy: { number: 'asc' } })).map(({ number }) => number);

test('of too many tries the first ones and the last one are kept; the same one twice is one', async () => {
  const id = await message(house.em(), house.organizationId, talk, { status: 'sending' });
  const tries = maxAttempts + 3;
  for (let n = 0; n < tries; n += 1) await attempted(id, new Date(Date.UTC(2026, 10, 22, 10, 0, n)).toISOString());
  const kept = await numbers(id);
  expect([kept.length, kept[0], kept.at(-2), kept.at(-1)]).toEqual([maxAttempts, 1, maxAttempts - 1, tries]);
  await attempted(id, new Date(Date.UTC(2026, 10, 22, 10, 0, tries - 1)).toISOString());
  expect(await numbers(id)).toEqual(kept);
});

test('tries are purged with the age of events', async () => {
  const id = await message(house.em(), house.organizationId, talk, { status: 'sending' });
  await attempted(id, '2026-11-22T10:00:00Z');
  await attempted(id, '2026-11-22T10:00:01Z');
  await house.sql(
    `update message_attempts
        set id = uuidv7(-interval '31 days'), created_at = clock_timestamp() - interval '31 days'
      where message_id = $1 and number = 1`,
    [id],
  );
  await runPurge(purges.find(({ table }) => table === 'message_attempts')!, {
    config: house.deps.config,
    database: house.database,
    isStopping: () => false,
    onDeleted: () => {},
    batch: 10,
    pauseMs: 0,
  });
  expect(await numbers(id)).toEqual([2]);
});
