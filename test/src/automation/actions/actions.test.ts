import { describe, expect, test } from '@jest/globals';
import { scopesOfStep } from '../../../../src/automation/actions/action.ts';
import { hasLiquid } from '../../../../src/automation/actions/faults.ts';
import { actions } from '../../../../src/automation/actions/index.ts';
import { isControl } from '../../../../src/automation/definition/definition.ts';
import { scopes } from '../../../../src/organizations/scopes.ts';
import type { AppError } from '../../../../src/platform/errors.ts';
import { readFields } from '../../../support/steps.ts';

const all = [...actions];

test('what a step can do with the database', () => {
  const writing = all.filter(([, { kind }]) => kind === 'database').map(([type]) => type);
  expect(writing.sort()).toEqual([
    'add_note',
    'add_tag',
    'assign_conversation',
    'create_deal',
    'create_record',
    'create_task',
    'link',
    'move_deal',
    'remove_tag',
    'send_message',
    'set_consent',
    'set_conversation_status',
    'set_field',
    'start_rule',
    'suppress',
    'update_deal',
    'update_record',
    'update_task',
  ]);
});

describe.each(all)('%s', (type, action) => {
  test('says what it is', () => {
    expect(action.type).toBe(type);
    expect(isControl({ id: 'a', type })).toBe(false);
    expect(action.description).not.toBe('');
    // A call changes nothing of ours: saving the rule needs its own scope.
    if (action.kind === 'database') expect(action.scopes.length).toBeGreaterThan(0);
    for (const scope of [...action.scopes, ...scopesOfStep(action, action.example)]) expect(scopes).toContain(scope);
  });

  test('leaves the words of the step alone', () => {
    const names = Object.keys(action.fields.describe().keys as object);
    expect(names).not.toContain('id');
    expect(names).not.toContain('type');
  });

  test('has an example that it takes, once Liquid is rendered', () => {
    const faults = faultsOf(() => readFields(action, action.example));
    const rendered = Object.entries(action.example).filter(([, value]) => hasLiquid(value));
    const isRendered = (field = '') => rendered.some(([name]) => field.startsWith(name));
    expect(faults.filter(({ field }) => !isRendered(field))).toEqual([]);
  });

  test('refuses a field that it does not have, and says all faults at once', () => {
    const faults = faultsOf(() => readFields(action, { ...action.example, nonsense: 1, nothing: 2 }));
    expect(faults.filter(({ code }) => code === 'object.unknown').map(({ field }) => field)).toEqual(['nonsense', 'nothing']);
  });
});

function faultsOf(work: () => unknown) {
  try {
    work();
    return [];
  } catch (error) {
    return (error as AppError).details ?? [];
  }
}

describe('scopes by what a step changes', () => {
  test.each([
    ['add_tag', { tag: 'a' }, ['contacts:write']],
    ['add_tag', { tag: 'a', on: 'conversation' }, ['conversations:write']],
    ['add_tag', { tag: 'a', on: '{{ vars.on }}' }, ['contacts:write', 'conversations:write']],
    ['set_field', { on: 'record' }, ['crm:write']],
    ['set_field', {}, ['contacts:write']],
    ['create_deal', {}, ['crm:write']],
    ['send_message', {}, ['messages:write']],
  ])('%s %j: %j', (type, fields, needed) => {
    expect(scopesOfStep(actions.get(type)!, fields)).toEqual(needed);
  });
});
