import { expect, test } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import type { Position } from '../../../src/platform/listing/keyset.ts';
import { type Listing, readListing } from '../../../src/platform/listing/listing.ts';
import { readPage } from '../../../src/platform/listing/page.ts';
import { withoutWideRanges } from '../../../src/platform/listing/wide.ts';
import { recordsOf } from '../../../src/records/list.ts';
import { companyOf } from '../../../src/records/types/company.ts';
import { useApp } from '../../support/app.ts';
import { records } from '../../support/factories/records.ts';

const app = useApp({});
const bound = 10;
const ask = <Row>(text: string, params: unknown[]) => query<Row>(app.web.deps.database, text, params);

type Filter = { field: string; operator: string; value: unknown };
const many: Filter = { field: 'employees', operator: 'gte', value: 5 };
const few: Filter = { field: 'employees', operator: 'between', value: [3, 8] };
const odd: Filter = { field: 'industry', operator: 'eq', value: 'odd' };

test('a range of many values beside another filter is compared in the records, and the list is the same', async () => {
  const { organizationId } = app.tenant;
  const given = Array.from({ length: 40 }, (_, n) => ({ name: `C${n}`, employees: n, industry: n % 2 === 0 ? 'even' : 'odd' }));
  await records(transactFor(app.web.deps.ledger.transact, organizationId), 'company', given);
  const table = recordsOf(companyOf(organizationId));
  const read = (filters: Filter[], sort: string) =>
    readListing('records', table.fields, { filters: JSON.stringify(filters), sort });
  const settled = (listing: Listing) => withoutWideRanges(ask, organizationId, listing, bound);
  const all = async (listing: Listing) => {
    const found: string[] = [];
    let after: Position | undefined;
    do {
      const page = { limit: 100, after };
      const { rows, end } = await readPage<{ display_name: string }>(ask, table, organizationId, listing, page, {
        checks: 7,
        ms: 5_000,
      });
      found.push(...rows.map((row) => row.display_name));
      after = end;
    } while (after);
    return found;
  };

  for (const sort of ['-created_at', 'display_name', '-employees'])
    for (const filters of [
      [many, odd],
      [few, odd],
      [many, few],
      [many, few, odd],
    ]) {
      const listing = read(filters, sort);
      const wanted = await all(listing);
      expect(wanted.length).toBeGreaterThan(1);
      expect(await all(await settled(listing))).toEqual(wanted);
    }
  expect((await settled(read([many, odd], '-created_at'))).unindexed).toBe(1);
  expect((await settled(read([few, odd], '-created_at'))).unindexed).toBe(0);
  expect((await settled(read([many], '-created_at'))).unindexed).toBe(0);
});
