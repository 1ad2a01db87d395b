import { asDecimal } from '../money/amounts.ts';
import { digitsOf } from '../money/currencies.ts';
import { ratioOf, rounded } from '../money/ratio.ts';
import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import type { Reads } from '../platform/listing/reads.ts';
import type { PipelineStage, StageKind } from './pipelines/pipeline.entity.ts';

type Counted = { count: number; currency: string };
type Found = RowOf<typeof PipelineStage, 'id' | 'name' | 'kind' | 'probability'> & {
  /** By the deals' own currency, in minor units. */
  own: (Counted & { sum: string })[];
  /** By the home currency at the write, in units; without a rate there is no amount. */
  home: (Counted & { sum: string | null; rated: number })[];
};

/** SQL: sums by two currencies of all deals of the stages; texts, since JSON has no exact numbers. */
const sumsOf = `
  with summed as materialized (
    select k.stage_id, k.currency_code, k.home_currency_at_write, count(*) as deals, sum(k.amount_minor) as amount,
           count(k.amount_in_home_currency) as rated, sum(k.amount_in_home_currency) as at_home
      from deals k
     where k.organization_id = $1
       and k.stage_id = any(array(
         select s.id
           from pipeline_stages s
          where s.organization_id = $1 and s.pipeline_id = $2 and ($3::text is null or s.kind = $3)))
       and k.deleted_at is null
     group by k.stage_id, k.currency_code, k.home_currency_at_write)
  select s.id, s.name, s.kind, s.probability,
         (select coalesce(jsonb_agg(to_jsonb(o) order by o.currency), '[]')
            from (select currency_code as currency, sum(deals)::int as count, sum(amount)::text as sum
                    from summed
                   where stage_id = s.id
                   group by currency_code) o) as own,
         (select coalesce(jsonb_agg(to_jsonb(h) order by h.currency), '[]')
            from (select home_currency_at_write as currency, sum(deals)::int as count, sum(rated)::int as rated,
                         sum(at_home)::text as sum
                    from summed
                   where stage_id = s.id
                   group by home_currency_at_write) h) as home
    from pipeline_stages s
   where s.organization_id = $1
     and s.pipeline_id = $2
     and ($3::text is null or s.kind = $3)
   order by s.position`;

const percent = 100n;

/** A decimal sum in units of the currency, weighted by a probability in percent. */
function weighted(sum: string, currency: string, probability: number): string {
  const { over, under } = ratioOf(sum);
  const minor = rounded({ over: over * 10n ** BigInt(digitsOf(currency)) * BigInt(probability), under: under * percent });
  return asDecimal({ minor, currency });
}

const stageSummary = ({ id, name, kind, probability, own, home }: Found) => ({
  stage_id: id,
  name,
  kind,
  probability,
  count: own.reduce((sum, { count }) => sum + count, 0),
  amounts: own.map(({ currency, count, sum }) => ({
    currency_code: currency,
    minor_unit: digitsOf(currency),
    count,
    amount_minor: sum,
  })),
  at_home: home
    .filter(({ rated }) => rated > 0)
    .map(({ currency, rated, sum }) => ({
      currency_code: currency,
      count: rated,
      amount: weighted(sum!, currency, 100),
      weighted_amount: weighted(sum!, currency, probability),
    })),
  without_rate: home.reduce((missing, { count, rated }) => missing + count - rated, 0),
});
export type StageSummary = ReturnType<typeof stageSummary>;

/** Of a pipeline's stages, in their order. Nothing is added across currencies. Throws 404. */
export async function summaryOf(
  reads: Reads,
  { organizationId }: Pick<Own, 'organizationId'>,
  pipelineId: string,
  kind?: StageKind,
): Promise<StageSummary[]> {
  const params = [organizationId, pipelineId, kind ?? null];
  const found = await reads.dear(organizationId, (ask) => ask<Found>(sumsOf, params));
  // A pipeline has a stage of each kind.
  if (found.length === 0) throw notFound('Pipeline');
  return found.map(stageSummary);
}
