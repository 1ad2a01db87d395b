import { beforeAll, expect, test } from '@jest/globals';
import { actions } from '../../../src/automation/actions/index.ts';
import type { Conditions } from '../../../src/automation/conditions/conditions.ts';
import type { Step, Trigger } from '../../../src/automation/definition/definition.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, useApp } from '../../support/app.ts';
import { rule } from '../../support/factories/automation.ts';
import { objectType } from '../../support/factories/object-type.ts';
import { person } from '../../support/factories/person.ts';
import { pipeline } from '../../support/factories/pipeline.ts';
import { fc } from '../../support/fast-check.ts';
import { storedApiKeys } from '../../support/stored/accounts.ts';
import { storedEvents } from '../../support/stored/api-events.ts';
import { ahead } from '../../support/stored/times.ts';
import { wholeDump } from '../../support/whole-dump.ts';

const app = useApp();
const made = async (operation: string, body: object, params: Record<string, string> = {}): Promise<Body> => {
  const reply = await app.call(operation, { body, params });
  expect(reply).toMatchObject({ status: 201 });
  return reply.body;
};

let fields: Record<string, object[]>;
let tried: object[];
beforeAll(async () => {
  const { organizationId } = app.tenant;
  const talk = await app.conversation(await app.connect());
  const { userId } = await person(app.em(), organizationId, 'agent');
  const sales = await pipeline(app.em(), organizationId);
  await objectType(app, organizationId, {
    kind: 'pet',
    fields: [{ name: 'age', type: 'number' }],
    relations: [{ name: 'keeper', inverse: 'pets', to: 'contact', cardinality: 'many_to_one' }],
  });
  const deal = await made('crm.deals.create', { title: 'Sofa', contacts: [{ contact_id: talk.contactId }] });
  const task = await made('crm.tasks.create', { title: 'Call' });
  const pet = await made('crm.records.create', { fields: { name: 'Rex' } }, { objectKind: 'pet' });
  const started = await rule(app.em(), organizationId);
  const on = { contact_id: talk.contactId, conversation_id: talk.id };
  const words = { type: 'text', text: { body: 'Hello {{ contact.name }}' } };
  fields = {
    send_message: [{ message: words }, { message: words, to: '+16505550123' }],
    add_tag: [{ tag: 'new', ...on }, { tag: '{{ contact.name | downcase }}' }, { on: 'conversation', tag: 'new', ...on }],
    remove_tag: [
      { tag: 'new', ...on },
      { on: 'conversation', tag: 'new', ...on },
    ],
    set_field: [
      { field: 'name', value: '{{ contact.name }} the second', contact_id: talk.contactId },
      { on: 'deal', field: 'amount_minor', value: '100', deal_id: deal.id },
      { on: 'record', field: 'age', value: 3, kind: 'pet', record_id: pet.id },
      { on: 'task', field: 'title', value: 'Other', task_id: task.id },
      { on: 'conversation', field: 'priority', value: 'high', conversation_id: talk.id },
    ],
    add_note: [
      { body: 'Seen', ...on },
      { on: 'conversation', body: 'Seen', ...on },
    ],
    set_consent: [{ channel: 'messaging_app', status: 'granted', source: 'keyword', contact_id: talk.contactId }],
    suppress: [{ channel: 'messaging_app', reason: 'unsubscribed', contact_id: talk.contactId }],
    assign_conversation: [
      { strategy: 'round_robin', user_ids: [userId], conversation_id: talk.id },
      { strategy: 'least_busy', conversation_id: talk.id },
    ],
    set_conversation_status: [{ status: 'resolved', conversation_id: talk.id }],
    create_task: [{ title: 'Call {{ contact.name }}', due_in: { days: 1 } }],
    update_task: [{ task_id: task.id, status: 'done' }],
    create_deal: [{ title: 'New' }, { title: 'New', stage_id: sales.stages.second, contacts: [{ contact_id: talk.contactId }] }],
    update_deal: [{ deal_id: deal.id, title: 'Chair' }],
    move_deal: [
      { deal_id: deal.id, outcome: 'won' },
      { deal_id: deal.id, stage_id: sales.stages.third },
    ],
    create_record: [{ kind: 'pet', fields: { name: 'Bello' } }],
    update_record: [{ kind: 'pet', record_id: pet.id, fields: { age: 4 } }],
    link: [
      { on: 'deal', deal_id: deal.id, object_kind: 'contact', object_id: talk.contactId, role: 'Buyer' },
      { kind: 'pet', record_id: pet.id, relation: 'keeper', object_kind: 'contact', object_id: talk.contactId },
    ],
    http_request: [{ url: 'https://crm.example.com/leads', body: { name: '{{ contact.name }}' } }],
    start_rule: [{ rule_id: started.id, vars: { a: 1 } }],
  };
  await app.call('contacts.update', { params: { contactID: talk.contactId }, body: { name: 'Ada' } });
  // When the key was used is written once a minute.
  await storedApiKeys.change(app, {}, { last_used_at: ahead(1, 'day') });
  const [event] = await storedEvents.all(app, { type: 'deal.created' }, { columns: ['id'] });
  const subjects = { contact: talk.contactId, conversation: talk.id, deal: deal.id, task: task.id, record: pet.id };
  tried = [
    ...Object.entries({ ...subjects, organization: organizationId }).map(([type, id]) => ({ subject: { type, id } })),
    { event_id: event.id },
    { event: { type: 'contact.updated', data: { contact_id: talk.contactId, name: 'Ada', changed: ['name'] } } },
  ];
});

