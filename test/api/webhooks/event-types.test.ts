import { expect, test } from '@jest/globals';
import { eventTypes } from '../../../src/platform/events/catalogue.ts';
import { type Body, useApp } from '../../support/app.ts';

const app = useApp();

test('every type of the catalogue, with the schema of its body and an example that has its shape', async () => {
  const { status, body } = await app.call('webhooks.event-types.list');
  expect([status, body.meta]).toEqual([200, { has_more: false, limit: eventTypes.length }]);
  expect(body.items.map(({ type }: Body) => type)).toEqual(eventTypes);
  for (const { type, description, schema, example } of body.items as Body[]) {
    expect(description.length).toBeGreaterThan(5);
    expect(example.type).toBe(type);
    expect(schema.required.sort()).toEqual(Object.keys(example).sort());
    expect(Object.keys(schema.properties.data.properties)).toEqual(expect.arrayContaining(Object.keys(example.data)));
    expect(Object.keys(example.data)).toEqual(expect.arrayContaining(schema.properties.data.required ?? []));
  }
});

test('each is one that an endpoint may listen to', async () => {
  const { body } = await app.call('webhooks.event-types.list');
  const event_types = body.items.map(({ type }: Body) => type);
  const created = await app.call('webhooks.endpoints.create', { body: { url: 'https://example.com/', event_types } });
  expect(created.status).toBe(201);
});
