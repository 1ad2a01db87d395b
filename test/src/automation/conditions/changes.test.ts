import { expect, test } from '@jest/globals';
import type { Conditions } from '../../../../src/automation/conditions/conditions.ts';
import { holds } from '../../../../src/automation/conditions/evaluate.ts';
import { loadFacts } from '../../../../src/automation/conditions/facts.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { useApp } from '../../../support/app.ts';
import { pipeline } from '../../../support/factories/pipeline.ts';
import { eventsOf } from '../../../support/rules/events.ts';

const app = useApp({});
const clock = { now: new Date(), hours: [], timezone: 'UTC' };

/** Asked of the last event of this type about the object. */
async function asked(type: string, id: string, conditions: Conditions): Promise<boolean> {
  const event = (await eventsOf(app.em(), id, type)).at(-1)!;
  const own = ownRows(app.web.deps.database, app.tenant.organizationId);
  const refs = { eventId: event.id, subjectType: 'deal' as const, subjectId: id, contactId: null };
  return holds(conditions, await loadFacts(own, refs, new Set(['event', 'deal'])), clock).holds;
}

test('what a deal was before is read from the history of the event', async () => {
  const { key, organizationId } = app.tenant;
  const { stages } = await pipeline(app.em(), organizationId);
  const body = { title: 'Old', amount_minor: '100', currency_code: 'EUR', custom_fields: { seats: 4 }, stage_id: stages.first };
  const { body: deal } = await app.call('crm.deals.create', { key, body });
  const patch = { amount_minor: '250', custom_fields: { seats: 5 } };
  const { status } = await app.call('crm.deals.update', { key, params: { dealID: deal.id }, body: patch });
  expect(status).toBe(200);
  const updated = (conditions: Conditions) => asked('deal.updated', deal.id, conditions);
  expect(await updated({ field: 'deal.amount_minor', operator: 'changed' })).toBe(true);
  expect(await updated({ field: 'deal.amount_minor', operator: 'changed_from', value: 100 })).toBe(true);
  expect(await updated({ field: 'deal.amount_minor', operator: 'changed_to', value: '250' })).toBe(true);
  expect(await updated({ field: 'deal.custom_fields.seats', operator: 'changed_from', value: 4 })).toBe(true);
  expect(await updated({ field: 'deal.title', operator: 'changed' })).toBe(false);

  await app.call('crm.deals.move', { key, params: { dealID: deal.id }, body: { stage_id: stages.won } });
  const moved = (conditions: Conditions) => asked('deal.stage_changed', deal.id, conditions);
  expect(await moved({ field: 'deal.stage_id', operator: 'changed_from', value: stages.first })).toBe(true);
  expect(await moved({ field: 'deal.stage_id', operator: 'changed_to', value: stages.won })).toBe(true);
  expect(await moved({ field: 'deal.stage_id', operator: 'changed_to', value: stages.lost })).toBe(false);
});
