import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contactUpdated, messageNew } from '../src/platform/events/catalogue.ts';
import { exampleIds, exampleTime } from '../src/platform/examples.ts';

export type Vector = {
  name: string;
  valid: boolean;
  /** The one the receiver verifies with. */
  secret: string;
  /** The receiver's clock, in unix seconds. */
  now: number;
  headers: Record<string, string>;
  body: string;
};

export const vectorsPath = join(import.meta.dirname, '../docs/webhook-vectors.json');

/** Fixed, so that everybody has the same file. No installation has them: a secret is 32 random bytes. */
const secretOf = (first: number) =>
  `whsec_${Buffer.from(Array.from({ length: 32 }, (_, index) => first + index)).toString('base64')}`;
const [secret, previous, foreign] = [secretOf(0), secretOf(100), secretOf(200)];

const sentAt = Date.parse(exampleTime) / 1_000;
const tolerance = 300;
const id = exampleIds.event;
/** As a delivery has it. */
const envelopeOf = (type: string, data: object) =>
  JSON.stringify({ id, type, timestamp: exampleTime, organization_id: exampleIds.organization, data });
const body = envelopeOf(messageNew.type, messageNew.example);
const named = { ...contactUpdated.example, name: 'Žofie 💙 \u2028 "/"' };

/** By hand, since our own `sign` refuses the wrong ones; a test holds it against the right ones. */
const signature = (key: string, timestamp: number | string = sentAt, text = body, encoding: 'base64' | 'hex' = 'base64') =>
  createHmac('sha256', Buffer.from(key.slice('whsec_'.length), 'base64'))
    .update(`${id}.${timestamp}.${text}`)
    .digest(encoding);

type Change = Partial<Pick<Vector, 'secret' | 'now' | 'body'>> & { headers?: Record<string, string | undefined> };

function vector(name: string, valid: boolean, { headers: changed, ...more }: Change): Vector {
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(sentAt),
    'webhook-signature': `v1,${signature(secret)}`,
    ...changed,
  };
  const given = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined);
  return { name, valid, secret, now: sentAt + 2, headers: Object.fromEntries(given), body, ...more };
}

const good = (name: string, change: Change = {}) => vector(name, true, change);
const bad = (name: string, change: Change) => vector(name, false, change);
const signed = (value: string) => ({ headers: { 'webhook-signature': value } });
/** With a signature over the very text of the header: only a check of the time can refuse it. */
const timed = (timestamp: string) => ({
  headers: { 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature(secret, timestamp)}` },
});
const both = signed(`v1,${signature(secret)} v1,${signature(previous)}`);
const tampered = body.replace('"inbound"', '"outbound"');
const nonAscii = envelopeOf(contactUpdated.type, named);

const vectors: Vector[] = [
  good('one signature'),
  good('a body outside ASCII, signed as its UTF-8 bytes', {
    body: nonAscii,
    ...signed(`v1,${signature(secret, sentAt, nonAscii)}`),
  }),
  good('two signatures, verified with the new secret', both),
  good('two signatures, verified with the old secret', { ...both, secret: previous }),
  good('a signature of a version to come beside the known one', signed(`v9,${signature(foreign)} v1,${signature(secret)}`)),
  good('as old as allowed', { now: sentAt + tolerance }),
  good('as far ahead as allowed', { now: sentAt - tolerance }),
  bad('a tampered body', { body: tampered }),
  bad('the same JSON with other spaces', { body: JSON.stringify(JSON.parse(body), null, 1) }),
  bad('a tampered id', { headers: { 'webhook-id': exampleIds.request } }),
  bad('a tampered timestamp', { headers: { 'webhook-timestamp': String(sentAt + 1) } }),
  bad('a foreign secret', signed(`v1,${signature(foreign)}`)),
  bad('two signatures, both of foreign secrets', signed(`v1,${signature(foreign)} v1,${signature(previous)}`)),
  bad('too old', { now: sentAt + tolerance + 1 }),
  bad('too far in the future', { now: sentAt - tolerance - 1 }),
  bad('the timestamp NaN', timed('NaN')),
  bad('the timestamp Infinity', timed('Infinity')),
  bad('the timestamp as a date', timed('2026-11-21T10:00:00Z')),
  bad('a negative timestamp', timed(`-${sentAt}`)),
  bad('the timestamp in milliseconds', timed(`${sentAt}000`)),
  bad('another version', signed(`v2,${signature(secret)}`)),
  bad('no version', signed(signature(secret))),
  bad('a version without a signature', signed('v1')),
  bad('an empty signature', signed('v1,')),
  bad('a signature cut short', signed(`v1,${signature(secret).slice(0, 20)}`)),
  bad('a signature in hexadecimal', signed(`v1,${signature(secret, sentAt, body, 'hex')}`)),
  bad('no id', { headers: { 'webhook-id': undefined } }),
  bad('no timestamp', { headers: { 'webhook-timestamp': undefined } }),
  bad('no signature', { headers: { 'webhook-signature': undefined } }),
  bad('an empty id', { headers: { 'webhook-id': '' } }),
  bad('an empty timestamp', timed('')),
];

const description =
  'A receiver with this `secret` and clock (`now`, unix seconds) takes the valid ones and refuses the others. The body is signed as UTF-8.';

/** The whole file, the same in every run. */
export const vectorsText = () => `${JSON.stringify({ description, tolerance_seconds: tolerance, vectors }, null, 2)}\n`;

if (import.meta.main) writeFileSync(vectorsPath, vectorsText());
