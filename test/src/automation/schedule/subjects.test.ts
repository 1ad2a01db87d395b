import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ForEach } from '../../../../src/automation/definition/definition.ts';
import { clockOf } from '../../../../src/automation/schedule/clock.ts';
import { readDated } from '../../../../src/automation/schedule/dated-subjects.ts';
import { type DateTrigger, momentOn } from '../../../../src/automation/schedule/dates.ts';
import { readSubjects } from '../../../../src/automation/schedule/subjects.ts';
import { Contact } from '../../../../src/contacts/contact.entity.ts';
import { Deal, DealContact } from '../../../../src/deals/deal.entity.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { transactFor } from '../../../../src/platform/ledger/tenant.ts';
import { CrmRecord } from '../../../../src/records/record.entity.ts';
import { Task, TaskTarget } from '../../../../src/tasks/task.entity.ts';
import { contact } from '../../../support/factories/contact.ts';
import { conversation } from '../../../support/factories/conversation.ts';
import { objectType } from '../../../support/factories/object-type.ts';
import { records } from '../../../support/factories/records.ts';
import { dealRow } from '../../../support/factories/task-objects.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { inMs } from '../../../support/rules/clock.ts';
import { storeRow } from '../../../support/rules/rows.ts';

let house: House;
let organizationId: string;
beforeAll(async () => {
  house = await openHouse();
  ({ organizationId } = house);
});
afterAll(() => house.close());
beforeEach(() => house.reset('contacts', 'deals', 'crm_tasks', 'object_types', 'channels'));

const source = () => ({ database: house.database, own: ownRows(house.database, organizationId) });
const person = () => contact(house.em(), organizationId);
const ids = (rows: { subjectId: string }[]) => rows.map(({ subjectId }) => subjectId);

async function task(due: string | null, targets: string[] = []): Promise<string> {
  const id = await storeRow(house.em(), organizationId, Task, { title: 'Call', due_at: due });
  for (const contact_id of targets) await storeRow(house.em(), organizationId, TaskTarget, { task_id: id, contact_id });
  return id;
}

async function deal(closes: string | null, primary?: string): Promise<string> {
  const id = await dealRow(house.sql, organizationId);
  await house.em().nativeUpdate(Deal, { id }, { expected_close_at: closes });
  if (primary) await storeRow(house.em(), organizationId, DealContact, { deal_id: id, contact_id: primary, is_primary: true });
  return id;
}

const types = (fields: NonNullable<Parameters<typeof objectType>[2]['fields']>) =>
  objectType({ rows: house.sql } as never, organizationId, { kind: 'boat', fields });
const boats = (given: Record<string, unknown>[]) =>
  records(transactFor(house.ledger.transact, organizationId), 'boat', given as never);

describe('the subjects of a list', () => {
  const all = (forEach: ForEach) => readSubjects(source(), forEach, null, 100);

  test('conversations, with their contacts', async () => {
    const talk = await conversation(house.em(), organizationId);
    expect((await all({ kind: 'conversation' })).rows).toEqual([
      { subjectType: 'conversation', subjectId: talk.id, contactId: talk.contact.id },
    ]);
    const closed = [{ field: 'status', operator: 'eq', value: 'resolved' }];
    expect((await all({ kind: 'conversation', filters: closed })).rows).toEqual([]);
  });

  test('deals with their primary contact, tasks with the first contact that they are about', async () => {
    const [one, other] = [(await person()).id, (await person()).id];
    const [mine, nobodys] = [await deal(null, one), await deal(null)];
    expect((await all({ kind: 'deal' })).rows).toEqual([
      { subjectType: 'deal', subjectId: mine, contactId: one },
      { subjectType: 'deal', subjectId: nobodys, contactId: null },
    ]);
    const call = await task(null, [other, one]);
    expect((await all({ kind: 'task' })).rows).toEqual([{ subjectType: 'task', subjectId: call, contactId: other }]);
  });

  test('records of a kind, by the filters of their fields; not those in the bin', async () => {
    await types([{ name: 'length', type: 'number', isIndexed: true }]);
    const [short, long, gone] = await boats([{ length: 5 }, { length: 30 }, { length: 40 }]);
    await house.em().nativeUpdate(CrmRecord, { id: gone!.id }, { deleted_at: inMs(0) });
    expect(ids((await all({ kind: 'boat' })).rows)).toEqual([short!.id, long!.id]);
    const filters = [{ field: 'length', operator: 'gt', value: 10 }];
    expect((await all({ kind: 'boat', filters })).rows).toEqual([
      { subjectType: 'record', subjectId: long!.id, contactId: null },
    ]);
  });

  test('contacts in batches, by their ids', async () => {
    const made = [(await person()).id, (await person()).id, (await person()).id].sort();
    const first = await readSubjects(source(), { kind: 'contact' }, null, 2);
    expect([ids(first.rows), first.last]).toEqual([made.slice(0, 2), made[1]]);
    const second = await readSubjects(source(), { kind: 'contact' }, first.last, 2);
    expect([ids(second.rows), second.last]).toEqual([made.slice(2), null]);
  });

  test('what is not there is a 422', async () => {
    await expect(all({ kind: 'ship' })).rejects.toMatchObject({ status: 422 });
    await expect(all({ kind: 'contact', segment_ids: [uuidv7()] })).rejects.toMatchObject({ status: 422 });
    await expect(all({ kind: 'deal', filters: [{ field: 'colour', value: 1 }] })).rejects.toMatchObject({ status: 422 });
  });
});

