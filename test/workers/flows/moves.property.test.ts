import { expect, test } from '@jest/globals';
import type { FlowStatus } from '../../../src/flows/flow.entity.ts';
import { useApp } from '../../support/app.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import { flowChange } from '../../support/flow-changes.ts';
import { asks, document, draft, flowOf, settled, there, unpaced } from '../../support/flow-moves.ts';

const app = useApp({ workers: true });

type Step =
  | { kind: 'ask'; action: 'push' | 'publish' | 'deprecate' | 'sync' | 'unpublish' }
  | { kind: 'edit' }
  | { kind: 'provider'; status: FlowStatus; copies: number }
  /** All webhooks so far once more, in another order. */
  | { kind: 'late'; seed: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      action: fc.constantFrom('push', 'publish', 'deprecate', 'sync', 'unpublish'),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ kind: 'edit' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('provider' as const),
      status: fc.constantFrom('published', 'throttled', 'blocked'),
      copies: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('late' as const), seed: fc.nat() }) },
) as fc.Arbitrary<Step>;

/** What stands here and there after each step. */
class Model {
  status: FlowStatus = 'draft';
  isThere = false;
  isChanged = true;

  /** The status of the reply. */
  ask(action: (Step & { kind: 'ask' })['action']): number {
    const { status } = this;
    if (action === 'sync') return this.isThere ? 200 : 409;
    if (action === 'deprecate') {
      if (status === 'draft') return 409;
      this.status = 'deprecated';
      return 200;
    }
    if (status !== 'draft' && status !== 'published') return 409;
    if (action === 'push' && status === 'published') return 409;
    if (action === 'publish') this.status = 'published';
    else if (this.isChanged) this.status = 'draft';
    this.isThere = true;
    this.isChanged = false;
    return 200;
  }

  edit() {
    if (this.status !== 'deprecated') this.isChanged = true;
  }

  /** Only of what was published. False: it does not happen. */
  decided(status: FlowStatus): boolean {
    if (this.status === 'draft' || this.status === 'deprecated' || this.status === status) return false;
    this.status = status;
    return true;
  }
}

/** The provider's clock is ahead of ours here: its last webhook comes again after what we did next. */
const copyAfterOurs: Step[] = [
  { kind: 'ask', action: 'publish' },
  { kind: 'provider', status: 'blocked', copies: 1 },
  { kind: 'provider', status: 'published', copies: 1 },
  { kind: 'edit' },
  { kind: 'ask', action: 'unpublish' },
  { kind: 'late', seed: 1 },
];

test('any sequence of requests and webhooks, doubled and late, ends where the model ends', async () => {
  let at = Math.floor(Date.now() / 1_000) + 3_600;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      const model = new Model();
      const channel = await unpaced(app);
      const { id } = await draft(app, channel);
      const told: object[] = [];
      let edits = 0;
      for (const one of steps) {
        if (one.kind === 'ask') {
          const isPush = one.action === 'unpublish';
          const reply = await asks(app, id, isPush ? 'push' : one.action, isPush ? { body: { allow_unpublish: true } } : {});
          expect([one, reply.status]).toEqual([one, model.ask(one.action)]);
        } else if (one.kind === 'edit') {
          edits += 1;
          await app.call('flows.update', { params: { flowID: id }, body: { flow_json: document(`Edit ${edits}`) } });
          model.edit();
        } else if (one.kind === 'provider') {
          const before = model.status;
          if (!model.decided(one.status)) continue;
          at += 1;
          const { provider_flow_id } = await flowOf(app, id);
          await app.control('POST', `/flows/${provider_flow_id}/status`, { status: one.status.toUpperCase(), is_told: false });
          const words = { old_status: before.toUpperCase(), new_status: one.status.toUpperCase() };
          const webhook = flowChange({ event: 'FLOW_STATUS_CHANGE', flow_id: provider_flow_id, ...words }, at, channel.wabaId);
          told.push(webhook);
          for (let copy = 0; copy < one.copies; copy += 1) await app.webhook(webhook);
        } else for (const webhook of shuffled(told, one.seed)) await app.webhook(webhook);
        await app.idle();
        await settled(app, id);
      }
      const flow = await flowOf(app, id);
      const [provider] = await there(app, channel);
      expect([flow.status, flow.has_local_changes, provider !== undefined]).toEqual([
        model.status,
        model.isChanged,
        model.isThere,
      ]);
      if (provider) expect(provider.status.toLowerCase()).toBe(model.status);
    }),
    { numRuns: numRuns({ default: 3, deep: 15 }), endOnFailure: true, examples: [[copyAfterOurs]] },
  );
}, 240_000);

const shuffled = <Item>(items: Item[], seed: number): Item[] =>
  items
    .map((item, index) => ({ item, rank: Math.sin(seed + index * 7) }))
    .sort((one, other) => one.rank - other.rank)
    .map(({ item }) => item);
