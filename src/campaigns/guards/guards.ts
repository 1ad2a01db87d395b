import type { Own } from '../../platform/database/own.ts';
import type { CampaignRow } from '../campaign-row.ts';
import type { Compiled } from '../content/compile.ts';
import type { Room } from '../feed/rooms.ts';
import { type FeedTemplates, templateTrouble } from '../feed/templates.ts';
import { type CampaignReason, campaignReasons } from '../states.ts';

export const usualMaxFailedPercent = 20;
/** Fewer results say nothing. */
export const minResults = 50;
const maxResults = 500;

/** SQL: the newest results since it was started or resumed, no further than the bound. */
const resultsStatement = `
  select count(*)::int as total, (count(*) filter (where r.status = 'failed'))::int as failed
    from (
      select q.status
        from campaign_recipients q
       where q.organization_id = $1
         and q.campaign_id = $2
         and q.result_at is not null
         and q.result_at > coalesce($3::timestamptz, '-infinity')
       order by q.result_at desc
       limit ${maxResults}) r`;

/** Why the campaign must stop by itself; undefined: it may go on. */
export async function troubleOf(
  own: Own,
  campaign: CampaignRow,
  rooms: Room[],
  templates: FeedTemplates,
  content: Compiled,
): Promise<CampaignReason | undefined> {
  if (campaign.alarm !== null) return alarmReason(campaign.alarm);
  if (rooms.some(({ status, is_deleted }) => is_deleted || status !== 'connected')) return 'channel_stopped';
  return (
    templateTrouble(
      templates,
      rooms.map(({ id }) => id),
      campaign.variants,
      content,
    ) ?? (await tooManyFailures(own, campaign))
  );
}

const alarmReason = (alarm: string): CampaignReason => campaignReasons.find((reason) => reason === alarm) ?? 'template_paused';

async function tooManyFailures(own: Own, { id, guards, resumed_at }: CampaignRow): Promise<CampaignReason | undefined> {
  const [results] = await own.sql<{ total: number; failed: number }>(resultsStatement, [id, resumed_at]);
  const { total, failed } = results!;
  const percent = guards.max_failed_percent ?? usualMaxFailedPercent;
  return total >= minResults && failed * 100 > percent * total ? 'too_many_failures' : undefined;
}
