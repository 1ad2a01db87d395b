import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Remains } from '../../../../src/contacts/erasure/erase.ts';
import { scrubDeals } from '../../../../src/contacts/erasure/scrub-deals.ts';
import { scrubTasks } from '../../../../src/contacts/erasure/scrub-tasks.ts';
import { Deal, DealContact } from '../../../../src/deals/deal.entity.ts';
import { CrmHistory } from '../../../../src/history/history.entity.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { Task } from '../../../../src/tasks/task.entity.ts';
import { contact } from '../../../support/factories/contact.ts';
import { dealRow } from '../../../support/factories/task-objects.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { historyOf } from '../../../support/rules/history.ts';
import { storeRow } from '../../../support/rules/rows.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const own = () => ownRows(house.database, house.organizationId);

/** By their name and by an external id of the same letters. */
const calledSo = (name: string, more: Partial<Remains>): Remains => ({
  ...{ ids: [], conversations: [], deals: [], tasks: [], goneTasks: [], records: [] },
  identities: [{ type: 'external_id', source: '', value: name.toLowerCase() }],
  names: [name],
  ...more,
});

const told = (id: string, kind: 'deal' | 'task', changes: object) =>
  storeRow(house.em(), house.organizationId, CrmHistory, {
    object_id: id,
    revision: 1,
    object_kind: kind,
    actor: 'system',
    changes: changes as never,
  });
const changesOf = async (id: string) => (await historyOf(house.em(), id))[0]!.changes;

test.each(['Title', 'Lost_Reason', 'Custom_Fields', 'Metadata', 'Roles', 'Role', 'From'])(
  'the deals of somebody called %s keep their words',
  async (name) => {
    const id = await dealRow(house.sql, house.organizationId);
    const other = (await contact(house.em(), house.organizationId)).id;
    const words = { title: `Lost ${name}`, lost_reason: `Lost ${name}`, custom_fields: { of: name } };
    await house.em().nativeUpdate(Deal, { id }, words);
    await storeRow(house.em(), house.organizationId, DealContact, { deal_id: id, contact_id: other, role: `Aide of ${name}` });
    await told(id, 'deal', { status: { from: null, to: name } });
    await scrubDeals(house.ledger.transact, own(), calledSo(name, { deals: [id] }));
    const deal = await house.em().findOneOrFail(Deal, { id });
    expect(deal.title).toBe('Lost [removed]');
    expect(deal.lost_reason).toBe('Lost [removed]');
    expect(deal.custom_fields).toEqual({ of: '[removed]' });
    expect(deal.metadata).toEqual({});
    expect(await house.em().find(DealContact, { deal_id: id })).toMatchObject([{ role: 'Aide of [removed]' }]);
    expect(await changesOf(id)).toEqual({ status: { from: null, to: '[removed]' } });
  },
);

test.each(['Title', 'Description', 'Text', 'Content', 'Link'])(
  'the tasks of somebody called %s keep their words, and their documents their nodes',
  async (name) => {
    const id = uuidv7();
    const document = (text: string) => ({
      type: 'prosemirror',
      json: {
        type: 'doc',
        content: [
          {
            type: 'paragraph',
            content: [{ type: 'text', text, marks: [{ type: 'link', attrs: { href: 'https://example.com/' } }] }],
          },
        ],
      },
    });
    await storeRow(house.em(), house.organizationId, Task, {
      id,
      title: `Call ${name}`,
      description: `Call ${name}`,
      description_rich: document(`Call ${name}`) as never,
    });
    await told(id, 'task', { status: { from: null, to: name } });
    await scrubTasks(house.ledger.transact, own(), calledSo(name, { tasks: [id] }));
    const task = await house.em().findOneOrFail(Task, { id });
    expect(task.title).toBe('Call [removed]');
    expect(task.description).toBe('Call [removed]');
    expect(task.description_rich).toEqual(document('Call [removed]'));
    expect(await changesOf(id)).toEqual({ status: { from: null, to: '[removed]' } });
  },
);
