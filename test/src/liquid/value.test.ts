import { describe, expect, test } from '@jest/globals';
import { liquidFaults } from '../../../src/liquid/faults.ts';
import { namesIn, renderText, renderValue } from '../../../src/liquid/value.ts';
import { AppError } from '../../../src/platform/errors.ts';

const scope = {
  contact: { name: 'Ada', email: '', tags: ['a', 'b'], visits: 3, is_new: false, custom_fields: { city: 'Ulm', none: null } },
  event: { data: { plan: 'pro', deep: { er: [1, { x: true }] } }, at: new Date('2026-01-02T03:04:05Z') },
  steps: { first: { body: { id: 7 } }, long: { text: 'x'.repeat(10_000) } },
  now: '2026-01-02T00:00:00.000Z',
};
const thrown = (work: () => unknown): AppError => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('Nothing was thrown');
};

describe('a value becomes', () => {
  test.each<[unknown, unknown]>([
    ['plain', 'plain'],
    [7, 7],
    [null, null],
    ['{ "json": 1 }', '{ "json": 1 }'],
    ['Hi {{ contact.name }}!\nBye', 'Hi Ada!\nBye'],
    ['{{ contact.visits }}', 3],
    ['{{ contact.visits | plus: 1 }}', 4],
    [' {{ contact.visits }}', ' 3'],
    ['{{ contact.is_new }}', false],
    ['{{ contact.tags }}', ['a', 'b']],
    ['{{ event.data.deep }}', { er: [1, { x: true }] }],
    ['{{ contact.custom_fields }}', { city: 'Ulm', none: null }],
    ['{{ contact }}', scope.contact],
    ['{{ contact.name | split: "d" }}', ['A', 'a']],
    ['{{ event.at }}', '2026-01-02T03:04:05.000Z'],
    ['{{ contact.email | default: "" }}', ''],
    ['{{ contact.custom_fields.none | default: 0 }}', 0],
    ['{{ contact["name"] }}', 'Ada'],
    ['{{ contact.custom_fields[event.data.plan] | default: "?" }}', '?'],
    ['{{ steps.first.body.id }}', 7],
    ['{{ steps.long.text | truncate: 5 }}', 'xx...'],
    ['{{ now | date: "%Y" }}', '2026'],
    ['{% if contact.is_new %}new{% endif %}', ''],
    [
      { a: ['{{ contact.name }}', { b: '{{ contact.visits }}' }], c: 1 },
      { a: ['Ada', { b: 3 }], c: 1 },
    ],
  ])('%j', (value, expected) => {
    expect(renderValue(value, scope, 'UTC')).toEqual(expected);
  });

  test('a text of any length, where it is one output', () => {
    expect(renderValue('{{ steps.long.text }}', scope, 'UTC')).toHaveLength(10_000);
  });
});

test('what comes out is plain JSON', () => {
  const value = renderValue({ a: '{{ event.data }}' }, scope, 'UTC') as { a: object };
  expect(Object.getPrototypeOf(value.a)).toBe(Object.prototype);
});

test('a text stays a text', () => {
  expect(renderText('{{ contact.visits }}', scope, 'UTC')).toBe('3');
  expect(thrown(() => renderText('{{ contact.tags }}', scope, 'UTC')).code).toBe('render_failed');
});

