import { describe, expect, test } from '@jest/globals';
import { readWith } from '../../../../src/automation/definition/read.ts';
import { maxDetails } from '../../../../src/platform/errors.ts';
import { definitionOf, holds, kit, largeDefinitions, nested, tag, triggered } from './kit.ts';

const faultsOf = (given: unknown) => readWith(kit, given).faults.map(({ field, code }) => `${field}: ${code}`);
const schedule = (cron: string, more: object = {}) => triggered({ type: 'schedule', cron, ...more });
const waiting = (step: object) => definitionOf([{ id: 'w', type: 'wait', ...step }]);

test('a whole definition is read as it is given', () => {
  const given = {
    trigger: { type: 'event', event: 'deal.stage_changed' },
    conditions: holds,
    steps: [
      tag('a'),
      { id: 'b', type: 'wait', for: { days: 365 }, business_hours: true, recheck: false },
      { id: 'c', type: 'wait', until: '{{ deal.expected_close_at }}' },
      {
        id: 'd',
        type: 'wait_for',
        event: 'message.new',
        conditions: holds,
        timeout: { hours: 1, seconds: 1 },
        on_event: [{ id: 'e', type: 'stop', reason: 'They wrote' }],
        on_timeout: [tag('f')],
      },
      {
        id: 'g',
        type: 'branch',
        branches: [{ conditions: holds, steps: [tag('h', '{{ steps.a.tag }}')] }],
        else: [{ id: 'i', type: 'set_vars', vars: { plan: ['{{ event.deal_id }}', 1, null] } }],
      },
      { id: 'j', type: 'call', url: 'https://{{ secrets.HOST }}/x', body: { any: ['{{ vars.plan }}', true] } },
    ],
    concurrency: 'each',
    exit_when: holds,
    limits: { starts_per_hour: 1, steps: 1_000, allow_reentry: true },
  };
  expect(readWith(kit, given)).toEqual({ definition: given, faults: [] });
});

test('what is left out has its usual value', () => {
  expect(readWith(kit, { trigger: { type: 'manual' } }).definition).toEqual({
    trigger: { type: 'manual' },
    conditions: null,
    steps: [],
    concurrency: 'skip',
    exit_when: null,
    limits: {},
  });
});

describe('a trigger is read:', () => {
  test.each([
    [{ type: 'event', event: 'automation.event' }],
    [{ type: 'keyword', match: 'contains', keywords: ['price', 'Preis'] }],
    [{ type: 'schedule', cron: '*/6 9-17 * * mon-fri', timezone: 'Asia/Jakarta', for_each: { kind: 'contact', tags: ['a'] } }],
    [{ type: 'schedule', cron: '* * * * *' }],
    ...['contact', 'conversation', 'deal', 'task'].map((kind): [object] => [
      {
        type: 'schedule',
        cron: '0 9 * * *',
        for_each: { kind, search: 'ada', filters: [{ field: 'created_at', operator: 'gt', value: '2026-01-01' }] },
      },
    ]),
    [{ type: 'schedule', cron: '0 0 29 2 *' }],
    [{ type: 'schedule', cron: '0 9 1 * *', for_each: { kind: 'car', filters: [{ field: 'colour', value: 'red' }] } }],
    [{ type: 'date', kind: 'contact', field: 'custom_fields.birthday', offset_days: -7, at: '08:30', repeat: 'yearly' }],
    [{ type: 'manual', subject: 'deal' }],
    [{ type: 'api', name: 'trial.started' }],
  ])('%j', (trigger) => {
    expect(readWith(kit, triggered(trigger))).toMatchObject({ definition: { trigger }, faults: [] });
  });
});

