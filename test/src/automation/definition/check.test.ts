import { describe, expect, test } from '@jest/globals';
import type { Action } from '../../../../src/automation/actions/action.ts';
import { actions } from '../../../../src/automation/actions/index.ts';
import { conditionFaults } from '../../../../src/automation/conditions/faults.ts';
import { eventTypeOf, readDefinition, scopesOf } from '../../../../src/automation/definition/check.ts';
import type { Definition, Trigger } from '../../../../src/automation/definition/definition.ts';
import { readWith } from '../../../../src/automation/definition/read.ts';
import { conditionsIn, stepsIn } from '../../../../src/automation/definition/walk.ts';
import { httpRequest } from '../../../../src/automation/http/http-request.ts';
import { definitionOf, manyConditions, nested, tag } from './kit.ts';

const holds = { field: 'contact.name', operator: 'eq', value: 'Ada' };
const read = (steps: object[], more: object = {}): Definition => {
  const { definition, faults } = readDefinition(definitionOf(steps, more));
  expect(faults).toEqual([]);
  return definition!;
};

describe("an action's own example", () => {
  test.each([...actions.values()].map((action) => [action.type, action] as const))('of %s is a step', (type, { example }) => {
    // Some read what an earlier step gave.
    read([
      { id: 'task', type: 'set_vars', vars: { a: 1 } },
      { id: 'a', type, ...example },
    ]);
  });

  test.each([...actions.values()].map((action) => [action.type, action] as const))(
    'of %s, with a field more, is not',
    (type, { example }) => {
      const { faults } = readDefinition(
        definitionOf([
          { id: 'task', type: 'stop' },
          { id: 'a', type, ...example, sung: true },
        ]),
      );
      expect(faults).toEqual([expect.objectContaining({ field: 'steps[1].sung', code: 'object.unknown', location: 'body' })]);
    },
  );
});

test('the scopes of a rule are those of its actions, wherever they are, each once', () => {
  const given = [
    { ...tag('a'), on: 'contact' },
    {
      id: 'b',
      type: 'branch',
      branches: [{ conditions: holds, steps: [{ id: 'c', type: 'create_deal', title: 'x' }] }],
      else: [{ id: 'd', type: 'create_deal', title: 'y' }],
    },
    { id: 'e', type: 'wait', for: { days: 1 } },
  ];
  expect(scopesOf(read(given))).toEqual(['contacts:write', 'crm:write']);
  expect(scopesOf(read([{ id: 'a', type: 'stop' }]))).toEqual([]);
});

test.each<[Trigger, string | null]>([
  [{ type: 'event', event: 'deal.closed' }, 'deal.closed'],
  [{ type: 'keyword', match: 'exact', keywords: ['a'] }, 'message.new'],
  [{ type: 'api', name: 'a' }, 'automation.event'],
  [{ type: 'manual' }, null],
  [{ type: 'schedule', cron: '0 9 * * *' }, null],
  [{ type: 'date', kind: 'contact', field: 'created_at' }, null],
])('a rule with the trigger %j listens to %s', (trigger, expected) => {
  expect(eventTypeOf(trigger)).toBe(expected);
});

test('all steps and all conditions are walked over, with their paths', () => {
  const definition = read(
    [
      tag('a'),
      {
        id: 'b',
        type: 'wait_for',
        event: 'message.new',
        conditions: holds,
        timeout: { days: 1 },
        on_event: [tag('c')],
        on_timeout: nested(2),
      },
    ],
    { conditions: holds, exit_when: holds },
  );
  const pathOf = ({ path }: { path: (string | number)[] }) => path.join('.');
  expect([...stepsIn(definition.steps)].map(pathOf)).toEqual([
    'steps.0',
    'steps.1',
    'steps.1.on_event.0',
    'steps.1.on_timeout.0',
    'steps.1.on_timeout.0.branches.0.steps.0',
    'steps.1.on_timeout.0.branches.0.steps.0.branches.0.steps.0',
  ]);
  expect([...conditionsIn(definition)].map(pathOf)).toEqual([
    'conditions',
    'steps.1.conditions',
    'steps.1.on_timeout.0.branches.0.conditions',
    'steps.1.on_timeout.0.branches.0.steps.0.branches.0.conditions',
    'exit_when',
  ]);
});

describe('a call outside', () => {
  const withCalls = { actions: new Map(actions).set(httpRequest.type, httpRequest as unknown as Action), conditionFaults };
  const faultsOf = (fields: object) =>
    readWith(withCalls, definitionOf([{ id: 'a', type: 'http_request', ...fields }])).faults.map(({ field }) => field);

  test.each([
    'https://127.0.0.1/x',
    'https://[::1]/',
    'https://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'https://192.168.1.1:8443/',
    'https://0x7f000001/',
    'http://example.com/',
    'ftp://example.com/',
    'https://user:secret@example.com/',
    'example.com',
  ])('to %s is refused when it is saved', (url) => {
    expect(faultsOf({ url })).toEqual(['steps[0].url']);
  });

  test('to a system of yours is saved, with its secret', () => {
    expect(faultsOf(httpRequest.example)).toEqual([]);
  });

  test('to where Liquid says is judged when it is made', () => {
    expect(faultsOf({ url: 'https://{{ contact.custom_fields.shop }}.example.com/' })).toEqual([]);
  });

  test('has all its faults told', () => {
    const fields = { url: 'https://127.0.0.1/', method: 'BREW', headers: { Host: 'x' }, timeout_ms: 10_001, retries: 3 };
    const places = ['url', 'method', 'headers', 'timeout_ms', 'retries'].map((name) => `steps[0].${name}`);
    expect(faultsOf(fields).sort()).toEqual(places.sort());
  });
});

test('a rule of thousands of conditions is valid', () => {
  expect(readDefinition(manyConditions()).faults).toEqual([]);
});

test('a step tells at most 100 of its unknown fields, and of a list that is too long nothing more', () => {
  const unknown = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`k${index}`, 1]));
  const faultsOf = (step: object) => readDefinition(definitionOf([{ id: 'a', ...step }])).faults;
  const ofFields = faultsOf({ type: 'stop', ...unknown });
  expect(ofFields).toHaveLength(100);
  expect(ofFields[0]).toMatchObject({ field: 'steps[0].k0', code: 'object.unknown' });
  const targets = Array(9_000).fill({});
  expect(faultsOf({ ...actions.get('create_task')!.example, type: 'create_task', targets })).toEqual([
    expect.objectContaining({ field: 'steps[0].targets', code: 'array.max' }),
  ]);
});
