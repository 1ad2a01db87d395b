import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { maxAttempts, recordAttempt } from '../../../src/messaging/attempts.ts';
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
import { type House, openHouse } from '../../support/house.ts';

type Status = InboundStatus['status'];
const words: Status[] = ['sent', 'delivered', 'read'];
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
});
const apply = (statuses: InboundStatus[]) =>
  transact()(lookAtStatuses(own(), statuses, { channelId: talk.channel.id }), applySeen);
const entriesFor = async (id: string) => entriesOf((await recordedOf(own(), id))!);
const statusOf = async (id: string) =>
  (await house.sql<{ status: string }>('select status from messages where id = $1', [id]))[0]!.status;

/** A body tells several statuses at once; one that was told may be told again. */
const bodies = fc.array(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 });

test('any order of statuses and repeats ends in the one of highest rank, and the timeline holds each once', async () => {
  await fc.assert(
    fc.asyncProperty(bodies, async (order) => {
      const id = await message(house.em(), house.organizationId, talk, { status: 'sending' });
      for (const body of order) await apply(body.map((status) => told(id, `wamid.${id}`, status)));
      const heard = words.filter((status) => order.flat().includes(status));
      expect(await statusOf(id)).toBe(heard.at(-1));
      const shown = (await entriesFor(id)).filter((entry) => entry.kind === 'status');
      expect(shown.map(({ status }) => status.status)).toEqual(heard);
      expect(shown.map(({ at }) => at)).toEqual(heard.map((status) => timeOf(status).toISOString()));
      expect(new Set(shown.map(({ status }) => status.by))).toEqual(new Set(['provider']));
    }),
    { numRuns: 40 },
  );
});

test('a status that changes nothing leaves the message as it was, and is told', async () => {
  const id = await message(house.em(), house.organizationId, talk, { status: 'failed', providerMessageId: 'wamid.refused' });
  await house.sql(
    `update messages set failure = '{"code":"provider_refused","provider_code":"1","message":"no"}' where id = $1`,
    [id],
  );
  const before = await house.sql('select status, failure, updated_at from messages where id = $1', [id]);
  await apply([told(id, 'wamid.refused', 'sent')]);
  expect(await house.sql('select status, failure, updated_at from messages where id = $1', [id])).toEqual(before);
  expect((await entriesFor(id)).filter(({ kind }) => kind === 'status')).toHaveLength(1);
});

async function attempted(id: string, claimedAt: string) {
  await house.sql(`update messages set sending_at = $2 where id = $1`, [id, claimedAt]);
  await transact()({ locks: [conversationLane(talk.id)] }, (tx) =>
    recordAttempt(tx.own, id, { outcome: 'failed', errorClass: 'busy', durationMs: 1.4 }),
  );
}
const numbers = async (id: string) =>
  (await house.sql<{ number: number }>('select number from message_attempts where message_id = $1 order by number', [id])).map(
    ({ number }) => number,
  );

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
