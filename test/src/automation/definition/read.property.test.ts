import { expect, test } from '@jest/globals';
import { readWith } from '../../../../src/automation/definition/read.ts';
import { fc } from '../../../support/fast-check.ts';
import { kit } from './kit.ts';

/** Mostly what a definition has, in its places and in others. */
const word = fc.constantFrom(
  ...[
    'trigger',
    'type',
    'steps',
    'id',
    'branch',
    'branches',
    'conditions',
    'else',
    'wait',
    'wait_for',
    'for',
    'until',
    'on_event',
  ],
  ...[
    'event',
    'message.new',
    'timeout',
    'schedule',
    'cron',
    '0 9 * * *',
    'for_each',
    'kind',
    'contact',
    'filters',
    'field',
    'value',
  ],
  ...[
    'add_tag',
    'tag',
    'set_vars',
    'vars',
    'manual',
    'limits',
    '__proto__',
    'constructor',
    'toString',
    '{{ vars.a }}',
    '{{',
    'a',
    'b',
  ],
);
const anything = fc.jsonValue();
const { node } = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: 'medium' },
    word,
    fc.integer(),
    anything,
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(word, tie('node'), { maxKeys: 6 }),
  ),
}));

const id = fc.stringMatching(/^[a-c]{1,2}$/);
const steps = fc.letrec((tie) => ({
  list: fc.array(tie('step'), { maxLength: 3 }),
  step: fc.oneof(
    { depthSize: 'small' },
    fc.record({ id, type: fc.constant('add_tag'), tag: fc.constantFrom('vip', '{{ contact.name }}', '{{ vars.a.b }}') }),
    fc.record({ id, type: fc.constant('wait'), for: fc.record({ days: fc.integer({ min: 0, max: 400 }) }) }),
    fc.record({ id, type: fc.constant('set_vars'), vars: fc.dictionary(id, fc.oneof(anything, word)) }),
    fc.record({ id, type: fc.constant('stop') }),
    fc.record(
      {
        id,
        type: fc.constant('branch'),
        branches: fc.array(fc.record({ conditions: fc.constant({ field: 'contact.name' }), steps: tie('list') }), {
          minLength: 1,
          maxLength: 2,
        }),
        else: tie('list'),
      },
      { requiredKeys: ['id', 'type', 'branches'] },
    ),
    fc.record(
      {
        id,
        type: fc.constant('wait_for'),
        event: word,
        timeout: fc.constant({ hours: 1 }),
        on_event: tie('list'),
        on_timeout: tie('list'),
      },
      { requiredKeys: ['id', 'type', 'event', 'timeout'] },
    ),
  ),
})).list;
const trigger = fc.oneof(
  fc.constantFrom({ type: 'manual' }, { type: 'event', event: 'message.new' }, { type: 'api', name: 'a' }),
  fc.record({ type: fc.constant('schedule'), cron: fc.stringMatching(/^[0-9*/,-]{1,4}( [0-9*]{1,2}){4}$/) }),
);
const likely = fc.record(
  { trigger, steps, concurrency: fc.constantFrom('skip', 'each'), conditions: fc.constantFrom(null, { field: 'a' }) },
  { requiredKeys: ['trigger', 'steps'] },
);

/** As it comes over the wire. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const readable = {
  trigger: { type: 'event', event: 'message.new' },
  steps: [
    { id: 'a', type: 'wait', for: { days: 1 } },
    { id: 'b', type: 'stop' },
  ],
};

test('no JSON makes it throw, and there is a definition or a fault with its place', () => {
  fc.assert(
    fc.property(fc.oneof(node, fc.record({ trigger: node, steps: node, conditions: node, exit_when: node }), likely), (given) => {
      const { definition, faults } = readWith(kit, sent(given));
      expect(definition === undefined).toBe(faults.length > 0);
      for (const { field, location, code, message } of faults)
        expect([typeof field, location, typeof code, typeof message]).toEqual(['string', 'body', 'string', 'string']);
    }),
  );
});

test('what is read is JSON, and is read as the same again', () => {
  let read = 0;
  fc.assert(
    fc.property(likely.map(sent), (given) => {
      const { definition } = readWith(kit, given);
      if (!definition) return;
      read++;
      const stored: unknown = JSON.parse(JSON.stringify(definition));
      expect(stored).toStrictEqual(definition);
      expect(readWith(kit, stored).definition).toStrictEqual(definition);
    }),
    { examples: [[readable]] },
  );
  // The first example is read, at least.
  expect(read).toBeGreaterThan(0);
});
