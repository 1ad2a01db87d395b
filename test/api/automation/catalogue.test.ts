import { beforeAll, describe, expect, test } from '@jest/globals';
import { readDefinition } from '../../../src/automation/definition/check.ts';
import { eventTypes } from '../../../src/platform/events/catalogue.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { objectType } from '../../support/factories/object-type.ts';

const app = useApp();
let tenant: Tenant;
let catalogue: Body;
beforeAll(async () => {
  tenant = await app.organization();
  await objectType(app, tenant.organizationId, { kind: 'car', fields: [{ name: 'colour', type: 'text' }] });
  const { status, body } = await app.call('automation.catalogue', { key: tenant.key });
  expect(status).toBe(200);
  catalogue = body;
});

const named = (list: { type: string }[]) => list.map(({ type }) => type);

test('it has every trigger, and its example is a trigger', () => {
  expect(named(catalogue.triggers)).toEqual(['event', 'keyword', 'schedule', 'date', 'manual', 'api']);
  for (const { example } of catalogue.triggers) expect(readDefinition({ trigger: example }).faults).toEqual([]);
});

test('it has every event but those about rules, with the schema of its data', () => {
  const aboutRules = ['automation.run.failed', 'automation.rule.paused', 'automation.rule.held'];
  expect(named(catalogue.events)).toEqual(eventTypes.filter((type) => !aboutRules.includes(type)));
  for (const { type, data, example } of catalogue.events) {
    expect([type, Object.keys(data.properties)]).toEqual([type, expect.arrayContaining(Object.keys(example))]);
  }
});

test('it has every step, with a schema that names the fields of its example', () => {
  expect(named(catalogue.steps)).toEqual(
    expect.arrayContaining([
      'wait',
      'wait_for',
      'branch',
      'stop',
      'set_vars',
      'send_message',
      'add_tag',
      'create_task',
      'move_deal',
    ]),
  );
  expect(new Set(named(catalogue.steps)).size).toBe(catalogue.steps.length);
  for (const { type, schema, example } of catalogue.steps) {
    const { id: _, type: __, ...fields } = example;
    expect([type, Object.keys(schema.properties)]).toEqual([type, expect.arrayContaining(Object.keys(fields))]);
  }
});

describe('each example of a step is a step', () => {
  test('of a rule', () => {
    for (const { type, example } of catalogue.steps) {
      // Some read what an earlier step gave.
      const before = { id: 'task', type: 'set_vars', vars: { a: 1 } };
      const { faults } = readDefinition({ trigger: { type: 'manual' }, steps: [before, example] });
      expect([type, faults]).toEqual([type, []]);
    }
  });
});

test('it has the fields of conditions, those of the kinds of records too', () => {
  const field = (name: string) => catalogue.conditions.fields.find((one: { name: string }) => one.name === name);
  expect(field('contact.name')).toMatchObject({ type: 'text', operators: expect.arrayContaining(['eq', 'contains']) });
  expect(field('deal.status')).toMatchObject({ values: ['open', 'won', 'lost'] });
  expect(field('record.colour')).toMatchObject({ type: 'text' });
});

test('the fields of the kinds of records are for who may read kinds', async () => {
  const { key } = await app.key(tenant.organizationId, ['automation:read']);
  const { status, body } = await app.call('automation.catalogue', { key });
  expect(status).toBe(200);
  const names = body.conditions.fields.map(({ name }: { name: string }) => name);
  expect(names).toContain('record.id');
  expect(names).not.toContain('record.colour');
});

test('another organization has its own kinds', async () => {
  const { body } = await app.call('automation.catalogue', { key: (await app.organization()).key });
  expect(body.conditions.fields.map(({ name }: { name: string }) => name)).not.toContain('record.colour');
});

test('it has the limits, and what Liquid may do', () => {
  expect(catalogue.limits).toMatchObject({ steps: 50, depth: 5, wait_days: 365, definition_bytes: 262_144, chain: 5 });
  expect(catalogue.liquid).toMatchObject({
    tags: ['if', 'unless', 'case', 'assign'],
    filters: expect.arrayContaining(['default']),
  });
  expect(catalogue.liquid.variables.contact).toContain('custom_fields');
});
