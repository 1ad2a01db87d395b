import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { acceptProviderWebhook } from '../../../src/provider-webhooks/accept.ts';
import { changesOf } from '../../../src/providers/messaging-app/inbound.ts';
import { type ConversationMade, conversation } from '../../support/factories/conversation.ts';
import { bodyOf, change, entry, inboundFrom, newId, statusOf } from '../../support/provider-body.ts';
import { openProviderHouse, type ProviderHouse } from '../../support/provider-house.ts';
import { jobRows } from '../../support/work/jobs.ts';

let house: ProviderHouse;
let talk: ConversationMade;
beforeAll(async () => {
  house = await openProviderHouse();
  talk = await conversation(house.em(), house.organizationId);
});
afterAll(() => house.close());

const numbered = () => ({ phoneNumberId: talk.channel.phoneNumberId, wabaId: talk.channel.accountId });
const statuses = () => ({ statuses: [statusOf(newId(), 'delivered'), statusOf(newId(), 'read')] });
const people = () => inboundFrom('16505551234');
const template = { message_template_id: 1, message_template_name: 'x', message_template_language: 'en_US', event: 'PAUSED' };

/** Where a body with these changes goes. */
async function queueOf(...changes: object[]) {
  const body = bodyOf(...changes.map((one) => entry(numbered(), one)));
  await acceptProviderWebhook(house.em(), house.ledger.transact, changesOf(body));
  const [last] = await jobRows.all(house, { name: 'provider-webhooks.apply' }, ['queue', 'state'], { seq: 'desc' });
  return last;
}

test.each<[string, string, () => object[]]>([
  ['statuses', 'statuses', () => [change(numbered(), statuses())]],
  ['statuses in two changes', 'statuses', () => [change(numbered(), statuses()), change(numbered(), statuses())]],
  ['a message', 'default', () => [change(numbered(), people())]],
  ['a message with statuses in one change', 'default', () => [change(numbered(), { ...statuses(), ...people() })]],
  ['a message after a change of statuses', 'default', () => [change(numbered(), statuses()), change(numbered(), people())]],
  ['an empty list of statuses', 'default', () => [change(numbered(), { statuses: [] })]],
  ['an echo', 'default', () => [change(numbered(), { ...statuses(), message_echoes: [] }, 'smb_message_echoes')]],
  ['a change of a template', 'default', () => [change(numbered(), template, 'message_template_status_update')]],
])('a body with %s waits in %s, ready to run', async (_, queue, changes) => {
  expect(await queueOf(...changes())).toEqual({ queue, state: 'queued' });
});
