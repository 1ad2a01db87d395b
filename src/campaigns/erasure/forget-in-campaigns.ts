import { isDeepStrictEqual } from 'node:util';
import type { Remains } from '../../contacts/erasure/erase.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { nilUuid } from '../../platform/ids.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import { slices } from '../../platform/load/slices.ts';
import { soughtWithout } from '../../segments/erasure/forget-in-segments.ts';
import type { Filter } from '../../segments/selection.ts';
import type { Audience, Campaign } from '../campaign.entity.ts';

type Asked = RowOf<typeof Campaign, 'id' | 'audience'>;

/** Of 64 kB of filters each. */
const batch = 20;

/** SQL: keys within JSON; ended and deleted ones too, which the purge has not reached. */
const readAsked = `
  select id, audience
    from campaigns
   where organization_id = $1
     and audience ?| '{search,filters}'
     and id > $2
   order by id
   limit ${batch}`;
/** The revision stays: nobody changed what the campaign is. */
const writeAsked = `
  update campaigns
     set audience = $3::jsonb, updated_at = clock_timestamp()
   where organization_id = $1
     and id = $2
     and audience = $4::jsonb`;

/** Blanks the person's addresses and whole name in what audiences search for, as in segments. Idempotent. Returns how many it changed. */
export async function forgetInCampaigns(transact: Transact, own: Own, remains: Remains): Promise<number> {
  const clean = soughtWithout(remains);
  const pause = slices();
  let changed = 0;
  for (let after = nilUuid, isMore = true; isMore; ) {
    const page = await own.sql<Asked>(readAsked, [after]);
    for (const { id, audience } of page) {
      await pause();
      const left = audienceWithout(clean, audience);
      if (isDeepStrictEqual(left, audience)) continue;
      await transact({}, (tx) => tx.of(own.organizationId).sql(writeAsked, [id, JSON.stringify(left), JSON.stringify(audience)]));
      changed += 1;
    }
    isMore = page.length === batch;
    after = page.at(-1)?.id ?? after;
  }
  return changed;
}

function audienceWithout(clean: ReturnType<typeof soughtWithout>, audience: Audience): Audience {
  const sought = clean({ search: audience.search ?? '', filters: (audience.filters ?? []) as Filter[] });
  return {
    ...audience,
    ...(audience.search !== undefined && { search: sought.search }),
    ...(audience.filters !== undefined && { filters: sought.filters }),
  };
}
