import type { Own } from '../platform/database/own.ts';
import { converted, type Money } from './amounts.ts';
import { inverse, one, type Ratio, ratioOf, times } from './ratio.ts';

/** `to`: a currency, or one of the organization's own. `at`: at that moment's rate; without it at the newest. */
export type Ask = { minor: string; currency: string; to: 'home' | 'display' | (string & {}); at?: string | null };

export type Exchange = {
  /** The organization's home currency. */
  home: string;
  /** The reader's, else the organization's, else home. */
  display: string;
  /** In the order of the asks; undefined where there is no rate. */
  amounts: (Money | undefined)[];
};

type Leg = { n: number; leg: 'direct' | 'first' | 'second'; rate: string; is_inverse: boolean };
type Found = { home: string; display: string; legs: Leg[] };

/**
 * SQL: for each pair and moment the newest rate of the pair, and of both legs over the home currency, whichever way round it is written: a
 * probe of the primary key for each, all in one statement.
 */
const findLegs = `
  with currencies as (
    select home_currency as home, coalesce($2, display_currency, home_currency) as display
      from organizations
     where id = $1),
  asked as (
    select a.n, a.base, case a.quote when 'home' then c.home when 'display' then c.display else a.quote end as quote, c.home,
           coalesce(a.at, statement_timestamp()) as at
      from unnest($3::text[], $4::text[], $5::timestamptz[]) with ordinality a (base, quote, at, n)
     cross join currencies c),
  legs as (
    select n, 'direct' as leg, base, quote, at
      from asked
     where base <> quote
     union all
    select n, 'first', base, home, at
      from asked
     where home not in (base, quote)
     union all
    select n, 'second', home, quote, at
      from asked
     where home not in (base, quote))
  select c.home, c.display,
         (select coalesce(json_agg(json_build_object('n', l.n, 'leg', l.leg, 'rate', r.rate::text, 'is_inverse', r.is_inverse)), '[]')
            from legs l
           cross join lateral (
                   select *
                     from ((select rate, effective_at, false as is_inverse
                              from exchange_rates
                             where organization_id = $1 and base = l.base and quote = l.quote and effective_at <= l.at
                             order by effective_at desc
                             limit 1)
                            union all
                           (select rate, effective_at, true
                              from exchange_rates
                             where organization_id = $1 and base = l.quote and quote = l.base and effective_at <= l.at
                             order by effective_at desc
                             limit 1)) both_ways
                    order by effective_at desc, is_inverse
                    limit 1) r) as legs
    from currencies c`;

const keyOf = ({ currency, to, at }: Ask) => `${currency} ${to} ${at ?? ''}`;

/**
 * All amounts of a page or of a write in one statement, whatever their number. A rate of the pair comes before one over the home currency;
 * of the two ways to write a pair the newer counts. Without a rate there is no amount: a missing rate is never 1.
 */
export async function exchange(own: Own, asks: Ask[], display: string | null = null): Promise<Exchange> {
  const pairs = new Map(asks.map((ask) => [keyOf(ask), ask]));
  const asked = [...pairs.values()];
  const [found] = await own.sql<Found>(findLegs, [
    display,
    asked.map(({ currency }) => currency),
    asked.map(({ to }) => to),
    asked.map(({ at }) => at ?? null),
  ]);
  const { home, display: shown, legs } = found!;
  const legsOf = Map.groupBy(legs, ({ n }) => n);
  const ratios = new Map([...pairs.keys()].map((key, index) => [key, ratioOver(legsOf.get(index + 1) ?? [])]));
  const codeOf = (to: string) => (to === 'home' ? home : to === 'display' ? shown : to);

  const amounts = asks.map((ask) => {
    const to = codeOf(ask.to);
    const rate = ask.currency === to ? one : ratios.get(keyOf(ask));
    return rate && converted({ minor: BigInt(ask.minor), currency: ask.currency }, to, rate);
  });
  return { home, display: shown, amounts };
}

function ratioOver(legs: Leg[]): Ratio | undefined {
  const [direct, first, second] = (['direct', 'first', 'second'] as const).map((wanted) => {
    const found = legs.find(({ leg }) => leg === wanted);
    return found && (found.is_inverse ? inverse(ratioOf(found.rate)) : ratioOf(found.rate));
  });
  return direct ?? (first && second && times(first, second));
}
