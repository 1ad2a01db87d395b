import { getCampaign } from '../../src/campaigns/campaign-row.ts';
import type { Caller } from '../../src/organizations/caller.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { AppError } from '../../src/platform/errors.ts';

export const maySendNote = 'Needs the scope `messages:write` too.';
export const mayChangeSendsNote = 'Of a campaign that is scheduled or runs it needs the scope `messages:write` too.';

/** Throws 403, which names the scope; 404 for a campaign that is not there, as with all scopes. */
export async function assertMaySend(own: Own, { scopes }: Caller, campaignId: string): Promise<void> {
  if (scopes.has('messages:write')) return;
  await getCampaign(own, campaignId);
  throw lacking();
}

/**
 * For a change of what a campaign says or whom it writes to. One that is scheduled or runs sends it with no further act; a draft and a paused one need somebody
 * who may start it. Under the campaign's lock. Throws as above.
 */
export async function assertMayChangeSends(own: Own, { scopes }: Caller, campaignId: string): Promise<void> {
  if (scopes.has('messages:write')) return;
  const { status } = await getCampaign(own, campaignId);
  if (status === 'scheduled' || status === 'running') throw lacking();
}

const lacking = () => new AppError('forbidden', 'The credential lacks the scope messages:write, which sending needs too');
