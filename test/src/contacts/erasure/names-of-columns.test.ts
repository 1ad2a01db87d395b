import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Remains } from '../../../../src/contacts/erasure/erase.ts';
import { scrubDeals } from '../../../../src/contacts/erasure/scrub-deals.ts';
import { scrubTasks } from '../../../../src/contacts/erasure/scrub-tasks.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { contact } from '../../../support/factories/contact.ts';
import { dealRow } from '../../../support/factories/task-objects.ts';
import { type House, openHouse } from '../../../support/house.ts';

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

const told = (id: string, kind: string, changes: object) =>
  house.sql(
    `insert into crm_history (organization_id, object_id, revision, object_kind, actor, changes) values ($1, $2, 1, $3, 'system', $4)`,
    [house.organizationId, id, kind, changes],
  );
const historyOf = async (id: string) =>
  (await house.sql<{ changes: object }>('select changes from crm_history where object_id = $1', [id]))[0]!.changes;

test.each(['Title', 'Lost_Reason', 'Custom_Fields', 'Metadata', 'Roles', 'Role', 'From'])(
  'the deals of somebody called %s keep their words',
  async (name) => {
    const id = await dealRow(house.sql, house.organizationId);
    const other = (await contact(house.em(), house.organizationId)).id;
    await house.sql('update deals set title = $2, lost_reason = $2, custom_fields = $3 where id = $1', [
      id,
      `Lost ${name}`,
      { of: name },
    ]);
    await house.sql(`insert into deal_contacts (organization_id, deal_id, contact_id, role) values ($1, $2, $3, $4)`, [
      house.organizationId,
      id,
      other,
      `Aide of ${name}`,
    ]);
    await told(id, 'deal', { status: { from: null, to: name } });
    await scrubDeals(house.ledger.transact, own(), calledSo(name, { deals: [id] }));
    const [deal] = await house.sql('select title, lost_reason, custom_fields, metadata from deals where id = $1', [id]);
    expect(deal).toEqual({
      title: 'Lost [removed]',
      lost_reason: 'Lost [removed]',
      custom_fields: { of: '[removed]' },
      metadata: {},
    });
    expect(await house.sql('select role from deal_contacts where deal_id = $1', [id])).toEqual([{ role: 'Aide of [removed]' }]);
    expect(await historyOf(id)).toEqual({ status: { from: null, to: '[removed]' } });
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
    await house.sql(
      'insert into crm_tasks (organization_id, id, title, description, description_rich) values ($1, $2, $3, $3, $4)',
      [house.organizationId, id, `Call ${name}`, document(`Call ${name}`)],
    );
    await told(id, 'task', { status: { from: null, to: name } });
    await scrubTasks(house.ledger.transact, own(), calledSo(name, { tasks: [id] }));
    const [task] = await house.sql('select title, description, description_rich from crm_tasks where id = $1', [id]);
    expect(task).toEqual({
      title: 'Call [removed]',
      description: 'Call [removed]',
      description_rich: document('Call [removed]'),
    });
    expect(await historyOf(id)).toEqual({ status: { from: null, to: '[removed]' } });
  },
);