describe('a fault has its path:', () => {
  const fifty = Array.from({ length: 50 }, (_, n) => tag(`s${n}`));

  test.each<[string, unknown, string[]]>([
    ['no object', null, [': object.base']],
    ['no trigger', { steps: [] }, ['trigger: any.required']],
    ['an unknown member', definitionOf([], { step: [] }), ['step: object.unknown']],
    ['an unknown trigger', triggered({ type: 'moon' }), ['trigger.type: trigger.type_unknown']],
    ['a trigger without a type', triggered({}), ['trigger.type: trigger.type_unknown']],
    ['an unknown event', triggered({ type: 'event', event: 'deal.sung' }), ['trigger.event: any.only']],
    ['an event about rules', triggered({ type: 'event', event: 'automation.run.failed' }), ['trigger.event: any.only']],
    ["another trigger's field", triggered({ type: 'manual', cron: '* * * * *' }), ['trigger.cron: object.unknown']],
    [
      'keywords',
      triggered({ type: 'keyword', match: 'like', keywords: ['a', 'a', ''] }),
      ['trigger.match: any.only', 'trigger.keywords[2]: string.empty', 'trigger.keywords[1]: array.unique'],
    ],
    ['no keyword', triggered({ type: 'keyword', match: 'exact', keywords: [] }), ['trigger.keywords: array.min']],
    ['a cron of six fields', schedule('0 0 9 * * 1'), ['trigger.cron: cron.fields']],
    ['a cron of a word', schedule('@daily'), ['trigger.cron: cron.fields']],
    ['a cron of no numbers', schedule('a b c d e'), ['trigger.cron: cron.invalid']],
    ['a minute 60', schedule('60 * * * *'), ['trigger.cron: cron.invalid']],
    ['30 February', schedule('0 0 30 2 *'), ['trigger.cron: cron.never']],
    [
      'every minute for each of a list',
      schedule('* * * * *', { for_each: { kind: 'contact' } }),
      ['trigger.cron: cron.too_often'],
    ],
    [
      'more often than a subject may start',
      { ...schedule('0,30 * * * *', { for_each: { kind: 'contact' } }), limits: { starts_per_hour: 1 } },
      ['trigger.cron: cron.too_often'],
    ],
    ['an unknown zone', schedule('0 9 * * *', { timezone: 'Mars/Olympus' }), ['trigger.timezone: timezone.unknown']],
    [
      'an unknown field of a list, and an unknown operator',
      schedule('0 9 * * *', {
        for_each: {
          kind: 'deal',
          filters: [{ field: 'colour', value: 1 }],
          any: [[{ field: 'status', operator: 'is', value: 'open' }]],
        },
      }),
      ['trigger.for_each.filters[0].field: any.only', 'trigger.for_each.any[0][0].operator: any.only'],
    ],
    [
      'more filters and tags than a list takes',
      schedule('0 9 * * *', {
        for_each: {
          kind: 'contact',
          filters: [{ field: 'name', value: 'x' }],
          tags: Array.from({ length: 20 }, (_, n) => `tag ${n}`),
        },
      }),
      ['trigger.for_each.filters: array.max'],
    ],
    [
      'tags of deals',
      schedule('0 9 * * *', { for_each: { kind: 'deal', tags: ['a'] } }),
      ['trigger.for_each.tags: for_each.contacts_only'],
    ],
    [
      'a date',
      triggered({ type: 'date', kind: 'Contact', field: '', offset_days: 1.5, at: '25:00', repeat: 'daily' }),
      [
        'trigger.kind: string.pattern.base',
        'trigger.field: string.empty',
        'trigger.offset_days: number.integer',
        'trigger.at: string.pattern.name',
        'trigger.repeat: any.only',
      ],
    ],
    ['a date that is none', triggered({ type: 'date', kind: 'deal', field: 'amount_minor' }), ['trigger.field: date.field']],
    [
      'a date of conversations',
      triggered({ type: 'date', kind: 'conversation', field: 'created_at' }),
      ['trigger.kind: kind.unknown'],
    ],
    ['a name with a space', triggered({ type: 'api', name: 'trial started' }), ['trigger.name: string.pattern.base']],
    [
      'conditions that are none',
      definitionOf([], { conditions: 7, exit_when: [] }),
      ['conditions: condition', 'exit_when: condition'],
    ],
    ['concurrency', definitionOf([], { concurrency: 'many' }), ['concurrency: any.only']],
    [
      'limits',
      definitionOf([], { limits: { starts_per_hour: 11, steps: 0, allow_reentry: 'yes' } }),
      ['limits.starts_per_hour: number.max', 'limits.steps: number.min', 'limits.allow_reentry: boolean.base'],
    ],
    ['steps that are no list', definitionOf('[]'), ['steps: array.base']],
    ['a step that is no object', definitionOf([tag('a'), 'x', null]), ['steps[1]: object.base', 'steps[2]: object.base']],
    ['an unknown action', definitionOf([tag('a'), { id: 'b', type: 'sing' }]), ['steps[1].type: step.type_unknown']],
    ['no type', definitionOf([{ id: 'b' }]), ['steps[0].type: step.type_unknown']],
    [
      'no id',
      definitionOf([{ type: 'add_tag', tag: 'x' }, { type: 'stop' }]),
      ['steps[0].id: any.required', 'steps[1].id: any.required'],
    ],
    ['an id with a space', definitionOf([tag('a b')]), ['steps[0].id: string.pattern.base']],
    [
      'a step id twice, in a branch',
      definitionOf([tag('a'), { id: 'b', type: 'branch', branches: [{ conditions: holds, steps: [tag('a')] }] }]),
      ['steps[1].branches[0].steps[0].id: step.id_twice'],
    ],
    [
      "a field of an action that it lacks, and one of another's",
      definitionOf([{ id: 'a', type: 'add_tag', text: 'x' }]),
      ['steps[0].tag: any.required', 'steps[0].text: object.unknown'],
    ],
    ['depth 6', definitionOf(nested(6)), [`steps[0]${'.branches[0].steps[0]'.repeat(5)}.branches[0].steps: steps.too_deep`]],
    ['51 steps', definitionOf([...fifty, tag('more')]), ['steps: steps.too_many']],
    [
      '51 steps, some in a branch',
      definitionOf([...fifty.slice(1), { id: 'x', type: 'branch', branches: [{ conditions: holds, steps: [tag('more')] }] }]),
      ['steps: steps.too_many'],
    ],
    ['a wait of 0 s', waiting({ for: { seconds: 0 } }), ['steps[0].for: wait.too_short']],
    ['a wait of nothing', waiting({ for: {} }), ['steps[0].for: wait.too_short']],
    ['a wait of 366 days', waiting({ for: { days: 366 } }), ['steps[0].for: wait.too_long']],
    ['a wait of 365 days and a second', waiting({ for: { days: 365, seconds: 1 } }), ['steps[0].for: wait.too_long']],
    ['a wait of half an hour, badly', waiting({ for: { hours: 0.5 } }), ['steps[0].for.hours: number.integer']],
    ['a wait for and until', waiting({ for: { days: 1 }, until: '2027-01-01' }), ['steps[0]: object.xor']],
    ['a wait for neither', waiting({ recheck: false }), ['steps[0]: object.missing']],
    ['a wait until no time', waiting({ until: 'tomorrow' }), ['steps[0].until: string.isoDate']],
    [
      'a wait for an unknown event',
      definitionOf([{ id: 'a', type: 'wait_for', event: 'x', timeout: { days: 366 } }]),
      ['steps[0].event: any.only', 'steps[0].timeout: wait.too_long'],
    ],
    [
      'a branch without conditions',
      definitionOf([tag('a'), tag('b'), tag('c'), { id: 'd', type: 'branch', branches: [{ steps: [] }] }]),
      ['steps[3].branches[0].conditions: any.required'],
    ],
    [
      'a branch whose conditions are null or none',
      definitionOf([
        {
          id: 'd',
          type: 'branch',
          branches: [
            { conditions: null, steps: [] },
            { conditions: {}, steps: [] },
          ],
        },
      ]),
      ['steps[0].branches[0].conditions: any.invalid', 'steps[0].branches[1].conditions: condition'],
    ],
    ['no branch', definitionOf([{ id: 'd', type: 'branch', branches: [] }]), ['steps[0].branches: array.min']],
    [
      'faults in all lists of steps',
      definitionOf([
        { id: 'a', type: 'branch', branches: [{ conditions: holds, steps: [1] }], else: [2] },
        { id: 'b', type: 'wait_for', event: 'message.new', timeout: { days: 1 }, on_event: [3], on_timeout: [4], conditions: 5 },
      ]),
      [
        'steps[0].branches[0].steps[0]: object.base',
        'steps[0].else[0]: object.base',
        'steps[1].conditions: condition',
        'steps[1].on_event[0]: object.base',
        'steps[1].on_timeout[0]: object.base',
      ],
    ],
    [
      'a variable with a capital',
      definitionOf([{ id: 'a', type: 'set_vars', vars: { Plan: 1 } }]),
      ['steps[0].vars.Plan: object.unknown'],
    ],
  ])('%s', (_title, given, expected) => {
    expect(faultsOf(given)).toEqual(expected);
  });

  test('all at once', () => {
    const given = {
      trigger: { type: 'event', event: 'x' },
      conditions: 1,
      steps: [
        { id: 'a', type: 'add_tag' },
        { id: 'a', type: 'wait', for: { days: 400 } },
        { id: 'b', type: 'nothing' },
      ],
      concurrency: 'x',
    };
    expect(faultsOf(given)).toEqual([
      'concurrency: any.only',
      'trigger.event: any.only',
      'conditions: condition',
      'steps[0].tag: any.required',
      'steps[1].for: wait.too_long',
      'steps[1].id: step.id_twice',
      'steps[2].type: step.type_unknown',
    ]);
  });
});

