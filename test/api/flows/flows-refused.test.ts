import { expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { flowBody, jsonFlow, screen, visual } from '../../support/flow-bodies.ts';
import { storedFlowVersions } from '../../support/stored/flows.ts';
import { storedState } from '../../support/stored.ts';

const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: '0' } });

const create = (more: object = {}) => app.call('flows.create', { body: flowBody(more) });
const made = async (more: object = {}): Promise<Body> => {
  const { status, body } = await create(more);
  expect([status, body.error]).toEqual([201, undefined]);
  return body;
};
const get = async (id: string) => (await app.call('flows.get', { params: { flowID: id } })).body;
const fieldsOf = ({ body }: { body: Body }) => body.error.details.map(({ field }: Body) => field);

test.each([
  ['neither document', { builder_json: undefined }, []],
  [
    'mode json without a document',
    { builder_json: { mode: 'json', flow: { id: 'a', name: 'A', screens: null } } },
    ['flow_json'],
  ],
  ['a document in mode visual', { flow_json: {} }, ['flow_json']],
  [
    'screens in mode json',
    { builder_json: { ...visual([screen('FIRST')]), mode: 'json' }, flow_json: {} },
    ['builder_json.flow.screens'],
  ],
  ['no mode', { builder_json: { flow: visual([]).flow } }, ['builder_json.mode']],
  ['no flow', { builder_json: { mode: 'visual' } }, ['builder_json.flow']],
  ['no screens', { builder_json: { mode: 'visual', flow: { id: 'a', name: 'A' } } }, ['builder_json.flow.screens']],
  [
    'a component without type',
    { builder_json: visual([screen('FIRST', { components: [{ id: 'a' }] })]) },
    ['builder_json.flow.screens[0].components[0].type'],
  ],
  [
    'an option without label',
    {
      builder_json: visual([screen('FIRST', { components: [{ id: 'a', type: 'radio', label: 'A', options: [{ id: '1' }] }] })]),
    },
    ['builder_json.flow.screens[0].components[0].options[0].label'],
  ],
  ['an unknown property', { builder_json: { ...visual([]), colour: 'red' } }, ['builder_json.colour']],
  ['`__proto__` as id', { builder_json: visual([screen('__proto__')]) }, ['builder_json.flow.screens[0].id']],
  ['an old version', { json_version: '2.1' }, ['json_version']],
  ['a version to come', { json_version: '99.0' }, ['json_version']],
  ['a number as version', { json_version: 7.2 }, ['json_version']],
  [
    'another version than the document says',
    { ...jsonFlow({ version: '7.0' }), builder_json: undefined, json_version: '7.1' },
    ['json_version'],
  ],
  ['NUL', { name: 'a\u0000b' }, ['name']],
  ['half a surrogate pair', { name: 'a\ud800b' }, ['name']],
  ['NUL in the document', jsonFlow({ title: '\u0000' }), ['flow_json.title']],
  ['a key `__proto__`', jsonFlow(JSON.parse('{"__proto__": {}}')), ['flow_json.__proto__']],
  ['no name', { name: '' }, ['name']],
  ['201 characters', { name: 'x'.repeat(201) }, ['name']],
  ['an unknown category', { category: 'weather' }, ['category']],
  ['a list as document', { builder_json: undefined, flow_json: [] }, ['flow_json']],
  ['a malformed channel', { channel_id: 'x' }, ['channel_id']],
  ['a private address', { data_exchange: { url: 'https://10.0.0.1/' } }, ['data_exchange.url']],
  ['an address without its path to us', { data_exchange: { headers: {} } }, ['data_exchange.url']],
  [
    'a reserved header',
    { data_exchange: { url: 'https://example.com', headers: { Host: 'a' } } },
    ['data_exchange.headers.Host'],
  ],
])('%s: 422 at its place, and nothing is stored', async (_what, more, fields) => {
  const before = await storedState(app);
  const reply = await create({ name: 'Bad', ...more });
  expect([reply.status, reply.body.error.code]).toEqual([422, 'invalid_request']);
  if (fields.length > 0) expect([...new Set(fieldsOf(reply))]).toEqual(fields);
  expect(await storedState(app)).toBe(before);
});

test.each([
  [10_000, 'body.values'],
  [5_000, 'object.depth'],
])('nested %i levels: 422, and nothing is stored', async (levels, code) => {
  const before = await storedState(app);
  const deep = `{"name": "Deep", "category": "other", "flow_json": ${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`;
  const reply = await app.raw('POST', '/v1/flows', { headers: { 'content-type': 'application/json' }, body: deep });
  expect([reply.status, reply.body.error.details[0].code]).toEqual([422, code]);
  expect(await storedState(app)).toBe(before);
});

test('`constructor` as id works like any other', async () => {
  const components = [{ id: 'constructor', type: 'text_input', label: 'Name' }];
  const flow = await made({ name: 'Builder', builder_json: visual([screen('constructor', { components })]) });
  expect(flow.validation_errors).toEqual([]);
  const stored = await storedFlowVersions.one(app, { flow_id: flow.id }, ['labels']);
  expect(stored.labels).toEqual({ constructor: { label: 'Name' } });
});

test.each([
  ['two screens of one id', [screen('FIRST'), screen('FIRST')]],
  ['a target that is nowhere', [screen('FIRST', { actions: [{ label: 'Next', type: 'navigate', target: 'NOWHERE' }] })]],
  ['a screen that nobody reaches', [screen('FIRST'), screen('SECOND')]],
  ['a way that never completes', [screen('FIRST', { actions: null })]],
  ['`SUCCESS` as id', [screen('SUCCESS')]],
  ['a label of 21 characters', [screen('FIRST', { components: [{ id: 'a', type: 'text_input', label: 'x'.repeat(21) }] })]],
])('%s: saved, and the draft shows the fault', async (what, screens) => {
  const flow = await made({ name: what, builder_json: visual(screens) });
  expect(flow.validation_errors.filter(({ severity }: Body) => severity === 'error')).not.toEqual([]);
  expect(flow.validation_errors[0].path).toMatch(/^builder_json\.flow/);
  expect(await get(flow.id)).toEqual(flow);
});
