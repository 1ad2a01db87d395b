import { constants, createCipheriv, createHmac, publicEncrypt, randomBytes } from 'node:crypto';
import { newKeyPair } from '../../src/flows/exchange/crypto.ts';
import { tokenOf } from '../../src/flows/token.ts';
import { createSecrets } from '../../src/platform/secrets.ts';
import { newSecret } from '../../src/webhooks/signature.ts';
import { insertFlow } from '../flows/insert.ts';
import { httpPath } from '../http-path.ts';
import type { Path } from '../path.ts';
import { startReceiver } from '../processes.ts';
import type { Side, SideName } from '../stage.ts';
import { appSecret } from '../tenant.ts';
import { any } from './http.ts';

/** Made beforehand: what phones spend on them is not ours. */
const forms = 500;
type Form = { body: string; signature: string };

/** A flow with an endpoint, messages that opened it, and the key of the number. */
async function openForms({ sql, tenant, env, product }: Side, url: string): Promise<Form[]> {
  const { organizationId, channelId, messageIds } = tenant;
  const secrets = createSecrets({ secretKey: env.SECRET_KEY!, hashKey: env.HASH_KEY! });
  const seal = product === 'kanal' ? secrets.seal : (text: string) => text;
  const flowId = await insertFlow(sql, tenant, { dataExchangeUrl: url });
  const { privateKey, publicKey } = await newKeyPair();
  await sql.query('insert into flow_secrets (organization_id, flow_id, secret) values ($1, $2, $3)', [
    organizationId,
    flowId,
    seal(newSecret()),
  ]);
  await sql.query(
    `insert into flow_keys (id, organization_id, channel_id, state, private_key, public_key, uploaded_at)
     values (uuidv7(), $1, $2, 'current', $3, $4, now())`,
    [organizationId, channelId, seal(privateKey), publicKey],
  );
  await sql.query(
    'insert into flow_sends (organization_id, message_id, flow_id, version) select $1, x.m, $2, 1 from unnest($3::uuid[]) as x(m)',
    [organizationId, flowId, messageIds],
  );
  await sql.query('analyze flows, flow_sends, flow_keys, flow_secrets');
  return Array.from({ length: forms }, () => formOf(publicKey, tokenOf(secrets, organizationId, any(messageIds))));
}

function formOf(publicKey: string, token: string): Form {
  const [aesKey, vector] = [randomBytes(16), randomBytes(16)];
  const cipher = createCipheriv('aes-128-gcm', aesKey, vector);
  const data = { day: '2026-12-01', people: '4', note: 'By the window, if there is a place' };
  const asked = JSON.stringify({ version: '3.0', action: 'data_exchange', screen: 'DATE', data, flow_token: token });
  const sealed = Buffer.concat([cipher.update(asked), cipher.final(), cipher.getAuthTag()]);
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  const body = JSON.stringify({
    encrypted_flow_data: sealed.toString('base64'),
    encrypted_aes_key: publicEncrypt({ key: publicKey, ...padding }, aesKey).toString('base64'),
    initial_vector: vector.toString('base64'),
  });
  return { body, signature: `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}` };
}

const about = { name: 'data-exchange', what: 'a phone asks the endpoint of a flow, encrypted' };

/** The floor decrypts, forwards and encrypts, and does nothing else. */
export const dataExchange: Path = {
  ...about,
  unit: 'requests/s',
  better: 'rate',
  async open(stage, options) {
    const endpoint = await startReceiver('bench/flow-endpoint.ts');
    const bodies = new Map<SideName, Form[]>();
    const path = httpPath({
      ...about,
      status: 200,
      prepare: async (side) => void bodies.set(side.name, await openForms(side, endpoint.url)),
      request(side) {
        const { body, signature } = any(bodies.get(side.name)!);
        return {
          method: 'POST',
          path: `/v1/providers/messaging-app/flows/${side.tenant.channelId}`,
          headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
          body,
        };
      },
    });
    const opened = await path.open(stage, options);
    return {
      round: opened.round,
      async close() {
        await opened.close();
        await endpoint.process.stop();
      },
    };
  },
};
