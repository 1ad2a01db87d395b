import { beforeAll, expect, test } from '@jest/globals';
import { actsOf } from '../../support/acts.ts';
import { useApp } from '../../support/app.ts';
import { person, testPassword } from '../../support/factories/person.ts';
import { storedInvitations, storedMails, storedUsers } from '../../support/stored/accounts.ts';

const app = useApp();
/** Where mail is sent; no worker runs, so each mail waits with its token to be read here. */
beforeAll(() => {
  app.web.deps.config.mailUrl = 'smtp://127.0.0.1:1';
});
const password = 'a garden of seven lamps';

const invite = (email: string, key = app.tenant.key) => app.call('invitations.create', { key, body: { email, role: 'viewer' } });
const accept = (token: string, more: object) => app.call('invitations.accept', { key: null, body: { token, ...more } });
const mailed = (recipient: string, kind = 'invitation') =>
  storedMails.all(app, { recipient, kind }, { columns: ['organization_id', 'token'] });
async function tokenFor(recipient: string, kind?: string): Promise<string> {
  const [mail] = await mailed(recipient, kind);
  return app.web.deps.secrets.open(mail.token);
}
const isVerified = async (email: string): Promise<boolean> => (await storedUsers.one(app, { email })).email_verified;

test('who invites does not see the link; who accepts by it has proved the email', async () => {
  const { status, body, text } = await invite('new@example.com');
  const token = await tokenFor('new@example.com');
  expect([status, body.token, text.includes(token)]).toEqual([201, null, false]);
  expect((await accept(token, { name: 'New', password })).status).toBe(200);
  expect(await isVerified('new@example.com')).toBe(true);
});

test('an account whose email was not proved yet has proved it then', async () => {
  const { email } = await person(app.em());
  await storedUsers.change(app, { email }, { email_verified: false });
  await invite(email);
  expect((await accept(await tokenFor(email), { password: testPassword })).status).toBe(200);
  expect(await isVerified(email)).toBe(true);
});

test('a link that was shown to who invites proves nothing, though mail is sent by now', async () => {
  await invite('shown@example.com');
  await storedInvitations.change(app, { email: 'shown@example.com' }, { is_mailed: false });
  expect((await accept(await tokenFor('shown@example.com'), { name: 'Shown', password })).status).toBe(200);
  expect(await isVerified('shown@example.com')).toBe(false);
});

test('an invited one who is in no organization and has forgotten the password can set a new one', async () => {
  const { email, userId } = await person(app.em());
  const ask = () => app.call('auth.password-reset.request', { key: null, body: { email } });
  const before = await ask();
  expect(await mailed(email, 'password_reset')).toEqual([]);
  const { organizationId, key } = await app.organization();
  await invite(email, key);
  const asked = await ask();
  expect([asked.status, asked.body]).toEqual([before.status, before.body]);
  expect(await mailed(email, 'password_reset')).toEqual([expect.objectContaining({ organization_id: organizationId })]);
  // An organization that only invited them does not learn that there is an account.
  expect(await actsOf(app, asked)).toEqual([expect.objectContaining({ organization_id: null, subject: `user:${userId}` })]);
  const confirm = { token: await tokenFor(email, 'password_reset'), new_password: password };
  const done = await app.call('auth.password-reset.confirm', { key: null, body: confirm });
  expect([done.status, (await actsOf(app, done)).map(({ organization_id: id }) => id)]).toEqual([200, [null]]);
  expect((await accept(await tokenFor(email), { password })).body).toMatchObject({ organization_id: organizationId });
});

test('an invitation that is no longer open helps nobody to a mail', async () => {
  const { email } = await person(app.em());
  const { body } = await invite(email);
  for (const change of ['revoked_at = clock_timestamp()', 'revoked_at = null, expires_at = clock_timestamp()']) {
    await app.rows(`update invitations set ${change} where id = $1`, [body.id]);
    await app.call('auth.password-reset.request', { key: null, body: { email } });
  }
  expect(await mailed(email, 'password_reset')).toEqual([]);
});
