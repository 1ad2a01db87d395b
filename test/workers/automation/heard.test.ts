import { expect, test } from '@jest/globals';
import type { Definition } from '../../../src/automation/definition/definition.ts';
import { automationPool } from '../../../src/automation/jobs.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { poolOf, setPool } from '../../../src/platform/ledger/pools.ts';
import { useApp } from '../../support/app.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ruleRows, ruleVersionRows, runRows } from '../../support/work/automation.ts';
import { eventRows } from '../../support/work/events.ts';

const app = useApp({ workers: true });

/** Those whose writers look before they write whether anybody listens, and of others. */
const types = [
  'message.new',
  'message.sent',
  'message.status_update',
  'conversation.created',
  'conversation.updated',
  'contact.created',
  'contact.updated',
  'record.created',
  'record.updated',
  'record.deleted',
];

async function live(event: string) {
  const id = uuidv7();
  const definition: Definition = {
    trigger: { type: 'event', event },
    conditions: null,
    steps: [{ id: 'end', type: 'stop' }],
    concurrency: 'each',
    exit_when: null,
    limits: {},
  };
  const { organizationId } = app.tenant;
  await ruleRows.add(app, {
    organization_id: organizationId,
    id,
    name: event,
    status: 'live',
    draft: definition,
    version: 1,
    event_type: event,
  });
  await ruleVersionRows.add(app, { organization_id: organizationId, rule_id: id, number: 1, definition });
}

/** A person writes and is answered; a record lives and dies. */
async function act() {
  const channel = await app.connect();
  const phone = app.phone();
  await app.inbound(channel, phone);
  const { id } = (await app.text(channel, phone)).body.data;
  await waitFor('the message', async () => (await app.message(id)).status === 'read' || undefined);
  const params = { objectKind: 'company' };
  const { body: made } = await app.call('crm.records.create', { params, body: { fields: { name: 'Acme' } } });
  const one = { ...params, recordID: made.id };
  await app.call('crm.records.update', { params: one, body: { fields: { name: 'Acme Ltd' } } });
  await app.call('crm.records.delete', { params: one });
  await app.idle();
}
const evaluated = () => app.log.lines.filter(({ job }) => job === 'automation.evaluate').length;
const eventsSince = (since: string) =>
  eventRows.all(app, { organization_id: app.tenant.organizationId, type: { $in: types }, seq: { $gt: since } }, ['id', 'type'], {
    id: 'asc',
  });

test('without a rule nothing is evaluated; with one for each type each event has one run, in whichever way it was written', async () => {
  const { organizationId } = app.tenant;
  await act();
  expect(await runRows.count(app)).toBe(0);
  expect(evaluated()).toBe(0);
  const before = await eventsSince('0');
  expect(new Set(before.map(({ type }) => type))).toEqual(new Set(types));

  await setPool(app.em(), poolOf(organizationId, automationPool(organizationId)), 20, null);
  for (const type of types) await live(type);
  const [last] = await eventRows.all(app, {}, ['seq'], { seq: 'desc' });
  await act();
  const events = await eventsSince(last!.seq);
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(types));
  const runs = await app.rows(
    `select r.event_id as id, e.type
       from automation_runs r
       join automation_rules a on a.id = r.rule_id
       join events e on e.id = r.event_id and e.type = a.event_type
      order by r.event_id`,
  );
  expect(runs).toEqual(events);
  expect(evaluated()).toBe(events.length);
});
