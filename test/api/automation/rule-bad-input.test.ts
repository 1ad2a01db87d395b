import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { aRule, rulesOf } from '../../support/automation-rules.ts';
import { storedRules } from '../../support/stored/automation.ts';

const app = useApp();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.organization();
});

const { act, create, draft, get } = rulesOf(app, () => tenant);
const tag = (id: string) => ({ id, type: 'add_tag', tag: 'new' });
const email = { field: 'contact.email', operator: 'is_not_empty' };
const nested = (depth: number): object => (depth === 0 ? email : { all: [nested(depth - 1)] });
const branched = (depth: number): object =>
  depth === 0 ? tag('a') : { id: `b${depth}`, type: 'branch', branches: [{ conditions: email, steps: [branched(depth - 1)] }] };
const call = (fields: object) => ({ steps: [{ id: 'a', type: 'http_request', url: 'https://example.com/', ...fields }] });
const schedule = (cron: string, more: object = {}) => ({ trigger: { type: 'schedule', cron, ...more } });

/** What is wrong, and where it is said. */
const faults: [string, object, string | RegExp][] = [
  ['an unknown trigger', { trigger: { type: 'sunrise' } }, 'trigger.type'],
  ['an unknown event', { trigger: { type: 'event', event: 'sun.rose' } }, 'trigger.event'],
  ['an event of automation itself', { trigger: { type: 'event', event: 'automation.rule.held' } }, 'trigger.event'],
  ['an unknown field', { conditions: { field: 'contact.shoe', operator: 'eq', value: 1 } }, /^conditions/],
  ['an unknown operator', { conditions: { field: 'contact.email', operator: 'like', value: 'x' } }, /^conditions/],
  ['conditions six deep', { conditions: nested(6) }, /^conditions/],
  [
    'Liquid in the value of a condition',
    { conditions: { ...email, operator: 'eq', value: '{{ vars.mail }}' } },
    'conditions.value',
  ],
  [
    'an event where none begins the rule',
    { ...schedule('0 9 * * *'), conditions: { all: [email, { field: 'event.data.plan', operator: 'eq', value: 'pro' }] } },
    'conditions.all[1].field',
  ],
  ['its Liquid', { trigger: { type: 'manual' }, steps: [{ ...tag('a'), tag: '{{ event.data.plan }}' }] }, 'steps[0].tag'],
  ['51 conditions', { conditions: { all: Array(51).fill(email) } }, /^conditions/],
  ['an unknown action', { steps: [{ id: 'a', type: 'fly' }] }, 'steps[0].type'],
  ['an unknown field of a step', { steps: [{ ...tag('a'), colour: 'red' }] }, 'steps[0].colour'],
  ['a step id twice', { steps: [tag('a'), tag('a')] }, 'steps[1].id'],
  ['51 steps', { steps: Array.from({ length: 51 }, (_, n) => tag(`s${n}`)) }, 'steps'],
  ['steps six deep', { steps: [branched(6)] }, /^steps\[0\]/],
  ['a wait of nothing', { steps: [{ id: 'a', type: 'wait', for: { seconds: 0 } }] }, /^steps\[0\]/],
  ['a wait of 366 days', { steps: [{ id: 'a', type: 'wait', for: { days: 366 } }] }, /^steps\[0\]/],
  [
    'a branch without conditions',
    { steps: [{ id: 'a', type: 'branch', branches: [{ steps: [tag('b')] }] }] },
    'steps[0].branches[0].conditions',
  ],
  ['a cron of six fields', schedule('0 0 9 * * *'), 'trigger.cron'],
  ['every minute for a list', schedule('* * * * *', { for_each: { kind: 'contact' } }), 'trigger.cron'],
  ['a cron that is never due', schedule('0 0 30 2 *'), 'trigger.cron'],
  ['an unknown zone', schedule('0 9 * * *', { timezone: 'Mars/Base' }), 'trigger.timezone'],
  ['Liquid that names an unknown variable', { steps: [{ ...tag('a'), tag: '{{ nobody.name }}' }] }, 'steps[0].tag'],
  ['Liquid that does not parse', { steps: [{ ...tag('a'), tag: '{{ contact.name' }] }, 'steps[0].tag'],
  ['Liquid that names a step behind it', { steps: [{ ...tag('a'), tag: '{{ steps.b.tag }}' }, tag('b')] }, 'steps[0].tag'],
  ['a loop in Liquid', { steps: [{ ...tag('a'), tag: '{% for a in contact.tags %}{% endfor %}' }] }, 'steps[0].tag'],
  ['a URL to the inside', call({ url: 'https://10.0.0.1/' }), 'steps[0].url'],
  ['a header of two lines', call({ headers: { A: 'a\nb', B: '{{ contact.name }}' } }), 'steps[0].headers.A'],
  ['a secret outside a call', { steps: [{ ...tag('a'), tag: '{{ secrets.TOKEN }}' }] }, 'steps[0].tag'],
  ['a filter on a secret', call({ headers: { A: 'Basic {{ secrets.TOKEN | url_encode }}' } }), 'steps[0].headers.A'],
  ['a secret that is compared', call({ body: { a: ['{% if secrets.TOKEN == "x" %}y{% endif %}'] } }), 'steps[0].body.a[0]'],
  ['limits beyond ours', { limits: { starts_per_hour: 11 } }, 'limits.starts_per_hour'],
];