describe('a rendering fails for', () => {
  test.each([
    ['{{ contact.email }}', 'contact.email is missing'],
    ['{{ nobody.name }}', 'nobody.name is missing'],
    ['Hi {{ contact.tags }}', 'A list is not a text: use join, first or size, line:1, col:4'],
    ['Hi {{ steps.long.text }}', 'A value is not a text of at most 4096 characters, line:1, col:4'],
    ['{{ contact.constructor }}', 'No variable is called constructor'],
    ['{{ contact.name', 'It is not Liquid: output "{{ contact.name" not closed, line:1, col:1'],
    ['{{ 1 | divided_by: 0 }}', 'A value is no text, number, boolean, list or object'],
    ['{{ empty }}', 'A value is no text, number, boolean, list or object'],
  ])('%s', (text, message) => {
    const error = thrown(() => renderValue({ body: [text] }, scope, 'UTC', ['fields']));
    expect(error.code).toBe('render_failed');
    expect(error.message).toBe(`fields.body[0]: ${message}`);
    expect(error.details).toEqual([{ field: 'fields.body[0]', code: 'render_failed', message: error.message }]);
  });

  test('more than a step may give', () => {
    const value = Array.from({ length: 10 }, () => '{{ steps.long.text }}');
    expect(thrown(() => renderValue(value, scope, 'UTC')).message).toContain('at most 65536 characters');
  });

  test('more work than the texts of a step may do', () => {
    const value = Array.from({ length: 20 }, () => '{{ steps.long.text | upcase | truncate: 5 }}');
    expect(thrown(() => renderValue(value, scope, 'UTC')).message).toContain(
      'takes at most 4096 characters: use truncate before it',
    );
    const costly = Array.from({ length: 20 }, () => '{{ steps.long.text | truncate: 5 }}');
    expect(thrown(() => renderValue(costly, scope, 'UTC')).message).toContain('It takes too much work');
  });
});

test('the names that texts read are told', () => {
  const value = {
    a: '{{ contact.name }}{{ steps["first"].body[vars.key] }}',
    b: ['{% if deal.amount > 1 %}{{ task }}{% endif %}'],
  };
  expect([...namesIn(value)].sort()).toEqual(
    ['contact', 'contact.name', 'deal', 'deal.amount', 'steps', 'steps.first', 'task', 'vars', 'vars.key'].sort(),
  );
});

describe('a fault of a definition has its path:', () => {
  const faultsOf = (value: unknown) =>
    liquidFaults(value, ['steps', 0], { of: 'a step', variables: { contact: ['name'], vars: null } });

  test('all of them', () => {
    const value = {
      ok: '{{ contact.name }} {{ vars.a.b }}',
      texts: ['{{ deal.id }}', '{{ contact.age }}', '{{ contact.name | shout }}', '{% for a in b %}'],
      '{{ x }}': 1,
    };
    expect(faultsOf(value)).toEqual([
      {
        path: ['steps', 0, 'texts', 0],
        code: 'liquid.variable_unknown',
        message: 'There is no variable deal: use contact, vars',
      },
      { path: ['steps', 0, 'texts', 1], code: 'liquid.variable_unknown', message: 'contact has no field age; it has name' },
      { path: ['steps', 0, 'texts', 2], code: 'liquid.filter_unknown', message: 'There is no filter shout' },
      {
        path: ['steps', 0, 'texts', 3],
        code: 'liquid.tag_forbidden',
        message: 'There is no tag for: use if, unless, case, assign',
      },
      { path: ['steps', 0], code: 'liquid.place', message: 'Liquid stands in values, not in names' },
    ]);
  });

  test.each([
    ['characters', Array.from({ length: 5 }, () => `{{ contact.name }}${'x'.repeat(4_000)}`), 'at most 16384 characters'],
    ['texts', Array.from({ length: 65 }, () => '{{ contact.name }}'), 'at most 64 texts'],
    ['tags', Array.from({ length: 31 }, () => '{{ contact.name }}'.repeat(10)), 'at most 300 tags and outputs'],
  ])('too many %s', (_title, value, message) => {
    const faults = faultsOf(value);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatchObject({ code: 'liquid.too_many', path: ['steps', 0, value.length - 1] });
    expect(faults[0]!.message).toContain(message);
  });

  test('a value that is too deep', () => {
    let value: unknown = '{{ x }}';
    for (let depth = 0; depth < 100; depth++) value = [value];
    expect(faultsOf(value).map(({ code }) => code)).toEqual(['liquid.too_deep']);
  });
});
