import { describe, expect, test } from '@jest/globals';
import { isWithinHours } from '../../../../src/automation/conditions/business-hours.ts';
import type { Conditions } from '../../../../src/automation/conditions/conditions.ts';
import { compareDecimals } from '../../../../src/automation/conditions/decimals.ts';
import { type Clock, holds, rootsOf } from '../../../../src/automation/conditions/evaluate.ts';
import { type Behind, behind, type Facts } from '../../../../src/automation/conditions/facts.ts';
import type { BusinessHours } from '../../../../src/organizations/organization.entity.ts';
import { fc } from '../../../support/fast-check.ts';

const hours: BusinessHours = [{ day: 'monday', from: '09:00', to: '17:30' }];
const clock: Clock = { now: new Date('2026-11-23T08:00:00Z'), hours, timezone: 'Europe/Berlin' };
const base: Facts = { vars: { count: 3, list: ['a'] }, steps: { ask: { status: 200 } }, organization: {} };
const withFacts = (more: Partial<Facts>, hidden: Behind = {}): Facts => ({ ...base, ...more, [behind]: hidden });
const isTrue = (conditions: Conditions, facts: Facts = base) => holds(conditions, facts, clock).holds;

test('null always holds, and sees nothing', () => {
  expect(holds(null, base, clock)).toEqual({ holds: true, seen: [] });
});

test('each condition is asked, and what it saw is told with its place', () => {
  const facts = withFacts({ contact: { name: 'Ada' } });
  const conditions: Conditions = {
    all: [
      { field: 'vars.count', value: 4 },
      {
        any: [
          { field: 'contact.name', operator: 'starts_with', value: 'AD' },
          { not: { field: 'steps.ask.status', value: 200 } },
        ],
      },
    ],
  };
  expect(holds(conditions, facts, clock)).toEqual({
    holds: false,
    seen: [
      { path: 'all[0]', field: 'vars.count', operator: 'eq', value: 4, actual: 3, holds: false },
      { path: 'all[1].any[0]', field: 'contact.name', operator: 'starts_with', value: 'AD', actual: 'Ada', holds: true },
      { path: 'all[1].any[1].not', field: 'steps.ask.status', operator: 'eq', value: 200, actual: 200, holds: true },
    ],
  });
});

test('of what is not there no comparison holds, not its opposite either; a missing member is empty', () => {
  for (const operator of ['eq', 'neq']) {
    expect(isTrue({ field: 'deal.title', operator, value: 'x' })).toBe(false);
    expect(isTrue({ field: 'contact.name', operator, value: 'x' }, withFacts({ contact: null }))).toBe(false);
  }
  expect(isTrue({ field: 'vars.missing.deep', operator: 'is_empty' })).toBe(true);
  expect(isTrue({ field: 'steps.other.id', operator: 'is_empty' })).toBe(true);
  expect(isTrue({ field: 'vars.__proto__.toString', operator: 'is_not_empty' })).toBe(false);
});

test('members of an event, a message and a step are named by dots; of a list of names one is compared', () => {
  const facts = withFacts({
    event: { data: { plan: 'pro' }, changed: ['status', 'Tags'], timestamp: '2026-11-23T08:00:00.123Z' },
    message: { text: 'How much?', content: { body: { text: 'How much?' } } },
  });
  expect(isTrue({ field: 'event.data.plan', value: 'pro' }, facts)).toBe(true);
  expect(isTrue({ field: 'event.changed', value: 'tags' }, facts)).toBe(true);
  expect(isTrue({ field: 'event.timestamp', operator: 'gt', value: '2026-11-23T09:00:00.122+01:00' }, facts)).toBe(true);
  expect(isTrue({ field: 'message.content.body.text', operator: 'contains', value: 'MUCH' }, facts)).toBe(true);
  expect(isTrue({ field: 'message.text', operator: 'contains', value: 'much' }, facts)).toBe(true);
});

