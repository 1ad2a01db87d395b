import { beforeAll, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { campaign } from '../../support/factories/campaign.ts';
import { channel } from '../../support/factories/channel.ts';
import { contact } from '../../support/factories/contact.ts';
import { recipientFiles } from '../../support/recipient-files.ts';
import { storedRecipients } from '../../support/stored/campaigns.ts';
import { storedContacts } from '../../support/stored/contacts.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
const { imported } = recipientFiles(app);
let channelId: string;
beforeAll(async () => {
  channelId = (await channel(app.em(), app.tenant.organizationId)).id;
});

const draft = async () => (await campaign(app.em(), app.tenant.organizationId, { channelIds: [channelId] })).id;
const ask = (campaignID: string, body?: object, { key }: Tenant = app.tenant) =>
  app.call('campaigns.recipients.export', { key, params: { campaignID }, body });
const ended = (exportID: string): Promise<Body> =>
  waitFor('the export to end', async () => {
    const { data } = (await app.call('contacts.exports.get', { params: { exportID } })).body;
    return ['succeeded', 'failed'].includes(data.status) && data;
  });
const file = (exportID: string, key = app.tenant.key) => app.call('contacts.exports.file', { key, params: { exportID } });
async function exported(campaignID: string, body?: object): Promise<{ id: string; lines: string[][] }> {
  const reply = await ask(campaignID, body);
  expect(reply.status).toBe(201);
  const { id } = reply.body.data;
  expect(await ended(id)).toMatchObject({ status: 'succeeded', campaign_id: campaignID });
  const { text } = await file(id);
  return {
    id,
    lines: text
      .trim()
      .split('\r\n')
      .map((line) => line.split(',')),
  };
}
async function person(name = 'Ann') {
  const phone = `+${app.phone()}`;
  const { id } = await contact(app.em(), app.tenant.organizationId, { phone });
  await storedContacts.change(app, id, { name });
  return { id, phone };
}
const add = (campaignID: string, recipients: object[]) =>
  app.call('campaigns.recipients.add', { params: { campaignID }, body: { recipients } });
const cell = ([header, ...rows]: string[][], n: number, column: string) => rows[n]![header!.indexOf(column)];

test('a file of the recipients, oldest first, each parameter in its column, safe in a spreadsheet', async () => {
  const id = await draft();
  const [one, other] = [await person('=cmd|x'), await person()];
  await add(id, [
    { contact_id: one.id, parameters: { code: '@A', gift: 'Tea' } },
    { contact_id: other.id, parameters: { code: 'B' } },
  ]);
  const { id: exportId, lines } = await exported(id);
  expect(lines).toHaveLength(3);
  expect([cell(lines, 0, 'contact_id'), cell(lines, 0, 'name'), cell(lines, 0, 'phone_number')]).toEqual([
    one.id,
    "'=cmd|x",
    `'${one.phone}`,
  ]);
  expect([cell(lines, 0, 'param.code'), cell(lines, 1, 'param.code'), cell(lines, 1, 'param.gift')]).toEqual(["'@A", 'B', '']);
  expect(cell(lines, 0, 'status')).toBe('pending');
  const { headers } = await file(exportId);
  expect(headers.get('content-disposition')).toMatch(/filename="recipients-/);
});

test('of some statuses; waited for; what it wrote can be imported again', async () => {
  const id = await draft();
  const [one, other] = [await person(), await person()];
  await add(id, [{ contact_id: one.id, parameters: { code: 'A' } }, { contact_id: other.id }]);
  await storedRecipients.change(app, { contact_id: one.id }, { status: 'skipped', reason: 'expired' });
  const { id: exportId, lines } = await exported(id, { status: 'failed,skipped' });
  expect(lines).toHaveLength(2);
  expect([cell(lines, 0, 'contact_id'), cell(lines, 0, 'reason')]).toEqual([one.id, 'expired']);
  const next = await draft();
  expect(await imported(next, (await file(exportId)).text)).toMatchObject({ created: 1, failed: 0 });
  const waited = await app.call('campaigns.recipients.export', { params: { campaignID: id }, headers: { prefer: 'wait=10' } });
  expect(waited.body.data).toMatchObject({ status: 'succeeded', rows: 2 });
  expect(waited.headers.get('location')).toBe(`/v1/contacts/exports/${waited.body.data.id}`);
});

test('a person who is forgotten is taken out of the file', async () => {
  const id = await draft();
  const [one, other] = [await person('Forgotten'), await person('Kept')];
  await add(id, [{ contact_id: one.id }, { contact_id: other.id }]);
  const { id: exportId } = await exported(id);
  expect((await app.call('contacts.delete', { params: { contactID: one.id } })).status).toBeLessThan(300);
  await waitFor('the person to be forgotten', async () => !(await file(exportId)).text.includes(one.id));
  const { text } = await file(exportId);
  expect([text.includes('Forgotten'), text.includes('Kept')]).toEqual([false, true]);
});

test('its file takes campaigns:read beside contacts:read; a foreign campaign is a 404, a bad status a 422', async () => {
  const id = await draft();
  await add(id, [{ contact_id: (await person()).id }]);
  const { id: exportId } = await exported(id);
  const { key } = await app.key(app.tenant.organizationId, ['contacts:read']);
  const refused = await file(exportId, key);
  expect([refused.status, refused.text.includes('campaigns:read')]).toEqual([403, true]);
  const { key: blind, keyId } = await app.key(app.tenant.organizationId, ['campaigns:read']);
  expect((await ask(id, undefined, { ...app.tenant, key: blind, keyId } as Tenant)).status).toBe(403);
  expect((await ask(id, undefined, await app.organization())).status).toBe(404);
  expect((await ask(id, { status: 'lost' })).status).toBe(422);
});
