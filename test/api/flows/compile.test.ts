import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { flowBody, jsonFlow, screen, visual } from '../../support/flow-bodies.ts';
import { storedFlows } from '../../support/stored/flows.ts';
import { storedState } from '../../support/stored.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });
const compile = (body: object) => app.call('flows.compile', { body });
const two = [screen('FIRST', { actions: [{ label: 'Next', type: 'navigate', target: 'SECOND' }] }), screen('SECOND')];

test('screens become the document that a flow of them has, and nothing is stored', async () => {
  const before = await storedState(app);
  const { status, body } = await compile({ builder_json: visual(two), json_version: '7.0' });
  expect([status, body.validation_errors, body.flow_json.version]).toEqual([200, [], '7.0']);
  expect(await storedState(app)).toBe(before);
  const flow = (await app.call('flows.create', { body: flowBody({ builder_json: visual(two), json_version: '7.0' }) })).body;
  expect(flow.flow_json).toEqual(body.flow_json);
});

test('faults are named at their place in the screens', async () => {
  const { body } = await compile({ builder_json: visual([screen('FIRST', { title: '' })]) });
  expect(body.validation_errors).toEqual([
    expect.objectContaining({ source: 'kanal', severity: 'error', path: 'builder_json.flow.screens[0].title' }),
  ]);
});

test.each([
  ['mode json', { builder_json: { mode: 'json', flow: { id: 'a', name: 'A', screens: null } } }, 'builder_json.mode'],
  ['no screens', { builder_json: { mode: 'visual', flow: { id: 'a', name: 'A' } } }, 'builder_json.flow.screens'],
  ['an unknown version', { builder_json: visual(two), json_version: '8.0' }, 'json_version'],
  ['nothing', {}, 'builder_json'],
])('%s: 422', async (_what, body, field) => {
  const reply = await compile(body);
  expect([reply.status, reply.body.error.details[0].field]).toEqual([422, field]);
});

test('a stored flow is checked again, with what the provider said of it', async () => {
  const validate = async (id: string) => (await app.call('flows.validate', { params: { flowID: id } })).body;
  const visualFlow = (
    await app.call('flows.create', { body: flowBody({ builder_json: visual([screen('FIRST', { title: '' })]) }) })
  ).body;
  expect(await validate(visualFlow.id)).toEqual({ validation_errors: visualFlow.validation_errors });
  const own = (await app.call('flows.create', { body: flowBody(jsonFlow({ version: '7.2', screens: [{ id: 'SUCCESS' }] })) }))
    .body;
  const told = { ...own.validation_errors[0], source: 'provider', message: 'In its own words' };
  await storedFlows.change(app, own.id, { provider_faults: [told] });
  expect(await validate(own.id)).toEqual({ validation_errors: [...own.validation_errors, told] });
  const body = { colour: 'red' };
  expect((await app.call('flows.validate', { params: { flowID: own.id }, body })).status).toBe(422);
});
