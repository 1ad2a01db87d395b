import { isDeepStrictEqual } from 'node:util';
import type { Remains } from '../../contacts/erasure/erase.ts';
import { removed, tracesOf } from '../../contacts/erasure/traces.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { nilUuid } from '../../platform/ids.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import { slices } from '../../platform/load/slices.ts';
import type { Segment } from '../segment.entity.ts';
import type { Filter } from '../selection.ts';

type Sought = RowOf<typeof Segment, 'id' | 'search' | 'filters'>;

/** Of 64 kB each. */
const batch = 20;

/** SQL: deleted ones too, which the purge has not reached. */
const readSought = `
  select id, search, filters
    from segments
   where organization_id = $1
     and (search <> '' or filters <> '[]')
     and id > $2
   order by id
   limit ${batch}`;
const writeSought = `
  update segments
     set search = $3, filters = $4::jsonb, updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and search = $5
     and filters = $6::jsonb`;

/**
 * Blanks the person's addresses and whole name in what segments search for. A single word of a name stays: it is sought for others too.
 * Idempotent. Returns how many it changed.
 */
export async function forgetInSegments(transact: Transact, own: Own, remains: Remains): Promise<number> {
  const clean = soughtWithout(remains);
  const pause = slices();
  let changed = 0;
  for (let after = nilUuid, isMore = true; isMore; ) {
    const page = await own.sql<Sought>(readSought, [after]);
    for (const { id, search, filters } of page) {
      await pause();
      const left = clean({ search, filters });
      if (isDeepStrictEqual(left, { search, filters })) continue;
      await transact({}, (tx) =>
        tx
          .of(own.organizationId)
          .sql(writeSought, [id, left.search, JSON.stringify(left.filters), search, JSON.stringify(filters)]),
      );
      changed += 1;
    }
    isMore = page.length === batch;
    after = page.at(-1)?.id ?? after;
  }
  return changed;
}

/** What a list is asked, with `[removed]` in the place of the person's addresses and whole name. */
export function soughtWithout({ identities, names }: Remains) {
  const whole = names
    .filter((name) => /\S\s+\S/.test(name))
    .map((value) => ({ type: 'external_id' as const, source: '', value }));
  const clean = tracesOf([...identities, ...whole], []);
  return ({ search, filters }: { search: string; filters: Filter[] }) => ({
    search: clean(search),
    filters: filters.map((filter) => withValue(filter, clean(filter.value))),
  });
}

/** A number that is an address becomes null, which no filter takes. */
function withValue(filter: Filter, value: unknown): Filter {
  if (filter.value === undefined) return filter;
  const kept = Array.isArray(value) ? value.map((one) => one ?? removed) : (value ?? removed);
  return { ...filter, value: kept };
}
