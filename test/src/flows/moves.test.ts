import { expect, test } from '@jest/globals';
import { type FlowStatus, flowStatuses } from '../../../src/flows/flow.entity.ts';
import { assertMove, type FlowAction, flowActions, moveOf, providerMayMove } from '../../../src/flows/moves.ts';

/** What is not here is a conflict. */
const table: Record<FlowStatus, Partial<Record<FlowAction, string>>> = {
  draft: { push: 'draft', unpublish: 'draft', publish: 'published', delete: 'gone', sync: 'draft', preview: 'draft' },
  published: { unpublish: 'draft', publish: 'published', deprecate: 'deprecated', sync: 'published', preview: 'published' },
  throttled: { deprecate: 'deprecated', sync: 'throttled', preview: 'throttled' },
  blocked: { deprecate: 'deprecated', sync: 'blocked', preview: 'blocked' },
  deprecated: { deprecate: 'deprecated', sync: 'deprecated', preview: 'deprecated' },
};

const cells = flowStatuses.flatMap((status) => flowActions.map((action) => [status, action, table[status][action]] as const));

test.each(cells)('a flow that is %s, asked to %s: %s', (status, action, to) => {
  expect(moveOf(status, action)).toBe(to);
  if (to) expect(() => assertMove(status, action)).not.toThrow();
  else
    expect(() => assertMove(status, action)).toThrow(
      expect.objectContaining({ code: 'conflict', status: 409, message: expect.stringContaining(status) }),
    );
});

test.each(flowStatuses.flatMap((from) => flowStatuses.map((to) => [from, to] as const)))(
  'the provider tells that a flow that is %s is %s',
  (from, to) => {
    expect(providerMayMove(from, to)).toBe(from !== 'deprecated' || to === 'deprecated');
  },
);