test('each action is among the steps that are tried', () => {
  expect(Object.keys(fields).sort()).toEqual([...actions.keys()].sort());
});

/** `chosen`: of what the action takes, or nothing that it does. */
type Leaf = { kind: 'act'; type: string; chosen: number; isBroken: boolean } | { kind: 'wait' | 'set_vars' | 'stop' };
type Tree = Leaf | { kind: 'branch' | 'wait_for'; one: Tree[]; other: Tree[]; holds: boolean };

const leaf: fc.Arbitrary<Leaf> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('act' as const),
      type: fc.constantFrom(...actions.keys()),
      chosen: fc.nat(9),
      isBroken: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('wait' as const, 'set_vars' as const, 'stop' as const) }) },
);
const { list } = fc.letrec<{ tree: Tree; list: Tree[] }>((tie) => ({
  list: fc.array(tie('tree'), { minLength: 1, maxLength: 6 }),
  tree: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.record({
      kind: fc.constantFrom('branch' as const, 'wait_for' as const),
      one: tie('list'),
      other: tie('list'),
      holds: fc.boolean(),
    }),
  ),
}));

function stepOf(tree: Tree): Step {
  const id = `s${uuidv7().replaceAll('-', '')}`;
  switch (tree.kind) {
    case 'act': {
      const all = fields[tree.type]!;
      return { id, type: tree.type, ...(tree.isBroken ? { nonsense: '{{ contact.missing }}' } : all[tree.chosen % all.length]) };
    }
    case 'wait':
      return { id, type: 'wait', for: { days: 2 } };
    case 'set_vars':
      return { id, type: 'set_vars', vars: { who: '{{ contact.name }}' } };
    case 'stop':
      return { id, type: 'stop' };
    case 'branch': {
      const conditions = { field: 'contact.name', operator: 'eq', value: tree.holds ? 'Ada' : 'Nobody' };
      return { id, type: 'branch', branches: [{ conditions, steps: tree.one.map(stepOf) }], else: tree.other.map(stepOf) };
    }
    default: {
      const lists = { on_event: tree.one.map(stepOf), on_timeout: tree.other.map(stepOf) };
      return { id, type: 'wait_for', event: 'message.new', timeout: { hours: 1 }, ...lists };
    }
  }
}

/** One of each type. */
const triggers: { [Type in Trigger['type']]: Extract<Trigger, { type: Type }> } = {
  event: { type: 'event', event: 'contact.updated' },
  keyword: { type: 'keyword', match: 'contains', keywords: ['hello'] },
  schedule: { type: 'schedule', cron: '0 9 * * *', for_each: { kind: 'contact' } },
  date: { type: 'date', kind: 'contact', field: 'custom_fields.born', repeat: 'yearly' },
  manual: { type: 'manual' },
  api: { type: 'api', name: 'order.paid' },
};
const conditions: (Conditions | null)[] = [
  null,
  { field: 'contact.name', operator: 'eq', value: 'Ada' },
  {
    any: [{ not: { field: 'deal.title', operator: 'is_empty' } }, { field: 'event.type', operator: 'eq', value: 'deal.created' }],
  },
];

/** More than a rule may have: each thing that an action takes. */
const everything = [...actions.keys()].flatMap((type) =>
  [0, 1, 2, 3, 4].map((chosen): Leaf => ({ kind: 'act', type, chosen, isBroken: chosen === 4 })),
);

const allTriggers = Object.values(triggers);
/** Each with another thing that a rule is tried with. */
const eachTrigger = allTriggers.map((trigger, nth): [Tree[], Trigger, number] => [[{ kind: 'wait' }], trigger, nth]);

test('whatever a draft would do, trying it leaves the database as it was', async () => {
  const prepared = new Set<string>();
  const refused = new Set<string>();
  await fc.assert(
    fc.asyncProperty(list, fc.constantFrom(...allTriggers), fc.nat(99), async (trees, trigger, nth) => {
      const asked = conditions[nth % conditions.length]!;
      const definition = { trigger, conditions: asked, exit_when: asked, steps: trees.map(stepOf) };
      const { id } = await rule(app.em(), app.tenant.organizationId, { definition });
      const ask = () => app.call('automation.rules.test', { params: { ruleID: id }, body: tried[nth % tried.length]! });
      const before = await wholeDump(app);
      const { status, body } = await ask();
      expect(await wholeDump(app)).toEqual(before);
      expect(status).toBe(200);
      for (const { type, error } of body.steps as Body[]) (error ? refused : prepared).add(type);
    }),
    { numRuns: 40, examples: [[everything, triggers.event, 0], ...eachTrigger] },
  );
  // Each would have written, and each is refused somewhere.
  for (const type of actions.keys()) expect([type, prepared.has(type)]).toEqual([type, true]);
  expect(refused.size).toBeGreaterThan(10);
});
