import { defineEntity, p } from '@mikro-orm/core';
import { jsonBytes, tenant, times, timestamp } from '../platform/database/columns.ts';
import type { CampaignPhase, CampaignStatus } from './states.ts';
import { campaignPhases, campaignStatuses } from './states.ts';

export const purposes = ['marketing', 'service'] as const;
export type Purpose = (typeof purposes)[number];

/** `components`: as in a template message; each text may hold values, as `{{ contact.name }}` (content/). */
export type TemplateChoice = { name: string; language: string; components: unknown[] };
/** `weight`: its share of the recipients, 0-1000. */
export type Variant = { id: string; weight: number; templates: TemplateChoice[] };

/** Who becomes a recipient at the start: whoever is in one of these, less the exclusions, each contact once. */
export type Audience = {
  segment_ids?: string[];
  exclude_segment_ids?: string[];
  filters?: unknown[];
  search?: string;
  /** Their names: whoever has one of them. */
  tags?: string[];
  contact_ids?: string[];
  from_campaign?: { campaign_id: string; statuses: string[] };
};

export type Weekday = 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday';

/** Times of day are `HH:MM` by the clock of the recipient's zone. `is_local`: `start_at` and `end_at` too, which then have no offset. */
export type Schedule = {
  start_at?: string;
  end_at?: string;
  timezone?: string;
  is_local?: boolean;
  quiet_hours?: { from: string; to: string } | null;
  days?: Weekday[] | null;
};

/** Messages a minute over all channels; without it as fast as the channels. */
export type Pace = { per_minute?: number };

/** `max_failed_percent`: of the last 500 results. `retry_capped`: whom the provider has written enough to is tried once more after 24 h. */
export type Guards = { max_failed_percent?: number; retry_capped?: boolean; start_grace_minutes?: number };

/** How far the audience is: which of its sources, the last contact of it, and the recipients so far. */
export type Prepared = { source: number; after: string | null; is_done: boolean; made: number };

export const Campaign = defineEntity({
  name: 'Campaign',
  tableName: 'campaigns',
  properties: {
    ...tenant(),
    name: p.text(),
    status: p.enum(campaignStatuses).$type<CampaignStatus>().defaultRaw(`'draft'`),
    /** Only while it runs or is paused. */
    phase: p.enum(campaignPhases).$type<CampaignPhase>().strictNullable(),
    /** Why it is paused or has failed; empty: somebody asked for it. */
    reason: p.text().defaultRaw(`''`),
    purpose: p.enum(purposes).defaultRaw(`'marketing'`),
    variants: p.json<Variant[]>().defaultRaw(`'[]'`),
    audience: p.json<Audience>().defaultRaw(`'{}'`),
    content_bytes: jsonBytes('variants', 'audience'),
    schedule: p.json<Schedule>().defaultRaw(`'{}'`),
    pace: p.json<Pace>().defaultRaw(`'{}'`),
    guards: p.json<Guards>().defaultRaw(`'{}'`),
    revision: p.integer().default(1),
    /** What a message told about the whole campaign: the feed pauses it. */
    alarm: p.text().strictNullable(),
    prepared: p.json<Prepared>().strictNullable(),
    /** With a pace of its own: when its next message may be made. */
    paced_until: timestamp().strictNullable(),
    /** The zones of its recipients. */
    zones: p.array<string>().defaultRaw(`'{}'`),
    /** How many recipients have each status, as counted at `counted_at`. */
    counts: p.json<Record<string, number>>().strictNullable(),
    counted_at: timestamp().strictNullable(),
    /** Not before, where they are many. */
    counts_due_at: timestamp().strictNullable(),
    /** What its statistics are made of (figures.ts). */
    figures: p.json<unknown>().strictNullable().lazy(),
    figured_at: timestamp().strictNullable(),
    figures_due_at: timestamp().strictNullable(),
    /** Its recipients begin to go: what was counted stays. */
    frozen_at: timestamp().strictNullable(),
    purged_at: timestamp().strictNullable(),
    /** Of the job that starts, prepares or feeds it. */
    job_id: p.uuid().strictNullable(),
    /** It was cancelled, and recipients wait to be marked. */
    withdrawing: p.boolean().defaultRaw('false'),
    created_by: p.text().defaultRaw(`''`),
    started_by: p.text().defaultRaw(`''`),
    /** The first moment at which somebody is due. */
    start_at: timestamp().strictNullable(),
    started_at: timestamp().strictNullable(),
    paused_at: timestamp().strictNullable(),
    resumed_at: timestamp().strictNullable(),
    ended_at: timestamp().strictNullable(),
    deleted_at: timestamp().strictNullable(),
    ...times(),
  },
});

export const CampaignChannel = defineEntity({
  name: 'CampaignChannel',
  tableName: 'campaign_channels',
  properties: {
    organization_id: p.uuid().primary(),
    campaign_id: p.uuid().primary(),
    channel_id: p.uuid().primary(),
    position: p.integer(),
  },
});

/** Of a campaign that has not ended: such a segment is not deleted. */
export const CampaignSegment = defineEntity({
  name: 'CampaignSegment',
  tableName: 'campaign_segments',
  properties: {
    organization_id: p.uuid().primary(),
    campaign_id: p.uuid().primary(),
    segment_id: p.uuid().primary(),
  },
});
