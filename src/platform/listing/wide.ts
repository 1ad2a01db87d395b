import { bindTo } from './bind.ts';
import type { Condition } from './filters.ts';
import { isIndexed } from './indexed.ts';
import type { Listing } from './listing.ts';
import { orders } from './operators.ts';
import type { Ask } from './paging.ts';
import { indexedValueIs } from './typed.ts';

/** A page of the records in a range of so many values is read from the range, of a longer one in the order of the list. */
export const maxDriving = 2_000;

const isRange = ({ operator }: Condition) => (orders as readonly string[]).includes(operator);

/**
 * Ranges of typed fields beside other typed conditions, counted up to the bound: a longer one is compared record by record, as without an
 * index. The planner itself takes a range of one field for a range of all fields' values, and joins hundreds of thousands for a page.
 */
export async function withoutWideRanges(
  ask: Ask,
  organizationId: string,
  listing: Listing,
  bound = maxDriving,
): Promise<Listing> {
  const typed = listing.conditions.filter((one) => one.field.typed && isIndexed(one));
  const ranges = typed.filter(isRange);
  if (typed.length < 2 || ranges.length === 0) return listing;
  const params: unknown[] = [organizationId];
  const bind = bindTo(params);
  // SQL: reads no further than the bound, in the index alone.
  const counts = ranges.map(({ field: { typed: field }, operator, values }) => {
    const rows = `
        select 1
          from ${field!.values} v
         where v.organization_id = $1 and v.field_id = ${bind(field!.id)}::uuid
           and ${indexedValueIs(field!, operator, values, bind, 'v')}
         limit ${bound + 1}`;
    return `
      (select count(*)::int
         from (${rows}) r)`;
  });
  const [found] = await ask<{ counts: number[] }>(`select array[${counts.join(', ')}] as counts`, params);
  const wide = new Set(ranges.filter((_, index) => found!.counts[index]! > bound));
  const conditions = listing.conditions.map((one) => (wide.has(one) ? compared(one) : one));
  return { ...listing, conditions, unindexed: listing.unindexed + wide.size };
}

const compared = (condition: Condition): Condition => {
  const { field } = condition;
  return { ...condition, field: { ...field, typed: { ...field.typed!, isIndexed: false } } };
};
