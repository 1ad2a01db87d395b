import type { Own } from '../../platform/database/own.ts';
import type { Fault } from '../../templates/faults.ts';
import type { CampaignRow } from '../campaign-row.ts';
import type { CampaignReason } from '../states.ts';
import { channelStatus } from './channels.ts';
import { laterFaults } from './content.ts';
import { templatesOf } from './templates.ts';

/** `failed` is the end of its recipients, those of files too. */
export type Obstacle = { to: 'paused' | 'failed'; reason: CampaignReason };

/**
 * Why a scheduled campaign cannot begin at its time. What may come back, as a channel whose token has expired or a template that the provider has
 * paused for an hour, pauses it; what cannot fails it.
 */
export async function obstacleOf(own: Own, campaign: CampaignRow): Promise<Obstacle | undefined> {
  const faults = await laterFaults(own, campaign);
  if (faults.length === 0) return undefined;
  const about = (field: string) => faults.filter(({ path }) => String(path[0]).startsWith(field));
  const channels = about('channel_ids');
  if (channels.some(isForEver)) return { to: 'failed', reason: 'channel_stopped' };
  const template = await templateObstacle(own, campaign, about('variants').length > 0);
  if (template?.to === 'failed') return template;
  if (faults.length > channels.length + about('variants').length) return { to: 'failed', reason: 'audience_empty' };
  return channels.length > 0 ? { to: 'paused', reason: 'channel_stopped' } : template;
}

const isForEver = ({ code }: Fault) => code !== channelStatus;

async function templateObstacle(
  own: Own,
  { channel_ids, variants }: CampaignRow,
  hasFaults: boolean,
): Promise<Obstacle | undefined> {
  if (!hasFaults) return undefined;
  const of = await templatesOf(own, channel_ids, variants);
  const named = variants.flatMap(({ templates }) => templates);
  const all = channel_ids.flatMap((id) => named.map(({ name, language }) => of(id)(name, language)));
  if (all.length === 0 || all.includes(undefined)) return { to: 'failed', reason: 'template_unknown' };
  // Approved and with other parameters than the campaign fills: as the feed says.
  const isPaused = all.some((template) => template!.status !== 'approved');
  return { to: 'paused', reason: isPaused ? 'template_paused' : 'template_unknown' };
}
