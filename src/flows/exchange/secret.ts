import { fromNow, now } from '../../platform/database/columns.ts';
import { AppError } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { nowDate } from '../../platform/time/clock.ts';
import { newSecret } from '../../webhooks/signature.ts';
import { flowLock } from '../flow-row.ts';
import { FlowSecret } from './secret.entity.ts';

export { maxOverlapHours } from '../../webhooks/rotate-secret.ts';

export type ShownSecret = { secret: string; previousSecret: string | null; previousSecretUntil: string | null };

/** SQL: an insert that gives way to another of the same moment. */
const createStatement = `
  insert into flow_secrets (organization_id, flow_id, secret)
  values ($1, $2, $3)
  on conflict do nothing`;

/** Made when it is first needed: for a request to the endpoint, or to be shown. */
export async function ensureSecret(own: Pick<OwnTx, 'sql'>, flowId: string, secrets: Secrets): Promise<void> {
  await own.sql(createStatement, [flowId, secrets.seal(newSecret())]);
}

/** Makes one where there is none. The flow was found before. */
export async function revealFlowSecret(own: OwnTx, flowId: string, secrets: Secrets): Promise<ShownSecret> {
  const row = await secretOf(own, flowId, secrets);
  const { previous_secret: previous, previous_secret_until: until } = row;
  const isInForce = previous !== null && until !== null && new Date(until) > nowDate();
  return {
    secret: secrets.open(row.secret),
    previousSecret: isInForce ? secrets.open(previous) : null,
    previousSecretUntil: isInForce ? until : null,
  };
}

async function secretOf(own: OwnTx, flowId: string, secrets: Secrets) {
  await ensureSecret(own, flowId, secrets);
  return (await own.findOne(FlowSecret, { flow_id: flowId }))!;
}

/** As the secret of a webhook endpoint: the one before signs too for `overlapHours`. Needs the flow's lock. Throws 409. */
export async function rotateFlowSecret(own: OwnTx, flowId: string, overlapHours: number, secrets: Secrets): Promise<ShownSecret> {
  own.assertLocked(flowLock(flowId));
  const row = await secretOf(own, flowId, secrets);
  const until = row.previous_secret_until;
  if (overlapHours > 0 && until !== null && new Date(until) > nowDate())
    throw new AppError(
      'conflict',
      `The secret of the last rotation signs until ${new Date(until).toISOString()}: wait, or rotate with overlap_hours 0, which ends it at once`,
    );
  row.previous_secret = overlapHours > 0 ? row.secret : null;
  row.previous_secret_until = overlapHours > 0 ? fromNow(overlapHours, 'hour') : null;
  row.secret = secrets.seal(newSecret());
  row.updated_at = now();
  await own.flush();
  return revealFlowSecret(own, flowId, secrets);
}