const fieldsIn = ({ error }: Body): string[] => error.details.map(({ field }: Body) => field);

describe('a 422 with its path, and nothing is stored', () => {
  test.each(faults)('%s', async (_, body, field) => {
    const { status, body: reply } = await create(body);
    expect(status).toBe(422);
    expect(fieldsIn(reply)).toContainEqual(typeof field === 'string' ? field : expect.stringMatching(field));
    expect(await storedRules.count(app, { organization_id: tenant.organizationId })).toBe(0);
  });

  test.each(faults)('%s, in a change', async (_, body, field) => {
    const made = await draft();
    const { status, body: reply } = await act('update', made.id, body);
    expect(status).toBe(422);
    expect(fieldsIn(reply)).toContainEqual(typeof field === 'string' ? field : expect.stringMatching(field));
    expect(await get(made.id)).toEqual(made);
  });

  test('a definition of 256 kB and a byte', async () => {
    const long = (bytes: number) => ({ steps: [{ id: 'a', type: 'set_vars', vars: { text: 'x'.repeat(bytes) } }] });
    const { status, body } = await create(long(256 * 1024));
    expect([status, body.error.details[0].code]).toEqual([422, expect.stringMatching(/size|large|bytes/)]);
  });

  test('all at once, in the order in which they stand', async () => {
    const { body } = await create({
      conditions: { field: 'contact.shoe', operator: 'eq', value: 1 },
      steps: [{ id: 'a', type: 'fly' }, tag('b'), tag('b')],
    });
    const fields = fieldsIn(body);
    expect(fields).toEqual(expect.arrayContaining([expect.stringMatching(/^conditions/), 'steps[0].type', 'steps[2].id']));
    expect(body.error.message).toContain(String(fields.length));
  });
});

describe('a 409 that names the state', () => {
  test('publish without a change', async () => {
    const { id } = await draft();
    await act('publish', id);
    const { status, body } = await act('publish', id);
    expect([status, body.error.details[0]]).toEqual([409, expect.objectContaining({ code: 'rule.unchanged', value: '1' })]);
  });
});

test('what was saved is what is read', async () => {
  const given = {
    conditions: nested(4),
    steps: [branched(4), tag('last')],
    exit_when: email,
    limits: { steps: 100, allow_reentry: true },
  };
  const made = await draft(given);
  expect(made).toMatchObject({ ...aRule, ...given });
  expect((await act('publish', made.id)).body.error).toBeUndefined();
});
