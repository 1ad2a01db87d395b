import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { storedTemplates } from '../../support/stored/messaging.ts';
import { approved, asked, body, templateIs } from '../../support/templates.ts';

const app = useApp({ workers: true });
let from: Channel;
let to: Channel;
let template: Body;
beforeAll(async () => {
  [from, to] = [await app.connect(), await app.connect()];
  template = await approved(app, from, { name: 'welcome', category: 'marketing', components: [body()] });
});

const duplicate = (templateID: string, copy: object, key?: string) =>
  app.call('templates.duplicate', { params: { templateID }, body: copy, key });

test('submitted on the other channel, with all it says', async () => {
  const { status, headers, body: copy } = await duplicate(template.id, { channel_id: to.id });
  expect([status, headers.get('location')]).toEqual([201, `/v1/templates/${copy.id}`]);
  const there = await templateIs(app, copy.id, { status: 'approved', doing: null });
  const { name, language, category, components } = template;
  expect(there).toMatchObject({ channel_id: to.id, name, language, category, components });
  expect(there.provider_template_id).not.toBe(template.provider_template_id);
  expect(await asked(app, to)).toEqual([
    ['POST', { name, language, category: 'MARKETING', parameter_format: 'POSITIONAL', components }, 200],
  ]);
  const again = await duplicate(template.id, { channel_id: to.id });
  expect([again.status, again.body.error.code]).toEqual([409, 'conflict']);
});

test('within one account it needs another name', async () => {
  const refused = await duplicate(template.id, { channel_id: from.id });
  expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('give the copy another name')]);
  const { status, body: copy } = await duplicate(template.id, { channel_id: from.id, name: 'welcome_again' });
  expect([status, copy.name]).toEqual([201, 'welcome_again']);
});

test('of a code to log in with: without the words that the provider wrote', async () => {
  const otp = { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy' }] };
  const components = [{ type: 'BODY', add_security_recommendation: true }, { type: 'FOOTER', code_expiration_minutes: 5 }, otp];
  const code = await approved(app, from, { name: 'code', category: 'authentication', components });
  // As the provider shows it.
  await app.call('templates.sync', { params: { channelID: from.id }, headers: { prefer: 'wait=10' } });
  expect((await templateIs(app, code.id, {})).components[0].text).toContain('{{1}}');
  const { status, body: copy } = await duplicate(code.id, { channel_id: to.id });
  expect([status, copy.components]).toEqual([201, components]);
  await templateIs(app, copy.id, { status: 'approved' });
});

test('what the provider would not take again is a 409 that says why', async () => {
  const components = [{ type: 'BODY', text: 'x'.repeat(2_000) }];
  const own = await approved(app, from);
  await storedTemplates.change(app, own.id, { components });
  const { status, body: refused } = await duplicate(own.id, { channel_id: to.id });
  expect([status, refused.error.message]).toEqual([409, expect.stringContaining('1024')]);
});

describe('404', () => {
  test('a template or a channel of another organization', async () => {
    const stranger = await app.organization();
    const theirs = await app.connect({ tenant: stranger });
    expect((await duplicate(template.id, { channel_id: theirs.id }, stranger.key)).status).toBe(404);
    const refused = await duplicate(template.id, { channel_id: theirs.id });
    expect([refused.status, refused.body.error.message]).toEqual([404, 'Channel not found']);
  });
});
