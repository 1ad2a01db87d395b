import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { freshCredentials } from '../../support/connections.ts';
import { storedConnections } from '../../support/stored/channels.ts';

const app = useApp({ workers: true });

/** Every row of every table, as text; bytes too. */
async function everything(): Promise<string> {
  const tables = Object.keys(await app.counts());
  const texts = await Promise.all(
    tables.map(async (name) => {
      const rows = await app.rows(`select * from "${name}"`);
      return JSON.stringify(rows, (_key, value) =>
        value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
      );
    }),
  );
  return texts.join('\n');
}

test('no credential stands in the clear, anywhere', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  await app.control('POST', '/tokens/service-accounts', {
    client_email: 'robot@sandbox.example',
    public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  });
  const google = freshCredentials.google('grepped-secret');
  const zoom = freshCredentials.zoom();
  const webhookSecret = 'webhook-secret-to-grep';
  const given = [
    { provider: 'google', credentials: google, webhook_secret: webhookSecret },
    { provider: 'google', credentials: { client_email: 'robot@sandbox.example', private_key: key } },
    { provider: 'zoom', credentials: zoom },
    { provider: 'google', credentials: { refresh_token: 'refused-secret-to-grep' } },
  ];
  const replies = [];
  for (const [index, body] of given.entries())
    replies.push(await app.call('connections.create', { body, headers: { 'idempotency-key': `grep-${index}` } }));
  expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 422]);
  for (const { body, status } of replies)
    if (status === 201)
      await app.call('connections.check', { params: { connectionID: body.id }, headers: { prefer: 'wait=10' } });
  await app.control('POST', '/faults', { kind: 'drop_before', match: { path: '/oauth2/token' }, times: 1 });
  await app.call('connections.create', { body: given[0] });
  await app.idle();

  const sealed = await storedConnections.all(app, {}, { columns: ['access_token'] });
  const tokens = sealed.map((row) => app.web.deps.secrets.open(row.access_token));
  expect(tokens).toHaveLength(3);
  const line = key.split('\n')[1]!;
  const secrets = [google.refresh_token, line, zoom.client_secret, webhookSecret, 'refused-secret-to-grep', ...tokens];
  const places = {
    database: await everything(),
    log: JSON.stringify(app.log.lines),
    replies: replies.map(({ text }) => text).join('\n'),
  };
  for (const secret of secrets)
    for (const [place, text] of Object.entries(places))
      expect([place, secret, text.includes(secret)]).toEqual([place, secret, false]);
});
