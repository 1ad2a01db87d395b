import { setTimeout as sleep } from 'node:timers/promises';
import { type ChannelAccount, channelAccount } from '../../src/channels/account.ts';
import { stopChannel } from '../../src/channels/change.ts';
import { forgetThere } from '../../src/flows/outcome.ts';
import { takeTurn } from '../../src/platform/ledger/pace.ts';
import { ProviderRefused } from '../../src/providers/errors.ts';
import { FlowRefused } from '../../src/providers/messaging-app/flow-refusals.ts';
import type { MessagingApp } from '../../src/providers/messaging-app/provider.ts';
import { channelDeleted } from '../channels/as-channel.ts';
import type { Outcome, RunContext } from '../handler.ts';

export type AtProvider = {
  app: MessagingApp;
  account: ChannelAccount;
  /** One management call, in a turn of its own of the account's pace. */
  call<Answer>(work: () => Promise<Answer>): Promise<Answer>;
};

type Of = { id: string; channel_id: string | null; provider_flow_id: string | null };

/** A repaired channel lets its pool go; until then a run comes back only where another number of the account is connected. */
const channelWaitMs = 60_000;

/**
 * A refusal that is about the channel stops it, and the job keeps its place until the channel is repaired. One that says the provider does
 * not have the flow makes it a draft of ours.
 */
export async function atProvider(
  context: RunContext<unknown>,
  { id, channel_id, provider_flow_id: providerId }: Of,
  work: (at: AtProvider) => Promise<Outcome>,
): Promise<Outcome> {
  const account = channel_id ? await channelAccount(context.own, channel_id, context.secrets) : undefined;
  if (!account) return context.fail(channelDeleted);
  if (account.status !== 'connected') return context.wait(channelWaitMs, { reason: `the channel is ${account.status}` });
  const app = context.providers.messagingApp;
  const call = pacedCalls(context);
  try {
    return await work({ app, account, call });
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    if (error.stopsChannel) {
      await stopChannel(context.transact, account, error.stopsChannel);
      return context.wait(1_000, { reason: error.message });
    }
    const isGone = providerId !== null && saysGone(error) && !(await isListed({ app, account, call }, providerId));
    const message = isGone ? 'The provider does not have this flow any more: it is a draft that can be pushed' : error.message;
    const reason = { code: 'provider_refused', message, provider_code: error.providerCode };
    return context.fail(reason, isGone ? { work: ({ own }) => forgetThere(own, id) } : {});
  }
}

export const saysGone = (error: unknown) => error instanceof FlowRefused && error.reason === 'gone';

function pacedCalls({ database, row, outside }: RunContext<unknown>): AtProvider['call'] {
  return (work) =>
    outside(async () => {
      for (let waitMs = await takeTurn(database, row); waitMs; waitMs = await takeTurn(database, row)) await sleep(waitMs);
      return work();
    });
}

export type FlowPage = Awaited<ReturnType<MessagingApp['listFlows']>>;

const maxPages = 100;

/** The same words mean that the token may not see it: nothing is forgotten before the account's list says so too. */
export async function isListed({ app, account, call }: AtProvider, providerId: string): Promise<boolean> {
  let after: string | null = null;
  for (let page = 0; page < maxPages; page += 1) {
    const from: string | null = after;
    const listed: FlowPage = await call(() => app.listFlows(account, { after: from }));
    if (listed.flows.some(({ id }) => id === providerId)) return true;
    after = listed.after;
    if (after === null) return false;
  }
  return true;
}
