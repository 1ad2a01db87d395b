import { type SqlBool, sql } from 'kysely';
import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError, type ErrorDetail } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { ExchangeRate } from './exchange-rate.entity.ts';

/** `rate` as a decimal text: what one unit of `base` is worth in `quote`. */
export type Rate = { base: string; quote: string; rate: string };
export type NewRate = Rate & { effective_at?: string };
export type TimedRate = Required<NewRate>;
export type RateRow = RowOf<typeof ExchangeRate, 'base' | 'quote' | 'effective_at' | 'source' | 'created_at'> & { rate: string };

export const maxRates = 500;

/**
 * SQL: sets. A rate that is there already stays: whoever sends it again finds it as it is. The first statement sees only rows of before it,
 * so a second one reads what is stored.
 */
const insertRates = `
  insert into exchange_rates (organization_id, base, quote, effective_at, rate, source)
  select $1, r.base, r.quote, r.effective_at, r.rate, $6
    from unnest($2::text[], $3::text[], $4::timestamptz[], $5::numeric[]) r (base, quote, effective_at, rate)
   order by r.base, r.quote, r.effective_at
  on conflict on constraint exchange_rates_pkey do nothing
  returning base, quote, effective_at`;

const storedRates = `
  select e.base, e.quote, e.effective_at, trim_scale(e.rate)::text as rate, e.source, e.created_at, e.rate = r.rate as is_same
    from unnest($2::text[], $3::text[], $4::timestamptz[], $5::numeric[]) with ordinality r (base, quote, effective_at, rate, n)
    join exchange_rates e
      on e.organization_id = $1 and e.base = r.base and e.quote = r.quote and e.effective_at = r.effective_at
   order by r.n`;

/** In the order of `rates`. Throws 409 where another rate of the same pair and moment is there, and adds none then. */
export async function addRates(tx: OwnTx, rates: NewRate[], source: string): Promise<{ rows: RateRow[]; added: number }> {
  // SQL: the database's clock, once for all rates without a time.
  const [clock] = await tx.sql<{ now: string }>('select clock_timestamp() as now where $1::uuid is not null');
  const columns = columnsOf(rates.map((rate) => ({ ...rate, effective_at: rate.effective_at ?? clock!.now })));
  const added = await tx.sql(insertRates, [...columns, source]);
  const stored = await tx.sql<RateRow & { is_same: boolean }>(storedRates, columns);
  const others = stored.flatMap((row, index) => (row.is_same ? [] : [otherRate(row, index)]));
  if (others.length > 0)
    throw new AppError('conflict', 'Another rate is known for the same moment; rates are only added', { details: others });
  return { rows: stored, added: added.length };
}

/** A rate that is there already for the same pair and moment stays. Returns how many are new. */
export async function addMissingRates(tx: OwnTx, rates: TimedRate[], source: string): Promise<number> {
  return (await tx.sql(insertRates, [...columnsOf(rates), source])).length;
}

const columnsOf = (rates: TimedRate[]) => [
  rates.map(({ base }) => base),
  rates.map(({ quote }) => quote),
  rates.map(({ effective_at }) => effective_at),
  rates.map(({ rate }) => rate),
];

const otherRate = ({ base, quote, rate }: RateRow, index: number): ErrorDetail => ({
  field: `rates[${index}].rate`,
  location: 'body',
  code: 'rate.known',
  message: `One ${base} is ${rate} ${quote} from that moment on`,
  value: rate,
});

export type RatePosition = [effectiveAt: string, base: string, quote: string];
export type RateFilter = { base?: string; quote?: string };

/** The newest first, one row more than the limit. */
export async function listRates(
  own: Own,
  { base, quote }: RateFilter,
  { limit, after, includeTotal }: { limit: number; after?: RatePosition; includeTotal: boolean },
): Promise<{ rows: RateRow[]; total?: number }> {
  let rates = own.select(ExchangeRate);
  if (base && quote) rates = rates.where('base', '=', base).where('quote', '=', quote);
  const counted = includeTotal ? await rates.select(sql<number>`count(*)::int`.as('total')).executeTakeFirst() : undefined;
  if (after) {
    const [effectiveAt, ...pair] = after;
    const beyond = sql<SqlBool>`(effective_at, base, quote) < (${effectiveAt}::timestamptz, ${pair[0]}, ${pair[1]})`;
    rates = rates.where(beyond);
  }
  const rows = await rates
    .select(['base', 'quote', 'effective_at', 'source', 'created_at'])
    .select(sql<string>`trim_scale(rate)::text`.as('rate'))
    .orderBy('effective_at', 'desc')
    .orderBy('base', 'desc')
    .orderBy('quote', 'desc')
    .limit(limit + 1)
    .execute();
  return { rows, ...(counted && { total: counted.total }) };
}