describe('changes', () => {
  const changes = {
    amount_minor: { from: '5', to: '10' },
    owner_user_id: { from: null, to: '0190a5b0-0000-7000-8000-000000000000' },
    expected_close_at: { from: '2026-01-01T00:00:00.000Z', to: '' },
    'custom_fields.a.b': { from: 'x', to: 2 },
  };
  const names = ['amount_minor', 'owner_user_id', 'expected_close_at', 'custom_fields', ...Object.keys(changes)];
  const facts = withFacts({ deal: {} }, { told: { root: 'deal', names, changes } });

  test.each<[Conditions, boolean]>([
    [{ field: 'deal.amount_minor', operator: 'changed' }, true],
    [{ field: 'deal.custom_fields', operator: 'changed' }, true],
    [{ field: 'deal.custom_fields.a.b', operator: 'changed' }, true],
    [{ field: 'deal.title', operator: 'changed' }, false],
    [{ field: 'task.amount_minor', operator: 'changed' }, false],
    [{ field: 'deal.amount_minor', operator: 'changed_to', value: 10 }, true],
    [{ field: 'deal.amount_minor', operator: 'changed_to', value: '10.0' }, true],
    [{ field: 'deal.amount_minor', operator: 'changed_from', value: ['1', '5'] }, true],
    [{ field: 'deal.amount_minor', operator: 'changed_from', value: '10' }, false],
    [{ field: 'deal.owner_user_id', operator: 'changed_from', value: null }, true],
    [{ field: 'deal.owner_user_id', operator: 'changed_to', value: null }, false],
    [{ field: 'deal.owner_user_id', operator: 'changed_to', value: '0190A5B0-0000-7000-8000-000000000000' }, true],
    [{ field: 'deal.expected_close_at', operator: 'changed_from', value: '2026-01-01' }, true],
    [{ field: 'deal.expected_close_at', operator: 'changed_to', value: null }, true],
    [{ field: 'deal.custom_fields.a.b', operator: 'changed_to', value: 2 }, true],
    [{ field: 'deal.custom_fields.a.b', operator: 'changed_to', value: '2' }, false],
    [{ field: 'deal.title', operator: 'changed_to', value: 'x' }, false],
  ])('%j: %s', (conditions, expected) => {
    expect(isTrue(conditions, facts)).toBe(expected);
  });

  test('none without an event that tells them', () => {
    expect(isTrue({ field: 'deal.amount_minor', operator: 'changed' }, withFacts({ deal: {} }))).toBe(false);
  });
});

describe('business hours', () => {
  test.each([
    ['2026-11-23T07:59:59.999Z', false],
    ['2026-11-23T08:00:00Z', true],
    ['2026-11-23T16:29:59.999Z', true],
    ['2026-11-23T16:30:00Z', false],
    ['2026-11-24T10:00:00Z', false],
    ['1969-12-29T10:00:00Z', true],
  ])('%s in Berlin: %s', (time, expected) => {
    expect(isWithinHours(Date.parse(time), hours, 'Europe/Berlin')).toBe(expected);
  });

  test('the hour that a night leaves out is none; the one it has twice counts twice', () => {
    const night: BusinessHours = [{ day: 'sunday', from: '02:00', to: '03:00' }];
    const within = (time: string) => isWithinHours(Date.parse(time), night, 'Europe/Berlin');
    expect(['00:30', '01:00', '01:30'].map((time) => within(`2026-03-29T${time}:00Z`))).toEqual([false, false, false]);
    expect(['00:30', '01:30', '02:00'].map((time) => within(`2026-10-25T${time}:00Z`))).toEqual([true, true, false]);
  });

  test('until 24:00 is the end of the day; who has no hours is always there', () => {
    const late: BusinessHours = [{ day: 'monday', from: '22:00', to: '24:00' }];
    expect(isWithinHours(Date.parse('2026-11-23T23:59:59Z'), late, 'UTC')).toBe(true);
    expect(isWithinHours(Date.parse('2026-11-24T00:00:00Z'), late, 'UTC')).toBe(false);
    expect(isWithinHours(0, [], 'UTC')).toBe(true);
  });

  test('are asked of the moment, or of a time of the facts', () => {
    expect(isTrue({ field: 'now', operator: 'within_business_hours' })).toBe(true);
    expect(isTrue({ field: 'now', operator: 'within_business_hours', value: false })).toBe(false);
    const facts = withFacts({ message: { created_at: '2026-11-22T10:00:00.000Z', send_at: null } });
    expect(isTrue({ field: 'message.created_at', operator: 'within_business_hours' }, facts)).toBe(false);
    expect(isTrue({ field: 'message.created_at', operator: 'within_business_hours', value: false }, facts)).toBe(true);
    expect(isTrue({ field: 'message.send_at', operator: 'within_business_hours', value: false }, facts)).toBe(false);
  });
});

test('decimals of any length are in the order of numbers', () => {
  const digits = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  fc.assert(
    fc.property(digits, digits, fc.nat(20), (one, other, places) => {
      const shown = (value: bigint) => {
        const text = (value < 0n ? -value : value).toString().padStart(places + 1, '0');
        const at = text.length - places;
        return `${value < 0n ? '-' : ''}${text.slice(0, at)}${places > 0 ? `.${text.slice(at)}` : ''}`;
      };
      expect(Math.sign(compareDecimals(shown(one), shown(other)))).toBe(one < other ? -1 : one > other ? 1 : 0);
    }),
  );
  for (const [first, second] of [
    ['-19', '-19'],
    ['-0', '0'],
    ['0.0', '-0.00'],
    ['007', '7.000'],
    ['1.10', '1.1'],
  ])
    expect(compareDecimals(first!, second!)).toBe(0);
});

test('the roots that conditions and texts name', () => {
  expect([...rootsOf({ all: [{ field: 'deal.title', value: 'contact.name' }, { not: { field: 'now' } }] })]).toEqual(['deal']);
  expect([...rootsOf({ to: '{{ contact.phone_number | default: vars.phone }}', text: 'Your task' })]).toEqual([
    'contact',
    'vars',
  ]);
  expect([...rootsOf({ field: 'task.title', operator: 'changed' }, null, ['{% if steps.a.b %}{% endif %}'])]).toEqual([
    'task',
    'event',
    'steps',
  ]);
});
