import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { JWT, OAuth2Client, type OAuth2ClientOptions } from 'google-auth-library';
import { createSandbox, type Sandbox } from '../../../../sandbox/sandbox.ts';
import { calendarClient } from '../../../../sandbox/tokens.ts';
import type { Credentials } from '../../../../src/providers/connections.ts';
import { ProviderFailed, ProviderRefused } from '../../../../src/providers/errors.ts';
import { createTokenClient } from '../../../../src/providers/tokens/client.ts';
import { googleTokens } from '../../../../src/providers/tokens/google.ts';

let sandbox: Sandbox;
let base: string;
let hostile: Server;
let hostileUrl: string;

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const email = 'robot@sandbox.example';

const control = (path: string, body: object) =>
  fetch(`${base}/_control${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const app = { clientId: calendarClient.id, clientSecret: calendarClient.secret };
const tokens = (tokenUrl = `${base}/oauth2/token`) => googleTokens(createTokenClient({ timeoutMs: 500 }), { ...app, tokenUrl });

beforeAll(async () => {
  sandbox = createSandbox();
  base = `http://127.0.0.1:${await sandbox.listen(0)}`;
  await control('/tokens/service-accounts', {
    client_email: email,
    public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  });
  hostile = createServer((req, res) => {
    if (req.url === '/redirect') res.writeHead(302, { location: `${base}/oauth2/token` }).end();
    else if (req.url === '/html') res.end('<html>');
    else if (req.url === '/large') res.end('x'.repeat(5 * 1024 * 1024));
  });
  await new Promise<void>((resolve) => hostile.listen(0, '127.0.0.1', resolve));
  hostileUrl = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
});
afterAll(async () => {
  hostile.closeAllConnections();
  await Promise.all([sandbox.close(), new Promise((resolve) => hostile.close(resolve))]);
});

describe('our tokens', () => {
  test('by a refresh token and by a service account', async () => {
    const both: Credentials[] = [{ refresh_token: 'sandbox-refresh-token' }, { client_email: email, private_key: key }];
    for (const credentials of both) {
      const { token, expiresInSeconds } = await tokens().google(credentials);
      expect(token).toMatch(/^ya29\./);
      expect(expiresInSeconds).toBeGreaterThan(3_500);
    }
  });

  test.each([
    ['an unknown refresh token', { refresh_token: 'unknown' }, 'invalid_grant'],
    ['a service account that is not known', { client_email: 'other@sandbox.example', private_key: key }, 'invalid_grant'],
    ['a key that is none', { client_email: email, private_key: 'nothing' }, 'invalid_key'],
    ['another app', { refresh_token: 'sandbox-refresh-token', client_id: 'other', client_secret: 'x' }, 'invalid_client'],
  ])('%s is a refusal of the credentials', async (_, credentials, code) => {
    const error = await tokens()
      .google(credentials as never)
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ProviderRefused);
    expect(error).toMatchObject({ providerCode: code, stopsChannel: 'auth_error' });
  });

  test.each(['html', 'large', 'silence'])('an answer that is %s is tried again later', async (path) => {
    const error = await tokens(`${hostileUrl}/${path}`)
      .google({ refresh_token: 'secret-of-mine' })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ProviderFailed);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret-of-mine');
  });

  test('a redirect is not followed', async () => {
    const error = await tokens(`${hostileUrl}/redirect`)
      .google({ refresh_token: 'sandbox-refresh-token' })
      .catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ProviderRefused);
    expect(error.stopsChannel).toBeUndefined();
  });
});

describe('the library as it comes', () => {
  test('refreshes a token', async () => {
    const client = new OAuth2Client({ ...app, endpoints: { oauth2TokenUrl: `${base}/oauth2/token` } });
    client.setCredentials({ refresh_token: 'sandbox-refresh-token' });
    expect((await client.getAccessToken()).token).toMatch(/^ya29\./);
  });

  test('is refused a revoked one', async () => {
    const client = new OAuth2Client({ ...app, endpoints: { oauth2TokenUrl: `${base}/oauth2/token` } });
    client.setCredentials({ refresh_token: 'sandbox-refresh-token-revoked' });
    await client.refreshAccessToken();
    await control('/tokens/revoke', { account: 'revoked@sandbox.example' });
    await expect(client.refreshAccessToken()).rejects.toThrow('invalid_grant');
    client.setCredentials({ refresh_token: 'never given' });
    await expect(client.refreshAccessToken()).rejects.toThrow('invalid_grant');
  });

  test('signs for a service account', async () => {
    const client = new JWT({ email, key, scopes: ['https://www.googleapis.com/auth/calendar'] });
    const { request } = client.transporter;
    // Its address is fixed in the library.
    client.transporter.request = ((options: object) =>
      request.call(client.transporter, { ...options, url: `${base}/oauth2/token` })) as NonNullable<
      OAuth2ClientOptions['transporter']
    >['request'];
    expect((await client.authorize()).access_token).toMatch(/^ya29\./);
  });
});
