import { getCampaign } from '../../src/campaigns/campaign-row.ts';
import type { Caller } from '../../src/organizations/caller.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { AppError } from '../../src/platform/errors.ts';

export const maySendNote = 'Needs the scope `messages:write` too.';

/** Throws 403, which names the scope; 404 for a campaign that is not there, as with all scopes. */
export async function assertMaySend(own: Own, { scopes }: Caller, campaignId: string): Promise<void> {
  if (scopes.has('messages:write')) return;
  await getCampaign(own, campaignId);
  throw new AppError('forbidden', 'The credential lacks the scope messages:write, which sending needs too');
}
