import { beforeAll, describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { bodyFor, inboundFrom, textFrom } from '../../support/provider-body.ts';
import { makeDue, poolRows } from '../../support/work/jobs.ts';
import { messageRows } from '../../support/work/messages.ts';
import { rightNow } from '../../support/work/rows.ts';

/** The contact's address changes between the promise to send and the send. */
const app = useApp({ workers: true, env: { SWEEP_INTERVAL_MS: '200' } });
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
});

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
type To = { to: string } | { contact_id: string };
const asked = async (to: To, more: object = {}): Promise<string> => {
  const text = { channel_id: channel.id, type: 'text', text: { body: 'Your order is ready' } };
  const { status, body } = await app.call('messages.send', { body: { ...text, ...to, ...more } });
  expect([status, body.error]).toEqual([201, undefined]);
  return body.data.id;
};
const laterTo = (to: To) => asked(to, { send_at: inHours(2) });
const comesDue = async (id: string) => {
  await messageRows.change(app, id, { send_at: rightNow() });
  await makeDue(app, { subject_id: id });
};
const hold = (until: string | null) => poolRows.change(app, `channel:${channel.id}`, { held_until: until });
const changesNumber = async (from: string, to: string) => {
  const said = { body: `User A changed from ${from} to ${to}`, wa_id: to, type: 'user_changed_number' };
  await app.webhook(bodyFor(channel, { messages: [{ ...textFrom(from), text: undefined, type: 'system', system: said }] }));
  await app.idle();
};
const sentTo = async (...phones: string[]) =>
  (await app.sends(channel)).map(({ body }) => body.to).filter((to: string) => phones.includes(to));
const removeIdentity = async (contactID: string, given: string) => {
  const { body } = await app.call('contacts.identities.list', { params: { contactID } });
  const { id } = body.data.find(({ value }: Body) => value === given);
  expect((await app.call('contacts.identities.delete', { params: { contactID, identityID: id } })).status).toBe(204);
};
const jobsAreClean = async () => expect(await checkJobs(app.web.deps.database)).toEqual([]);

describe('a contact who has a new number', () => {
  test('gets at it what was scheduled to the contact before', async () => {
    const [{ contactId, phone }, next] = [await app.conversation(channel), app.phone()];
    const id = await laterTo({ contact_id: contactId });
    await changesNumber(phone, next);
    await comesDue(id);
    await app.messageIn(id, 'read');
    expect(await sentTo(phone, next)).toEqual([next]);
    await jobsAreClean();
  });

  test('gets at it what was scheduled to the old number, which another person may have', async () => {
    const [{ phone }, next] = [await app.conversation(channel), app.phone()];
    const id = await laterTo({ to: `+${phone}` });
    await changesNumber(phone, next);
    await app.webhook(bodyFor(channel, inboundFrom(phone)));
    await comesDue(id);
    await app.messageIn(id, 'read');
    expect(await sentTo(phone, next)).toEqual([next]);
  });

  test('gets at it what waits in a channel that is held', async () => {
    const [{ contactId, phone }, next] = [await app.conversation(channel), app.phone()];
    await hold('infinity');
    const id = await asked({ contact_id: contactId });
    await changesNumber(phone, next);
    await hold(null);
    await app.messageIn(id, 'read');
    expect(await sentTo(phone, next)).toEqual([next]);
    await jobsAreClean();
  });

  test('gets at it what failed before and is retried; until then the message says where it was sent', async () => {
    const [{ contactId, phone }, next] = [await app.conversation(channel), app.phone()];
    await app.fault(channel, { status: 400, code: 131026 });
    const id = await asked({ contact_id: contactId });
    await app.messageIn(id, 'failed');
    await changesNumber(phone, next);
    expect((await app.message(id)).to_phone).toBe(phone);
    expect((await app.call('messages.retry', { params: { messageID: id }, body: {} })).status).toBe(200);
    await app.messageIn(id, 'read');
    expect((await sentTo(phone, next)).at(-1)).toBe(next);
  });
});

test('one with another number as well still gets what was written to this one', async () => {
  const [{ contactId, phone }, other] = [await app.conversation(channel), app.phone()];
  const id = await laterTo({ to: `+${phone}` });
  const body = { type: 'phone', value: `+${other}` };
  expect((await app.call('contacts.identities.create', { params: { contactID: contactId }, body })).status).toBe(201);
  await comesDue(id);
  await app.messageIn(id, 'read');
  expect(await sentTo(phone, other)).toEqual([phone]);
});

test('one whose addresses were removed gets nothing: the message fails and says why', async () => {
  const { contactId, phone } = await app.conversation(channel);
  const email = { type: 'email', value: `${phone}@example.com` };
  await app.call('contacts.identities.create', { params: { contactID: contactId }, body: email });
  const id = await laterTo({ contact_id: contactId });
  await removeIdentity(contactId, `+${phone}`);
  expect(await app.message(id)).toMatchObject({ to_phone: '', to_user_id: `US.${phone}` });
  await removeIdentity(contactId, `US.${phone}`);
  await comesDue(id);
  expect((await app.messageIn(id, 'failed')).failure).toMatchObject({ code: 'no_address' });
  expect(await sentTo(phone)).toEqual([]);
  await jobsAreClean();
});
