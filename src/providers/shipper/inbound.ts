import { createHash, timingSafeEqual } from 'node:crypto';
import { cut } from '../../platform/cut.ts';
import type { IsSigned } from '../connections.ts';
import { object, textOf } from '../messaging-app/json.ts';

/** The shipper sends a header of the merchant's choice; this is the one to set in its pages. */
export const secretHeader = 'x-webhook-secret';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** Digests are of one length, so that the time of the comparison tells nothing of the secret. */
export const isShipperSigned: IsSigned = (headers, _rawBody, secret) => {
  const given = headers[secretHeader];
  return given !== undefined && secret !== '' && timingSafeEqual(digest(given), digest(secret));
};

/** What a webhook hints at; the order is read at the shipper before anything is believed. */
export type ShipperHint = { event: string; orderId: string; status: string };

/** Undefined: it is about no order. Throws SyntaxError. */
export function readShipperHint(rawBody: Buffer): ShipperHint | undefined {
  const body = object(JSON.parse(rawBody.toString('utf8')));
  const orderId = cut(textOf(body.order_id), 200);
  return orderId ? { orderId, event: cut(textOf(body.event), 100), status: cut(textOf(body.status), 100) } : undefined;
}
