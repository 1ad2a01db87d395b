import { getCampaign } from '../../src/campaigns/campaign-row.ts';
import { parseAhead } from '../../src/liquid/parsed.ts';
import type { Own } from '../../src/platform/database/own.ts';

/** Of a campaign whose content is checked again, before its locks are taken. Throws 404. */
export async function parseContent(own: Own, id: string): Promise<void> {
  await parseAhead(own.organizationId, (await getCampaign(own, id)).variants);
}
