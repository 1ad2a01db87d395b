import { constants, createCipheriv, createDecipheriv, createPrivateKey, type KeyObject, privateDecrypt } from 'node:crypto';
import express from 'express';
import type pg from 'pg';
import { Agent, request } from 'undici';

const tagBytes = 16;

/** Bare: decrypts, forwards, encrypts. It knows its one key and its one address. */
export function flowExchangeRoutes(app: express.Express, pool: pg.Pool) {
  const dispatcher = new Agent();
  let known: Promise<{ key: KeyObject; url: string }> | undefined;
  const read = async () => {
    const { rows } = await pool.query(
      `select k.private_key, f.data_exchange_url from flow_keys k
         join flows f on f.organization_id = k.organization_id and f.data_exchange_url is not null limit 1`,
    );
    return { key: createPrivateKey(rows[0].private_key), url: rows[0].data_exchange_url };
  };
  app.post('/v1/providers/messaging-app/flows/:id', express.json(), async (req, res) => {
    known ??= read();
    const { key, url } = await known;
    const [sealed, vector, data] = [req.body.encrypted_aes_key, req.body.initial_vector, req.body.encrypted_flow_data].map(
      (text: string) => Buffer.from(text, 'base64'),
    ) as [Buffer, Buffer, Buffer];
    const aesKey = privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, sealed);
    const decipher = createDecipheriv('aes-128-gcm', aesKey, vector).setAuthTag(data.subarray(-tagBytes));
    const body = Buffer.concat([decipher.update(data.subarray(0, -tagBytes)), decipher.final()]);
    const answer = await request(url, { dispatcher, method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const reply = Buffer.from(await answer.body.arrayBuffer());
    const cipher = createCipheriv('aes-128-gcm', aesKey, Buffer.from(vector.map((byte) => ~byte)));
    const text = Buffer.concat([cipher.update(reply), cipher.final(), cipher.getAuthTag()]).toString('base64');
    res.type('text/plain').send(text);
  });
}
