import { fromNow, now } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError, notFound } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { nowDate } from '../platform/time/clock.ts';
import { WebhookEndpoint } from './endpoint.entity.ts';
import { type EndpointRow, endpointToChange } from './endpoints.ts';
import { newSecret } from './signature.ts';

export const maxOverlapHours = 7 * 24;

/**
 * The secret before signs too for `overlapHours`; 0 erases it at once. While an overlap lasts only that is possible: another rotation would
 * end a secret that receivers were promised. Needs the endpoint's lock. Throws 404, 409.
 */
export async function rotateSecret(
  tx: OwnTx,
  id: string,
  overlapHours: number,
  secrets: Secrets,
): Promise<EndpointRow & { secret: string }> {
  const endpoint = await endpointToChange(tx, id);
  const until = endpoint.previous_secret_until;
  if (overlapHours > 0 && until !== null && new Date(until) > nowDate())
    throw new AppError(
      'conflict',
      `The secret of the last rotation signs until ${new Date(until).toISOString()}: wait, or rotate with overlap_hours 0, which ends it at once`,
    );
  const secret = newSecret();
  endpoint.previous_secret = overlapHours > 0 ? endpoint.secret : null;
  endpoint.previous_secret_until = overlapHours > 0 ? fromNow(overlapHours, 'hour') : null;
  endpoint.secret = secrets.seal(secret);
  endpoint.updated_at = now();
  await tx.flush();
  return { ...endpoint, secret };
}

export type Revealed = { secret: string; previousSecret: string | null; previousSecretUntil: string | null };

const secretsById = statement((select, { id }: { id: string }) =>
  select(WebhookEndpoint)
    .select(['secret', 'previous_secret', 'previous_secret_until'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null),
);

/** Throws 404. */
export async function revealSecret(own: Own, id: string, secrets: Secrets): Promise<Revealed> {
  const [row] = await secretsById(own, { id });
  if (!row) throw notFound('Webhook endpoint');
  const { secret, previous_secret: previous, previous_secret_until: until } = row;
  const isInForce = previous !== null && until !== null && new Date(until) > nowDate();
  return {
    secret: secrets.open(secret),
    previousSecret: isInForce ? secrets.open(previous) : null,
    previousSecretUntil: isInForce ? until : null,
  };
}
