import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { permissionColumns } from '../contacts/permission/permission.ts';
import { parseAhead } from '../liquid/parsed.ts';
import { cappedSql } from '../messaging/campaign-sends.ts';
import type { FrequencyCap } from '../organizations/organization.entity.ts';
import { getOrganization } from '../organizations/organizations.ts';
import type { Own } from '../platform/database/own.ts';
import { type Bind, bindTo } from '../platform/listing/bind.ts';
import type { Reads } from '../platform/listing/reads.ts';
import { timeShares } from '../platform/load/shares.ts';
import type { CampaignRow } from './campaign-row.ts';
import { templatesOf } from './checks/templates.ts';
import { compile } from './content/compile.ts';
import type { ZoneSettings } from './content/zone.ts';
import { type AudienceRead, excludedBy, readAudience } from './prepare/sources.ts';
import { type Sample, type SamplePerson, sampleOf, samplePeople } from './preview-samples.ts';

/** Contacts that are looked at. */
export const maxCounted = 100_000;
export const maxSamples = 5;

const reasons = ['suppressed', 'consent_required', 'no_address', 'frequency_cap'] as const;
export type PreviewCounts = Record<'audience' | 'would_send' | 'excluded' | 'duplicates' | (typeof reasons)[number], number>;
export type Preview = { counts: PreviewCounts; is_capped: boolean; samples: Sample[] };

/** Nothing is written. Throws 422 for a segment that is deleted, 503 where it takes too long. */
export async function previewCampaign(reads: Reads, own: Own, campaign: CampaignRow): Promise<Preview> {
  const settings = await getOrganization(own);
  const { frequency_cap: cap } = settings;
  const templates = await templatesOf(own, campaign.channel_ids, campaign.variants);
  const isMarketing = campaign.purpose !== 'service' || !onlyUtility(campaign, templates);
  const asked = { own, campaign, cap, isMarketing };
  const counting = await statementOf(asked, maxCounted + 1, countsOf);
  const sampling = await statementOf(asked, maxLookedAt, (judged, id) => samplePeople(judged, id, maxSamples));
  const { counted, people } = await reads.dear(own.organizationId, async (ask) => ({
    counted: await ask<Counted>(counting.text, counting.params),
    people: campaign.channel_ids.length > 0 ? await ask<SamplePerson>(sampling.text, sampling.params) : [],
  }));
  const { looked_at, is_capped, ...counts } = counted[0]!;
  return {
    counts: { audience: looked_at - counts.excluded, ...counts },
    is_capped: is_capped ?? false,
    samples: await reads.counted(own.organizationId, () => samplesOf(own, campaign, people, templates, settings)),
  };
}

async function samplesOf(
  own: Own,
  campaign: CampaignRow,
  people: SamplePerson[],
  templates: Templates,
  settings: ZoneSettings,
): Promise<Sample[]> {
  await parseAhead(own.organizationId, campaign.variants);
  const content = compile(campaign.variants);
  const samples: Sample[] = [];
  for (const person of people) {
    samples.push(timeShares.count(own.organizationId, () => sampleOf(campaign, content, person, templates, settings)));
    // A text may take some ms, and the process answers others too.
    await turnOfOthers();
  }
  return samples;
}

/** For a few samples, of each source. */
const maxLookedAt = 1_000;

type Counted = Omit<PreviewCounts, 'audience'> & { looked_at: number; is_capped: boolean | null };

/** `id`: the place of the campaign's. */
async function statementOf(asked: Asked, most: number, textOf: (judged: string, id: string) => string) {
  const params: unknown[] = [asked.own.organizationId];
  const bind = bindTo(params);
  const id = bind(asked.campaign.id);
  const text = textOf(await judgedSql(asked, { bind, id, most }), id);
  return { text, params };
}

type Templates = Awaited<ReturnType<typeof templatesOf>>;

const onlyUtility = ({ channel_ids, variants }: CampaignRow, templates: Templates) =>
  channel_ids.every((id) =>
    variants.every((one) =>
      one.templates.every(({ name, language }) => templates(id)(name, language)?.category.toLowerCase() === 'utility'),
    ),
  );

/** The audience is whole: it is the recipients. */
const nobodyElse: AudienceRead = { sources: [], excluded: [] };
type Bound = { bind: Bind; id: string; most: number };
type Asked = { own: Own; campaign: CampaignRow; cap: FrequencyCap | null; isMarketing: boolean };

/** SQL: conditions of any audience, each source read no further than the bound. */
const countsOf = (judged: string) => `
  with ${judged}
  select count(*)::int as looked_at,
         coalesce(sum(times - 1), 0)::int as duplicates,
         count(*) filter (where is_excluded)::int as excluded,
         ${reasons.map((reason) => `count(*) filter (where reason = '${reason}')::int as ${reason}`).join(', ')},
         count(*) filter (where reason = '')::int as would_send,
         bool_or(is_full) as is_capped
    from judged`;

/** SQL: `judged`: each contact once, on the channel it would be written to, with why it would not be. */
async function judgedSql({ own, campaign, cap, isMarketing }: Asked, { bind, id, most }: Bound): Promise<string> {
  const { sources, excluded } = campaign.prepared?.is_done ? nobodyElse : await readAudience(own, campaign.audience);
  const limit = bind(most);
  const each = sources.map(({ key, from }) => `(select ${key} as id, false as is_added from ${from(bind)} limit ${limit}::int)`);
  const added = `(
    select a.contact_id as id, true as is_added
      from campaign_recipients a
     where a.organization_id = $1 and a.campaign_id = ${id}::uuid
       and a.contact_id is not null and not a.is_extra
     limit ${limit}::int)`;
  const channels = bind(campaign.channel_ids);
  const isOut = excludedBy(excluded, bind);
  const capped = cap ? cappedSql('p.id', ['$1', bind(cap.max), bind(cap.days)]) : 'false';
  return `
    found as (
      select id, count(*) as times, bool_or(is_added) as is_added
        from (${[...each, added].join(' union all ')}) s
       group by id
       limit ${limit}::int),
    placed as (
      select k.id, f.times, (select count(*) from found) >= ${limit}::int as is_full, not f.is_added and (${isOut}) as is_excluded,
             coalesce((
               select c.channel_id
                 from conversations c
                where c.organization_id = $1 and c.contact_id = k.id and c.channel_id = any(${channels}::uuid[])
                order by c.last_message_at desc nulls last, c.id
                limit 1), (${channels}::uuid[])[1]) as channel_id
        from found f
        join contacts k on k.organization_id = $1 and k.id = f.id),
    allowed as (
      select p.*, ${permissionColumns({ organization: '$1', contact: 'p.id', channel: 'p.channel_id' })},
             exists (
               select 1
                 from contact_identities i
                where i.organization_id = $1 and i.contact_id = p.id
                  and i.type in ('phone', 'messaging_app', 'messaging_app_id')) as has_address,
             ${capped} as is_capped
        from placed p),
    judged as (
      select id, times, is_full, is_excluded, channel_id,
             case when is_excluded then 'excluded'
                  when suppression is not null then 'suppressed'
                  when ${isMarketing} and consent is distinct from 'granted' then 'consent_required'
                  when not has_address then 'no_address'
                  when is_capped then 'frequency_cap'
                  else '' end as reason
        from allowed)`;
}