describe('those on whose date a rule acts', () => {
  const zones = { timezone: 'America/New_York', timezone_field: 'timezone' };

  /** Of the day in New York, in a window of one moment. */
  async function on(day: string, given: Partial<DateTrigger> & Pick<DateTrigger, 'kind' | 'field'>, zone = zones.timezone) {
    const trigger: DateTrigger = { type: 'date', at: '12:00', ...given };
    const to = momentOn(trigger, day, zone);
    const asked = { trigger, clock: clockOf(trigger, zones)!, zones, window: { from: new Date(to.getTime() - 900_000), to } };
    return (await readDated(source(), asked, null, 100)).rows;
  }

  test('a time counts for the day that it has in the zone', async () => {
    const late = await deal('2026-06-02T03:30:00Z');
    await deal('2026-06-02T04:30:00Z');
    expect(ids(await on('2026-06-01', { kind: 'deal', field: 'expected_close_at' }))).toEqual([late]);
  });

  test('a time comes each year, too', async () => {
    const due = await task('2024-02-29T15:00:00Z');
    await task('2024-03-01T15:00:00Z');
    const yearly = { kind: 'task', field: 'due_at', repeat: 'yearly' as const };
    expect(ids(await on('2026-02-28', yearly))).toEqual([due]);
    expect(ids(await on('2028-02-29', yearly))).toEqual([due]);
    expect(ids(await on('2028-02-28', yearly))).toEqual([]);
  });

  test('days of custom fields of deals', async () => {
    const one = await deal(null);
    await house.em().nativeUpdate(Deal, { id: one }, { custom_fields: { renewal: '2026-06-10' } });
    expect(await on('2026-06-03', { kind: 'deal', field: 'custom_fields.renewal', offset_days: -7 })).toEqual([
      { subjectType: 'deal', subjectId: one, contactId: null, actingDay: '2026-06-03' },
    ]);
  });

  test.each([true, false])('dates and times of records, indexed: %p', async (isIndexed) => {
    await types([
      { name: 'built', type: 'date', isIndexed },
      { name: 'sails', type: 'datetime', isIndexed },
    ]);
    const [first, second] = await boats([
      { built: '2001-06-01', sails: '2026-06-02T03:30:00Z' },
      { built: '2001-06-02', sails: '2026-06-02T04:30:00Z' },
    ]);
    expect(ids(await on('2026-06-01', { kind: 'boat', field: 'built', repeat: 'yearly' }))).toEqual([first!.id]);
    expect(ids(await on('2026-06-01', { kind: 'boat', field: 'sails' }))).toEqual([first!.id]);
    expect(ids(await on('2026-06-02', { kind: 'boat', field: 'sails' }))).toEqual([second!.id]);
    await expect(on('2026-06-01', { kind: 'boat', field: 'name' })).rejects.toMatchObject({ status: 422 });
  });

  test('a time of a contact counts for the day that it has by the clock of the contact', async () => {
    const [tokyo, york] = [(await person()).id, (await person()).id];
    await house.em().nativeUpdate(Contact, {}, { created_at: '2026-06-01T18:00:00Z' });
    await house.em().nativeUpdate(Contact, { id: tokyo }, { custom_fields: { timezone: 'Asia/Tokyo' } });
    const week = { kind: 'contact', field: 'created_at', offset_days: 7 };
    expect(ids(await on('2026-06-09', week, 'Asia/Tokyo'))).toEqual([tokyo]);
    expect(ids(await on('2026-06-08', week))).toEqual([york]);
  });

  test('a time of contacts in batches: each once, though several days on Earth look for it', async () => {
    const both = [(await person()).id, (await person()).id].sort();
    const zone = 'Pacific/Honolulu';
    const change = { created_at: '2026-06-01T18:00:00Z', custom_fields: { timezone: zone } };
    await house.em().nativeUpdate(Contact, {}, change);
    const trigger: DateTrigger = { type: 'date', at: '12:00', kind: 'contact', field: 'created_at' };
    const to = momentOn(trigger, '2026-06-01', zone);
    const window = { from: new Date(to.getTime() - 900_000), to };
    const asked = { trigger, clock: clockOf(trigger, zones)!, zones, window };
    for (const size of [1, 2, 3, 100]) {
      const seen: string[] = [];
      for (let after: string | null = null, isMore = true; isMore; ) {
        const { rows, last }: Awaited<ReturnType<typeof readDated>> = await readDated(source(), asked, after, size);
        seen.push(...ids(rows));
        isMore = last !== null;
        after = last;
      }
      expect(seen).toEqual(both);
    }
  });
});