describe('fields around Liquid:', () => {
  const deal = (fields: object) => definitionOf([tag('first'), { id: 'a', type: 'create_deal', title: 'x', ...fields }]);

  test.each<[string, unknown, string[]]>([
    [
      'a text, a number and a boolean',
      definitionOf([
        { id: 'a', type: 'add_tag', tag: `{{ contact.name }}${' '.repeat(99)}`, silent: '{{ vars.a }}', times: '{{ vars.b }}' },
      ]),
      [],
    ],
    ['a choice and an id', deal({ status: '{{ vars.status }}', owner_user_id: '{{ deal.owner_user_id }}' }), []],
    ['a list', deal({ contacts: '{{ vars.people }}' }), []],
    ['a literal beside it', deal({ status: 'lost', title: '{{ contact.name }}' }), ['steps[1].status: any.only']],
    [
      'a literal in a list beside it',
      deal({ contacts: [{ contact_id: '{{ contact.id }}', role: 7 }] }),
      ['steps[1].contacts[0].role: string.base'],
    ],
    ['a name, which is no value', deal({ colour: '{{ vars.a }}' }), ['steps[1].colour: object.unknown']],
    ['two of which one may be', deal({ owner_user_id: '{{ vars.a }}', stage_id: '{{ vars.b }}' }), ['steps[1]: object.oxor']],
    [
      'more than a list takes',
      deal({ contacts: [1, 2, 3].map(() => ({ contact_id: '{{ contact.id }}' })) }),
      ['steps[1].contacts: array.max'],
    ],
    ['an unknown variable', deal({ title: '{{ nobody.name }}' }), ['steps[1].title: liquid.variable_unknown']],
    [
      'a step that is not before',
      deal({ title: '{{ steps.a.id }} {{ steps.later.id }}' }),
      ['steps[1].title: liquid.variable_unknown'],
    ],
    [
      'a field that contacts do not have, and custom ones',
      deal({ title: '{{ contact.first_name }}', status: '{{ contact.custom_fields.any.thing }}' }),
      ['steps[1].title: liquid.variable_unknown'],
    ],
    ['a step before', deal({ title: '{{ steps.first.tag }}' }), []],
    ['a secret where nothing is called', deal({ title: '{{ secrets.TOKEN }}' }), ['steps[1].title: liquid.variable_unknown']],
    ['no Liquid', deal({ title: '{{ contact.name' }), ['steps[1].title: liquid.syntax']],
    [
      'a loop',
      definitionOf([{ id: 'a', type: 'set_vars', vars: { x: ['{% for a in b %}{% endfor %}'] } }]),
      ['steps[0].vars.x[0]: liquid.tag_forbidden'],
    ],
    [
      'a time that Liquid gives badly',
      waiting({ until: '{{ deal.closed_at | nope }}' }),
      ['steps[0].until: liquid.filter_unknown'],
    ],
    [
      'a field that its event does not have',
      triggered(
        { type: 'event', event: 'deal.closed' },
        { steps: [tag('a', '{{ event.status }}'), tag('b', '{{ event.colour }}')] },
      ),
      ['steps[1].tag: liquid.variable_unknown'],
    ],
    [
      'a field of an event that it waits for',
      triggered(
        { type: 'event', event: 'deal.closed' },
        {
          steps: [{ id: 'w', type: 'wait_for', event: 'message.new', timeout: { days: 1 } }, tag('a', '{{ event.message_id }}')],
        },
      ),
      [],
    ],
    [
      'more Liquid than a rule may have',
      definitionOf(
        Array.from({ length: 5 }, (_, n) => ({
          id: `s${n}`,
          type: 'set_vars',
          vars: { x: Array.from({ length: 4 }, () => `{{ vars.a }}${'x'.repeat(4_000)}`) },
        })),
      ),
      ['steps[4]: liquid.too_many'],
    ],
  ])('%s', (_title, given, expected) => {
    expect(faultsOf(given)).toEqual(expected);
  });
});

