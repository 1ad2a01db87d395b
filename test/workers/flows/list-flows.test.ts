import { expect, test } from '@jest/globals';
import type { ChannelAccount } from '../../../src/channels/account.ts';
import type { MessagingApp } from '../../../src/providers/messaging-app/provider.ts';
import { listFlows, maxListedPages } from '../../../workers/flows/list-flows.ts';

/** An account whose list has so many pages of one flow each. */
function listOf(pages: number) {
  const asked: (string | null)[] = [];
  const app = {
    async listFlows(_account: unknown, { after }: { after: string | null }) {
      asked.push(after);
      const page = Number(after ?? 0);
      return { flows: [{ id: `flow-${page}`, name: `Flow ${page}` }], after: page + 1 < pages ? String(page + 1) : null };
    },
  };
  return {
    asked,
    at: { app: app as unknown as MessagingApp, account: {} as ChannelAccount, call: <T>(work: () => Promise<T>) => work() },
  };
}

test.each([1, 3, maxListedPages])('a list of %i pages is read whole', async (pages) => {
  const { at, asked } = listOf(pages);
  const { flows, isCut } = await listFlows(at);
  expect(isCut).toBe(false);
  expect(flows.map(({ id }) => id)).toEqual(Array.from({ length: pages }, (_, page) => `flow-${page}`));
  expect(asked).toHaveLength(pages);
});

test('one that does not end is cut', async () => {
  const { at, asked } = listOf(Number.POSITIVE_INFINITY);
  const { flows, isCut } = await listFlows(at);
  expect(isCut).toBe(true);
  expect(flows).toHaveLength(maxListedPages);
  expect(asked).toHaveLength(maxListedPages);
});
