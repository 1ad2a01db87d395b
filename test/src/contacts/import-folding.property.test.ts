import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { getImport, queueImport } from '../../../src/contacts/import/imports.ts';
import { runImport } from '../../../src/contacts/import/run.ts';
import { contactUploads, importLane } from '../../../src/contacts/import/tables.ts';
import { knowJobs } from '../../../src/jobs.ts';
import { createOrganization } from '../../../src/organizations/organizations.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { receiveUpload } from '../../../src/platform/imports/upload.ts';
import { asTenant } from '../../../src/platform/ledger/tenant.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import { type House, openHouse } from '../../support/house.ts';

let house: House;
beforeAll(knowJobs);
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const header = 'phone_number,email,external_source,external_id,name,tags,custom_fields.a,custom_fields.b';
const together = { rows: 1_000, characters: 1e6 };
const oneByOne = { rows: 1, characters: 1e6 };

/** Few values, so that rows meet in every way: by one identity, by several, across what rows before them have made. */
const cell = (...values: string[]) => fc.constantFrom('', '', ...values);
const large = (letter: string) => letter.repeat(9_000);
const row = fc
  .record({
    phone: cell('+16505551001', '+16505551002', '+16505551003'),
    email: cell('a@example.com', 'A@example.com', 'b@example.com'),
    external: cell('shop,1', 'shop,2', 'crm,1'),
    name: cell('Ada', 'Grace'),
    tags: cell('vip', 'VIP;new', 'straße;STRASSE', manyTags(0), manyTags(60)),
    a: cell('1', '-0', '0', '"1"', '[1,-0]', '"{""x"":1,""y"":2}"', '"{""y"":2,""x"":1}"', large('x')),
    b: cell('2', large('y')),
  })
  .map(({ external, ...own }) => ({ ...own, external: external || ',' }))
  .map(({ phone, email, external, name, tags, a, b }) => [phone, email, external, name, tags, quoted(a), b].join(','));
const quoted = (text: string) => (/^[[]/.test(text) ? `"${text}"` : text);
function manyTags(from: number) {
  return Array.from({ length: 60 }, (_, n) => `t${from + n}`).join(';');
}

async function imported(organizationId: string, file: string, size: typeof together) {
  const { database, ledger, deps } = house;
  const upload = await receiveUpload(
    contactUploads,
    { own: ownRows(database, organizationId), transact: ledger.transact, maxBytes: 1e8, maxQueued: 10 },
    'cli',
    Readable.from([Buffer.from(file)]),
  );
  const { operationId } = await ledger.transact({ locks: [importLane(organizationId)] }, (tx) =>
    queueImport(asTenant(tx, organizationId), upload),
  );
  await house.sql(`update jobs set state = 'queued', run = 1 where id = $1`, [operationId]);
  const own = { id: upload.importId, organizationId, job: { organization_id: organizationId, id: operationId, run: 1 } };
  expect(await runImport(deps, own, 0, () => true, size)).toBe('over');
  const { rows_done, created_count, updated_count, unchanged_count, failed_count } = await getImport(
    ownRows(database, organizationId),
    own.id,
  );
  const errors = await house.sql(
    `select line, column_name, code, regexp_replace(message, ': .*', '') as message from contact_import_errors where import_id = $1 order by line, column_name`,
    [own.id],
  );
  await house.sql(`update contact_imports set state = 'succeeded' where id = $1`, [own.id]);
  await house.sql('delete from jobs where id = $1', [operationId]);
  return { rows_done, created_count, updated_count, unchanged_count, failed_count, errors };
}

/** Contacts as anybody could see them, without ids and times; of which row a new tag has its spelling is left open. */
const contactsOf = (organizationId: string) =>
  house.sql(
    `select name, phone_number, email, external_source, external_id, custom_fields, other_addresses,
            array(select i.type || i.source || i.value from contact_identities i where i.contact_id = k.id order by 1) as identities,
            array(select fold(t.name) from contact_tags a join tags t on t.id = a.tag_id where a.contact_id = k.id order by 1) as tags
       from contacts k where organization_id = $1
      order by (select min(i.type || i.source || i.value) from contact_identities i where i.contact_id = k.id)`,
    [organizationId],
  );

test('rows of the same people, written together, do what they do one by one', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 4 }),
      fc.array(row, { minLength: 2, maxLength: 14 }),
      async (before, rows) => {
        const [one, other] = [await createOrganization(house.em(), 'One'), await createOrganization(house.em(), 'Other')];
        for (const organizationId of [one, other]) await imported(organizationId, [header, ...before].join('\n'), oneByOne);
        const file = [header, ...rows].join('\n');
        expect(await imported(one, file, together)).toEqual(await imported(other, file, oneByOne));
        expect(await contactsOf(one)).toEqual(await contactsOf(other));
      },
    ),
    {
      numRuns: numRuns({ default: 3, deep: 30 }),
      examples: [[['+16505551001,,,,Ada,,,'], ['+16505551001,,,,Grace,,,', '+16505551001,,,,Ada,,,']]],
    },
  );
}, 240_000);
