import { now } from '../../platform/database/columns.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { getOrder, type OrderRow, orderLock } from '../orders/order-row.ts';
import { dueOf, watchSession } from './ask-session.ts';
import { endSession } from './end-session.ts';
import { PaymentSession } from './payment.entity.ts';
import { findSession, type SessionRow } from './session-row.ts';

export type Claim =
  /** Committed: from here on the provider may have it. */
  | { kind: 'go'; session: SessionRow; order: OrderRow }
  /** Another run is asking. */
  | { kind: 'wait'; ms: number }
  /** Nothing is to be made any more. */
  | { kind: 'over' }
  /** It was paid meanwhile. */
  | { kind: 'paid' };

/** Beyond the longest call: after it whoever asked is dead. */
const graceMs = 5_000;

/**
 * SQL: by the database's clock. What the page asks for is fixed at the first claim: its end is as far ahead as it was when it was asked for,
 * however long the job waited.
 */
const claimStatement = `
  update payment_sessions
     set asked_at = clock_timestamp(),
         expires_at = expires_at + (clock_timestamp() - created_at),
         amount = $3::bigint,
         updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and asked_at is null`;

const askedFor = `
  select extract(epoch from clock_timestamp() - asked_at)::float8 * 1000 as ms
    from payment_sessions
   where organization_id = $1
     and id = $2
     and asked_at is not null`;

type How = { timeoutMs: number; isRepeatable: boolean };

/**
 * A session that a run before this one asked for and got no answer of is asked for again where the provider repeats its answer; else it is
 * `unknown`, and another, with a reference of its own, takes its place.
 */
export const claimSession = (transact: TenantTransact, found: SessionRow, { timeoutMs, isRepeatable }: How): Promise<Claim> =>
  transact({ locks: [orderLock(found.order_id)] }, async ({ own }): Promise<Claim> => {
    const session = await findSession(own, found.id);
    if (session?.status !== 'creating' || session.is_unwanted) return { kind: 'over' };
    const order = await getOrder(own, session.order_id);
    const due = dueOf(order);
    if (session.asked_at === null && (due <= 0n || order.status === 'cancelled')) return { kind: 'paid' };
    if (session.asked_at !== null && !isRepeatable) {
      const [asked] = await own.sql<{ ms: number }>(askedFor, [session.id]);
      const leftMs = timeoutMs + graceMs - (asked?.ms ?? 0);
      if (leftMs > 0) return { kind: 'wait', ms: Math.ceil(leftMs) };
      return claimed(own, await replaceLost(own, session), order, due);
    }
    return claimed(own, session.id, order, due);
  });

async function claimed(own: OwnTx, id: string, order: OrderRow, due: bigint): Promise<Claim> {
  await own.sql(claimStatement, [id, String(due)]);
  return { kind: 'go', session: (await findSession(own, id))!, order };
}

/** The outcome is lost: it stays matchable until its time is over, and both count. The id of the new one. Needs the order's lock. */
export async function replaceLost(own: OwnTx, lost: SessionRow): Promise<string> {
  await endSession(own, lost.id, 'unknown');
  watchSession(own, lost);
  const id = uuidv7();
  const { order_id, connection_id, provider, amount, currency, success_url, cancel_url, expires_at } = lost;
  const same = { order_id, connection_id, provider, amount, currency, success_url, cancel_url, expires_at };
  await own.insert(PaymentSession, { id, reference_id: id, ...same });
  return id;
}

/** The call did not take effect, so that the next run may ask as if nobody had. Needs the order's lock. */
export async function unclaim(own: OwnTx, id: string): Promise<void> {
  await own.update(PaymentSession, { id, status: 'creating' }, { asked_at: null, updated_at: now() });
}
