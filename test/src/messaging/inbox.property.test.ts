import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Conversation } from '../../../src/messaging/conversation.entity.ts';
import { patchConversation } from '../../../src/messaging/inbox/patch.ts';
import { markRead } from '../../../src/messaging/inbox/read.ts';
import { Message } from '../../../src/messaging/message.entity.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { conversationLane } from '../../../src/platform/ledger/locks.ts';
import { poolOf } from '../../../src/platform/ledger/pools.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { applyMessage } from '../../../src/provider-webhooks/apply-message.ts';
import type { InboundMessage } from '../../../src/providers/messaging-app/inbound.ts';
import { wakeConversation } from '../../../workers/messaging/wake-conversation.ts';
import { type ConversationMade, conversation } from '../../support/factories/conversation.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import { type House, openHouse, type ToyHandler } from '../../support/house.ts';
import { inMs } from '../../support/rules/clock.ts';
import { jobsOf, makeJobsDue } from '../../support/rules/ledger-jobs.ts';
import { testSecrets } from '../../support/secrets.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const kinds = ['inbound', 'repeat', 'echo', 'read', 'readTo', 'open', 'pending', 'resolve', 'snooze', 'sleep', 'wake'] as const;
type Kind = (typeof kinds)[number];
type Model = { status: string; hasTime: boolean; unread: number };
/** `seen`: the messages of the person, oldest first. */
type Play = { talk: ConversationMade; model: Model; seen: { id: string; providerId: string }[]; count: number };

/** What the conversation should be afterwards. */
const rules: Record<Kind, (model: Model) => Partial<Model>> = {
  inbound: ({ status, unread }) => ({
    status: status === 'resolved' || status === 'snoozed' ? 'open' : status,
    hasTime: false,
    unread: unread + 1,
  }),
  repeat: () => ({}),
  echo: ({ status }) => ({ status: status === 'resolved' ? 'open' : status }),
  read: () => ({ unread: 0 }),
  readTo: ({ unread }) => ({ unread: Math.min(unread, 1) }),
  open: () => ({ status: 'open', hasTime: false }),
  pending: () => ({ status: 'pending', hasTime: false }),
  resolve: () => ({ status: 'resolved', hasTime: false }),
  snooze: () => ({ status: 'snoozed', hasTime: true }),
  sleep: ({ status, hasTime }) => ({ status: 'snoozed', hasTime: status === 'snoozed' && hasTime }),
  wake: ({ status, hasTime }) => ({ status: hasTime ? 'open' : status, hasTime: false }),
};

const transact = () => transactFor(house.ledger.transact, house.organizationId);

function message({ talk }: Play, providerMessageId: string, direction: 'inbound' | 'outbound'): InboundMessage {
  const from = { phoneId: talk.contact.phone.replace(/\D/g, '') };
  const at = new Date();
  const content = { body: 'x' };
  return { kind: 'message', phoneNumberId: '1', direction, type: 'text', from, content, providerMessageId, at };
}

async function hear(play: Play, providerId: string, direction: 'inbound' | 'outbound') {
  const applying = { transact: transact(), secrets: testSecrets, stopWords: [] };
  const outcome = await applyMessage(applying, play.talk.channel.id, message(play, providerId, direction));
  if (outcome === 'repeat' || direction === 'outbound') return;
  const { id } = await house.em().findOneOrFail(Message, { provider_message_id: providerId });
  play.seen.push({ id, providerId });
}

const within = (play: Play, work: Parameters<ReturnType<typeof transact>>[1]) =>
  transact()({ locks: [conversationLane(play.talk.id)] }, work);
const patch = (play: Play, body: Parameters<typeof patchConversation>[2]) =>
  within(play, (tx) => patchConversation(tx, play.talk.id, body));

const steps: Record<Kind, (play: Play) => Promise<unknown>> = {
  inbound: (play) => hear(play, `in-${play.talk.id}-${play.count}`, 'inbound'),
  repeat: async (play) => play.seen.length > 0 && hear(play, play.seen.at(-1)!.providerId, 'inbound'),
  echo: (play) => hear(play, `out-${play.talk.id}-${play.count}`, 'outbound'),
  read: (play) => within(play, (tx) => markRead(tx.own, play.talk.id)),
  // Up to the last but one: the last stays unread, if it was.
  readTo: async (play) => {
    const upTo = play.seen.at(-2)?.id;
    return upTo && within(play, (tx) => markRead(tx.own, play.talk.id, upTo));
  },
  open: (play) => patch(play, { status: 'open' }),
  pending: (play) => patch(play, { status: 'pending' }),
  resolve: (play) => patch(play, { status: 'resolved' }),
  snooze: (play) => patch(play, { snoozed_until: new Date(Date.now() + 3_600_000 + play.count * 60_000).toISOString() }),
  sleep: (play) => patch(play, { status: 'snoozed' }),
  async wake({ talk }) {
    const snoozed = { id: talk.id, snoozed_until: { $ne: null } };
    await house.em().nativeUpdate(Conversation, snoozed, { snoozed_until: inMs(0) });
    await makeJobsDue(house.em(), { subject_id: talk.id });
    await house.ledger.fill(poolOf(house.organizationId, 'shared:conversation-wakes'));
    for (const { id } of await jobsOf(house.em(), talk.id)) await house.run(wakeConversation as unknown as ToyHandler, { id });
  },
};

test('whatever comes in whatever order: status, unread count and the job that wakes are what they should be', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 14 }), async (order) => {
      const talk = await conversation(house.em(), house.organizationId);
      const play: Play = { talk, model: { status: 'open', hasTime: false, unread: 0 }, seen: [], count: 0 };
      for (const kind of order) {
        play.count += 1;
        const isIdle = kind === 'readTo' && play.seen.length < 2;
        await steps[kind](play);
        if (!isIdle) Object.assign(play.model, rules[kind](play.model));
        const [row] = await house.sql(
          `select status, snoozed_until is not null as "hasTime", unread_count as unread,
                  (select count(*)::int from jobs j where j.subject_id = v.id) as jobs
             from conversations v where id = $1`,
          [talk.id],
        );
        expect([kind, row]).toEqual([kind, { ...play.model, jobs: play.model.hasTime ? 1 : 0 }]);
      }
      expect(await checkJobs(house.database)).toEqual([]);
    }),
    { numRuns: numRuns({ default: 5, deep: 40 }) },
  );
});
