import { type Bind, bindTo } from './bind.ts';
import { nameSql } from './conditions.ts';
import type { Fields, FoundBy } from './fields.ts';
import type { Condition } from './filters.ts';
import { isIndexed, isIndexedWord } from './indexed.ts';
import { type Listing, unindexedOf } from './listing.ts';
import { orders } from './operators.ts';
import type { Ask } from './paging.ts';
import { wordSql } from './search.ts';
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

/** One look into another table, which tells some conditions of a listing in full: `without` leaves these out. */
export type Search = FoundBy & { conditionSql(bind: Bind): string; without(listing: Listing): Listing };

/** Of the listing's names, such as tags, each, and of its words together. */
export function searchesOf(fields: Fields, { conditions, words }: Listing): Search[] {
  const searches: Search[] = [];
  const counted = (listing: Listing): Listing => ({ ...listing, unindexed: unindexedOf(listing) });
  for (const condition of conditions) {
    const { found } = condition.field;
    if (!found || !isIndexed(condition)) continue;
    const isOther = ({ name, operator, values }: Condition) =>
      name !== condition.name || operator !== condition.operator || values !== condition.values;
    searches.push({
      ...found,
      conditionSql: (bind) => nameSql(condition, bind),
      without: (listing) => counted({ ...listing, conditions: listing.conditions.filter(isOther) }),
    });
  }
  const { found } = fields.search;
  const indexed = words.filter(isIndexedWord);
  if (found && indexed.length > 0)
    searches.push({
      ...found,
      conditionSql: (bind) =>
        indexed
          .map((word) => wordSql(fields.search, word, bind))
          .flatMap(({ found: text, holds }) => (holds ? [text, holds] : [text]))
          .join(' and '),
      without: (listing) => counted({ ...listing, words: listing.words.filter((word) => !isIndexedWord(word)) }),
    });
  return searches;
}

/** The same list, each record of it compared with what the searches would find. */
export function comparedOf({ search }: Fields, listing: Listing): Listing {
  const conditions = listing.conditions.map((one) =>
    one.field.found && isIndexed(one) ? { ...one, field: { ...one.field, isUnindexed: true } } : one,
  );
  const compared: Listing = { ...listing, conditions, ...(search.found && { comparesWords: true as const }) };
  return { ...compared, unindexed: unindexedOf(compared) };
}

/** What one record of thirty and more has fills a page from the begin of the list; what fewer have is up to 10,000 in a list of 300,000. */
export const maxFound = 10_000;

/** `ids`: as one text, in the database's form of a list; thousands are not taken apart only to be put together again. */
export type Found = { count: number; ids: string };

/** One more than `maxFound` at most. */
export async function idsFound(ask: Ask, organizationId: string, { select, conditionSql }: Search): Promise<Found> {
  const params: unknown[] = [organizationId];
  const rows = `${select(conditionSql(bindTo(params)))} limit ${maxFound + 1}`;
  const text = `
    select count(*)::int as count, coalesce(array_agg(f.id), '{}')::text as ids
      from (${rows}) f`;
  const [found] = await ask<Found>(text, params);
  return found!;
}
