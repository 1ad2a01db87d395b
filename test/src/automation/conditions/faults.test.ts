import { expect, test } from '@jest/globals';
import { type ConditionContext, conditionFaults } from '../../../../src/automation/conditions/fields.ts';
import { companyOf } from '../../../../src/records/types/company.ts';
import { recordFieldsOf } from '../../../../src/records/types/listing.ts';

const company = companyOf('01932d5f-3a0e-7cc4-8f4e-0242ac120001');
const id = '0190a5b0-0000-7000-8000-000000000000';
const faultsOf = (given: unknown, context: ConditionContext = {}) =>
  conditionFaults(given, ['conditions'], context).map(({ field, code }) => [field, code]);
const nested = (depth: number): object => (depth === 0 ? { field: 'contact.name', value: 'Ada' } : { not: nested(depth - 1) });

test.each<[unknown, ConditionContext]>([
  [{ field: 'contact.name', value: 'Ada' }, {}],
  [{ field: 'contact.custom_fields.tier', operator: 'in', value: ['gold', 1, true] }, {}],
  [{ all: [{ field: 'deal.amount_minor', operator: 'gt', value: '9223372036854775807' }] }, {}],
  [
    { any: [{ field: 'task.contact_id', operator: 'is_empty' }, { not: { field: 'conversation.is_window_open', value: true } }] },
    {},
  ],
  [{ field: 'message.content.body', operator: 'contains', value: 'price' }, {}],
  [{ field: 'message.text', operator: 'contains', value: 'price' }, {}],
  [{ field: 'event.direction', value: 'inbound' }, { event: 'message.new' }],
  [{ field: 'event.changed', value: 'status' }, { event: 'conversation.updated' }],
  [{ field: 'event.data.plan', value: 'pro' }, { event: 'automation.event' }],
  [{ field: 'vars.count', operator: 'gte', value: 3 }, {}],
  [{ field: 'steps.ask.status', value: 200 }, { steps: new Set(['ask']) }],
  [{ field: 'record.anything', operator: 'gt', value: 5 }, {}],
  [{ field: 'record.employees', operator: 'gt', value: 5 }, { types: [company] }],
  [{ field: 'record.annual_revenue.currency_code', value: 'EUR' }, { types: [company] }],
  [{ field: 'contact.email', operator: 'changed' }, { event: 'contact.updated' }],
  [{ field: 'contact.custom_fields', operator: 'changed' }, { event: 'contact.updated' }],
  [{ field: 'conversation.tags', operator: 'changed' }, { event: 'conversation.updated' }],
  [{ field: 'deal.contacts', operator: 'changed' }, { event: 'deal.updated' }],
  [{ field: 'deal.stage_id', operator: 'changed_to', value: id }, { event: 'deal.stage_changed' }],
  [{ field: 'deal.owner_user_id', operator: 'changed_from', value: null }, { event: 'deal.updated' }],
  [{ field: 'deal.custom_fields.seats', operator: 'changed_to', value: [40, 50] }, { event: 'deal.updated' }],
  [{ field: 'record.industry', operator: 'changed_to', value: 'software' }, { event: 'record.updated' }],
  [{ field: 'now', operator: 'within_business_hours' }, {}],
  [{ field: 'now', operator: 'within_business_hours', value: false }, { event: null }],
  [{ field: 'message.created_at', operator: 'within_business_hours' }, {}],
  [{ field: 'steps.ask.at', operator: 'within_business_hours' }, {}],
  [nested(5), {}],
  [{ all: Array.from({ length: 50 }, () => nested(0)) }, {}],
])('%j is right', (given, context) => {
  expect(faultsOf(given, context)).toEqual([]);
});