describe('a definition too large to look at', () => {
  const ofBytes = (bytes: number) => {
    const whole = definitionOf([{ id: 'a', type: 'call', url: 'https://x.example', body: '' }]);
    const given = {
      ...whole,
      steps: [{ ...(whole.steps as object[])[0], body: '.'.repeat(bytes - JSON.stringify(whole).length) }],
    };
    expect(Buffer.byteLength(JSON.stringify(given))).toBe(bytes);
    return given;
  };

  test('256 kB are read, one byte more is not', () => {
    expect(faultsOf(ofBytes(262_144))).toEqual([]);
    expect(faultsOf(ofBytes(262_145))).toEqual(['steps: definition.too_large']);
  });

  test('bytes count, not characters', () => {
    expect(faultsOf(definitionOf([], { conditions: { field: 'é'.repeat(131_072) } }))).toEqual([
      'conditions: definition.too_large',
    ]);
  });

  test('a depth of 100,000', () => {
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const [fault] = readWith(kit, definitionOf(JSON.parse(text))).faults;
    expect(fault).toMatchObject({ code: 'definition.too_deep', field: expect.stringMatching(/^steps(\[0\]){63}$/) });
  });

  test('a prototype, wherever it is', () => {
    const step = JSON.parse('{"id": "a", "type": "add_tag", "__proto__": {"tag": "vip"}}');
    expect(faultsOf(definitionOf([step]))).toEqual(['steps[0].__proto__: object.unknown']);
  });

  test.each(largeDefinitions)('%s, of which no more than a hundred validation errors or so are collected', (_title, given) => {
    expect(Buffer.byteLength(JSON.stringify(given))).toBeLessThan(500_000);
    const count = readWith(kit, given).faults.length;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(2 * maxDetails);
  });

  test('a list as a text is none, however deep', () => {
    expect(faultsOf(definitionOf('['.repeat(10_000)))).toEqual(['steps: array.base']);
  });
});
