import { CrmHistory } from '../../history/history.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { dealUpdated } from '../../platform/events/crm-events.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import { Superseded } from '../../platform/ledger/superseded.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { OwnTx, RunRef } from '../../platform/ledger/tx.ts';
import type { Deal } from '../deal.entity.ts';
import { dealLock } from '../deal-row.ts';
import { frozenMoneys } from '../money.ts';
import { DealRevaluation } from './revaluation.entity.ts';

/** Deals of one transaction, which holds the lock of each. */
export const usualStep = 100;

const revaluationById = statement((select, { id }: { id: string }) =>
  select(DealRevaluation).select(['id', 'state', 'actor', 'reached_at', 'reached_id']).where('id', '=', id),
);
type Revaluation = Awaited<ReturnType<typeof revaluationById>>[number];

/** SQL: the next ones in the order of an index. */
const nextDeals = `
  select k.id, k.created_at
    from deals k
   where k.organization_id = $1
     and k.status = 'open'
     and k.deleted_at is null
     and (k.created_at, k.id) > (coalesce($2, '-infinity'::timestamptz), coalesce($3, '00000000-0000-0000-0000-000000000000'::uuid))
   order by k.created_at, k.id
   limit $4`;
type Next = RowOf<typeof Deal, 'id' | 'created_at'>;

const columns =
  'k.id, k.amount_minor, k.currency_code, k.home_currency_at_write, k.amount_in_home_currency, k.status, k.stage_id';
/** SQL: a set, under the locks. */
const openDeals = `
  select ${columns}
    from deals k
   where k.organization_id = $1
     and k.id = any($2::uuid[])
     and k.status = 'open'
     and k.deleted_at is null
   order by k.created_at, k.id`;
type OpenDeal = RowOf<
  typeof Deal,
  'id' | 'amount_minor' | 'currency_code' | 'home_currency_at_write' | 'amount_in_home_currency' | 'status' | 'stage_id'
>;

/** SQL: a set. */
const writeMoney = `
  update deals k
     set home_currency_at_write = x.home,
         amount_in_home_currency = x.amount,
         revision = k.revision + 1,
         updated_at = clock_timestamp()
    from unnest($2::uuid[], $3::text[], $4::numeric[]) as x(id, home, amount)
   where k.organization_id = $1
     and k.id = x.id
  returning k.id, k.revision`;

/** SQL: the position, what is shown of it and the check of the run in one statement, in the transaction of what was done. */
const moveOn = `
  with moved as (
    update deal_revaluations
       set reached_at = $3, reached_id = $4, done = done + $5, changed = changed + $6, updated_at = clock_timestamp()
     where organization_id = $1
       and id = $2
       and state = 'open'
       and reached_id is not distinct from $7
    returning done, changed)
  update jobs
     set progress = jsonb_build_object('done', moved.done, 'changed', moved.changed)
    from moved
   where jobs.organization_id = $1
     and jobs.id = $8
     and jobs.run = $9
     and ${stateIs('jobs.state', 'queued')}
  returning 1`;

/**
 * One step is one transaction: money, history, events and the position. Deals that are worth what they were stay as they are, so that a second
 * run changes nothing. False: there was nothing left. Throws Superseded.
 */
export async function takeStep(own: Own, transact: TenantTransact, id: string, job: RunRef, size = usualStep): Promise<boolean> {
  const [revaluation] = await revaluationById(own, { id });
  if (revaluation?.state !== 'open') throw new Superseded();
  const look = () => own.sql<Next>(nextDeals, [revaluation.reached_at, revaluation.reached_id, size]);
  const locks = (found: Next[]) => found.map((deal) => dealLock(deal.id));
  return transact({ look, locks }, async ({ own: tx }, found) => {
    const last = found.at(-1);
    if (!last) return false;
    const changed = await revalue(tx, revaluation, found);
    const params = [id, last.created_at, last.id, found.length, changed, revaluation.reached_id, job.id, job.run];
    if ((await tx.sql(moveOn, params)).length === 0) throw new Superseded();
    return found.length === size;
  });
}

async function revalue(tx: OwnTx, { actor }: Revaluation, found: Next[]): Promise<number> {
  const deals = await tx.sql<OpenDeal>(openDeals, [found.map(({ id }) => id)]);
  const moneys = await frozenMoneys(tx, deals);
  const changes = deals.flatMap((deal, index) => {
    const { home_currency_at_write: home, amount_in_home_currency: amount } = moneys[index]!;
    const isSame = deal.home_currency_at_write === home && deal.amount_in_home_currency === amount;
    return isSame ? [] : [{ deal, home, amount }];
  });
  if (changes.length === 0) return 0;
  const written = await tx.sql<RowOf<typeof Deal, 'id' | 'revision'>>(writeMoney, [
    changes.map(({ deal }) => deal.id),
    changes.map(({ home }) => home),
    changes.map(({ amount }) => amount),
  ]);
  const revisions = new Map(written.map(({ id, revision }) => [id, revision]));
  const rows = changes.map(({ deal, home, amount }) => {
    const fields = {
      ...(deal.home_currency_at_write !== home && { home_currency_at_write: { from: deal.home_currency_at_write, to: home } }),
      ...(deal.amount_in_home_currency !== amount && {
        amount_in_home_currency: { from: deal.amount_in_home_currency ?? '', to: amount ?? '' },
      }),
    };
    const { id, status, stage_id } = deal;
    const state = { deal_id: id, organization_id: tx.organizationId, status, stage_id, changed: Object.keys(fields) };
    const eventId = tx.emit(dealUpdated, state);
    const revision = revisions.get(id)!;
    return { object_kind: 'deal' as const, object_id: id, revision, event_id: eventId, actor, changes: fields };
  });
  await tx.insertMany(CrmHistory, rows);
  return rows.length;
}