test.each<[unknown, [string, string][], ConditionContext?]>([
  [5, [['conditions', 'object.base']]],
  [null, [['conditions', 'object.base']]],
  [[], [['conditions', 'object.base']]],
  [{}, [['conditions.field', 'string.base']]],
  [{ all: [] }, [['conditions.all', 'array.min']]],
  [{ any: nested(0) }, [['conditions.any', 'array.min']]],
  [{ all: [nested(0)], any: [nested(0)] }, [['conditions', 'object.unknown']]],
  [{ not: 5 }, [['conditions.not', 'object.base']]],
  [nested(6), [['conditions.not.not.not.not.not', 'object.depth']]],
  [{ all: Array.from({ length: 51 }, () => nested(0)) }, [['conditions', 'array.max']]],
  [{ field: 'contact.name', value: 'Ada', or: [] }, [['conditions.or', 'object.unknown']]],
  [{ field: 'name', value: 'Ada' }, [['conditions.field', 'any.only']]],
  [{ field: 'contact', value: 'Ada' }, [['conditions.field', 'any.only']]],
  [{ field: 'contact.age', value: 5 }, [['conditions.field', 'any.only']]],
  [{ field: 'contact.__proto__', value: 5 }, [['conditions.field', 'any.only']]],
  [{ field: 'contact.name', operator: 'like', value: 'Ada' }, [['conditions.operator', 'any.only']]],
  [{ field: 'contact.name', operator: 5, value: 'Ada' }, [['conditions.operator', 'string.base']]],
  [{ field: 'deal.amount_minor', operator: 'contains', value: '5' }, [['conditions.operator', 'any.only']]],
  [{ field: 'deal.amount_minor', value: 'five' }, [['conditions.value', 'any.invalid']]],
  [{ field: 'deal.status', value: 'gone' }, [['conditions.value', 'any.invalid']]],
  [{ field: 'deal.closed_at', operator: 'gt', value: '2026-01-01T00:00:00.0001Z' }, [['conditions.value', 'any.invalid']]],
  [{ field: 'contact.name', operator: 'is_empty', value: true }, [['conditions.value', 'any.invalid']]],
  [
    {
      all: [
        nested(0),
        {
          any: [
            { field: 'contact.id', value: 'x' },
            { field: 'contact.x', value: 1 },
          ],
        },
      ],
    },
    [
      ['conditions.all[1].any[0].value', 'any.invalid'],
      ['conditions.all[1].any[1].field', 'any.only'],
    ],
  ],
  [{ field: 'event.kind', value: 'x' }, [['conditions.field', 'any.only']], { event: 'message.new' }],
  [{ field: 'event.status', value: 'x' }, [['conditions.field', 'any.only']], { event: null }],
  [{ field: 'message.text', value: 'x' }, [['conditions.field', 'any.only']], { event: null }],
  [{ field: 'contact.name', value: '{{ vars.name }}' }, [['conditions.value', 'condition.liquid']], {}],
  [
    { field: 'contact.name', operator: 'in', value: ['a', '{% if vars.a %}b{% endif %}'] },
    [['conditions.value', 'condition.liquid']],
    {},
  ],
  [{ field: 'deal.title', value: 'x' }, [['conditions.field', 'any.only']], { roots: new Set(['contact']) }],
  [{ field: 'steps.later.id', value: 'x' }, [['conditions.field', 'any.only']], { steps: new Set(['ask']) }],
  [{ field: 'record.Bad Name', value: 'x' }, [['conditions.field', 'any.only']]],
  [{ field: 'record.anything', operator: 'like', value: 'x' }, [['conditions.operator', 'any.only']]],
  [{ field: 'record.anything', value: 'x' }, [['conditions.field', 'any.only']], { types: [company] }],
  [{ field: 'record.employees', value: 'x' }, [['conditions.value', 'any.invalid']], { types: [company] }],
  [{ field: 'contact.email', operator: 'changed', value: 'x' }, [['conditions.value', 'any.invalid']]],
  [{ field: 'contact.email', operator: 'changed_to', value: 'x' }, [['conditions.operator', 'any.only']]],
  [{ field: 'contact.custom_fields.tier', operator: 'changed' }, [['conditions.operator', 'any.only']]],
  [{ field: 'contact.age', operator: 'changed' }, [['conditions.field', 'any.only']]],
  [{ field: 'deal.amount_minor', operator: 'changed_to' }, [['conditions.value', 'any.required']]],
  [{ field: 'deal.amount_minor', operator: 'changed_to', value: 'x' }, [['conditions.value', 'any.invalid']]],
  [{ field: 'task.contact_id', operator: 'changed_to', value: id }, [['conditions.field', 'any.only']]],
  [
    { field: 'task.status', operator: 'changed_from', value: 'open' },
    [['conditions.operator', 'any.only']],
    { event: 'task.completed' },
  ],
  [{ field: 'deal.title', operator: 'changed' }, [['conditions.operator', 'any.only']], { event: 'contact.updated' }],
  [{ field: 'deal.title', operator: 'changed' }, [['conditions.operator', 'any.only']], { event: null }],
  [{ field: 'message.text', operator: 'changed' }, [['conditions.operator', 'any.only']]],
  [{ field: 'contact.name', operator: 'within_business_hours' }, [['conditions.field', 'any.only']]],
  [{ field: 'now', operator: 'within_business_hours', value: 'yes' }, [['conditions.value', 'any.invalid']]],
  [{ field: 'now', operator: 'gt', value: '2026-01-01' }, [['conditions.field', 'any.only']]],
])('%j is a fault', (given, faults, context = {}) => {
  expect(faultsOf(given, context)).toEqual(faults);
});

test('a fault is of the body, and says what is wrong in words', () => {
  expect(conditionFaults({ field: 'contact.age', value: 5 }, ['steps', 2, 'branches', 0, 'conditions'], {})).toEqual([
    {
      field: 'steps[2].branches[0].conditions.field',
      location: 'body',
      code: 'any.only',
      message: 'A contact has no field age that conditions compare',
    },
  ]);
});

test('types of records after the one that takes a condition are not read', () => {
  const second = { ...company, fields: [...company.fields] };
  const { fields } = recordFieldsOf(second).typed!;
  const { employees } = fields;
  let reads = 0;
  Object.defineProperty(fields, 'employees', {
    get() {
      reads += 1;
      return employees;
    },
  });
  const types = [company, second];
  expect(faultsOf({ field: 'record.employees', operator: 'gt', value: 5 }, { types })).toEqual([]);
  expect(faultsOf({ field: 'record.employees', operator: 'changed_to', value: 5 }, { types, event: 'record.updated' })).toEqual(
    [],
  );
  expect(reads).toBe(1);
  expect(faultsOf({ field: 'record.employees', operator: 'gt', value: 'x' }, { types })).toHaveLength(1);
  expect(reads).toBeGreaterThan(1);
});
