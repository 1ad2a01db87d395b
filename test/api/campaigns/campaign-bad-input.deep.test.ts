import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import {
  act,
  at,
  channelWithTemplates,
  completeDraft,
  inDays,
  stranger,
  templateOf,
  variantOf,
} from '../../support/campaign-drafts.ts';
import { contact } from '../../support/factories/contact.ts';
import { storedChannels } from '../../support/stored/channels.ts';
import { storedTemplates } from '../../support/stored/messaging.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp();
let channel: Channel;
let foreign: Channel;
let foreignContact: string;
let foreignSegment: string;
let foreignCampaign: string;
beforeAll(async () => {
  channel = await channelWithTemplates(app);
  const tenant = await app.organization();
  foreign = await channelWithTemplates(app, tenant);
  foreignContact = (await contact(app.em(), tenant.organizationId)).id;
  const made = await app.call('segments.create', { key: tenant.key, body: { name: 'Theirs', kind: 'static' } });
  foreignSegment = made.body.id;
  foreignCampaign = (await completeDraft(app, foreign)).id;
});

type Case = [what: string, body: () => object | Promise<object>, field: string];
const variants = (...templates: object[]) => ({ variants: [variantOf(...templates)] });
const greeting = (...texts: string[]) => ({
  ...templateOf('greeting', ''),
  components: [{ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) }],
});
const schedule = (given: object) => () => ({ schedule: given });
const guards = (given: object) => () => ({ guards: given });
const audience = (given: object) => ({ audience: given });

/** Refused whenever they are saved, and at the start where the start takes them. */
const faults: Case[] = [
  ['no name', () => ({ name: '' }), 'name'],
  ['a name of 201 characters', () => ({ name: 'x'.repeat(201) }), 'name'],
  ['a name of two lines', () => ({ name: 'a\nb' }), 'name'],
  ['an unknown purpose', () => ({ purpose: 'fun' }), 'purpose'],
  ['its own status', () => ({ status: 'running' }), 'status'],
  ['an unknown channel', () => ({ channel_ids: [channel.id, stranger] }), 'channel_ids[1]'],
  ['a foreign channel', () => ({ channel_ids: [foreign.id] }), 'channel_ids[0]'],
  ['a deleted channel', async () => ({ channel_ids: [await deletedChannel()] }), 'channel_ids[0]'],
  ['a channel twice', () => ({ channel_ids: [channel.id, channel.id] }), 'channel_ids[1]'],
  ['21 channels', () => ({ channel_ids: Array.from({ length: 21 }, (_, n) => stranger.slice(0, -2) + (10 + n)) }), 'channel_ids'],
  [
    '6 variants',
    () => ({ variants: Array.from({ length: 6 }, (_, n) => ({ ...variantOf(greeting('x')), id: `v${n}` })) }),
    'variants',
  ],
  ['weights of 0 alone', () => ({ variants: [{ ...variantOf(greeting('x')), weight: 0 }] }), 'variants'],
  ['a weight of 1001', () => ({ variants: [{ ...variantOf(greeting('x')), weight: 1_001 }] }), 'variants[0].weight'],
  ['one id twice', () => ({ variants: [variantOf(greeting('x')), variantOf(greeting('y'))] }), 'variants[1].id'],
  ['a variant without a template', () => variants(), 'variants[0].templates'],
  ['an unknown template', () => variants(templateOf('other', 'x')), 'variants[0].templates[0].name'],
  ['a template in another language', () => variants(templateOf('greeting', 'x', 'de')), 'variants[0].templates[0].name'],
  ['a paused template', () => variants(templateOf('stopped', 'x')), 'variants[0].templates[0].name'],
  ['a language twice', () => variants(greeting('x'), greeting('y')), 'variants[0].templates[1].language'],
  ['too few parameters', () => variants(templateOf('greeting', '')), 'variants[0].templates[0].components'],
  ['too many parameters', () => variants(greeting('x', 'y')), 'variants[0].templates[0].components[0].parameters[1]'],
  [
    'a parameter with a name',
    () =>
      variants({
        ...templateOf('greeting', ''),
        components: [{ type: 'body', parameters: [{ type: 'text', parameter_name: 'who', text: 'x' }] }],
      }),
    'variants[0].templates[0].components[0].parameters[0].parameter_name',
  ],
  [
    'a text that does not parse',
    () => variants(greeting('{{ contact.name')),
    'variants[0].templates[0].components[0].parameters[0].text',
  ],
  [
    'a parameter of a file that no file can have',
    () => variants(greeting('{{ recipient.Code }}')),
    'variants[0].templates[0].components[0].parameters[0].text',
  ],
  ['an unknown segment', () => audience({ segment_ids: [stranger] }), 'audience.segment_ids[0]'],
  ['a foreign segment', () => audience({ segment_ids: [foreignSegment] }), 'audience.segment_ids[0]'],
  [
    'a foreign segment to leave out',
    () => audience({ exclude_segment_ids: [foreignSegment] }),
    'audience.exclude_segment_ids[0]',
  ],
  ['an unknown contact', () => audience({ contact_ids: [stranger] }), 'audience.contact_ids[0]'],
  ['a foreign contact', () => audience({ contact_ids: [foreignContact] }), 'audience.contact_ids[0]'],
  [
    '1,001 contacts',
    () => audience({ contact_ids: Array.from({ length: 1_001 }, (_, n) => manyIds(n)) }),
    'audience.contact_ids',
  ],
  ['a filter of an unknown field', () => audience({ filters: [{ field: 'shoe', value: 1 }] }), 'audience.filters[0].field'],
  [
    'a filter with a wrong operator',
    () => audience({ filters: [{ field: 'created_at', operator: 'contains', value: 'x' }] }),
    'audience.filters[0].operator',
  ],
  [
    'an unknown campaign',
    () => audience({ from_campaign: { campaign_id: stranger, statuses: ['sent'] } }),
    'audience.from_campaign.campaign_id',
  ],
  [
    'a foreign campaign',
    () => audience({ from_campaign: { campaign_id: foreignCampaign, statuses: ['sent'] } }),
    'audience.from_campaign.campaign_id',
  ],
  [
    'an unknown status',
    () => audience({ from_campaign: { campaign_id: stranger, statuses: ['lost'] } }),
    'audience.from_campaign.statuses[0]',
  ],
  ['no statuses', () => audience({ from_campaign: { campaign_id: stranger, statuses: [] } }), 'audience.from_campaign.statuses'],
  ['the end before the start', schedule({ start_at: inDays(2), end_at: inDays(1) }), 'schedule.end_at'],
  ['an end that is past', schedule({ end_at: inDays(-1) }), 'schedule.end_at'],
  [
    'hours that are all quiet',
    schedule({
      ...{ start_at: `${inDays(2).slice(0, 10)}T22:00:00`, end_at: `${inDays(3).slice(0, 10)}T06:00:00`, is_local: true },
      quiet_hours: { from: '21:00', to: '08:00' },
    }),
    'schedule.end_at',
  ],
  ['a start two years ahead', schedule({ start_at: inDays(730) }), 'schedule.start_at'],
  ['a start without its offset', schedule({ start_at: '2026-12-01T09:00:00' }), 'schedule.start_at'],
  ['a local start with an offset', schedule({ start_at: inDays(2), is_local: true }), 'schedule.start_at'],
  ['local without a start', schedule({ is_local: true }), 'schedule.start_at'],
  ['30 February', schedule({ start_at: '2027-02-30T09:00:00Z' }), 'schedule.start_at'],
  ['the zone Mars/Base', schedule({ timezone: 'Mars/Base' }), 'schedule.timezone'],
  ['quiet hours of 24 h', schedule({ quiet_hours: { from: '08:00', to: '08:00' } }), 'schedule.quiet_hours.to'],
  ['quiet hours until 25:00', schedule({ quiet_hours: { from: '08:00', to: '25:00' } }), 'schedule.quiet_hours.to'],
  ['no day', schedule({ days: [] }), 'schedule.days'],
  ['a day that is none', schedule({ days: ['someday'] }), 'schedule.days[0]'],
  ['failures above 0 %', guards({ max_failed_percent: 0 }), 'guards.max_failed_percent'],
  ['failures above 101 %', guards({ max_failed_percent: 101 }), 'guards.max_failed_percent'],
  ['no grace', guards({ start_grace_minutes: 0 }), 'guards.start_grace_minutes'],
  ['a grace of more than a day', guards({ start_grace_minutes: 1_441 }), 'guards.start_grace_minutes'],
  ['a pace of 0', () => ({ pace: { per_minute: 0 } }), 'pace.per_minute'],
  ['a pace of 100,001', () => ({ pace: { per_minute: 100_001 } }), 'pace.per_minute'],
];

async function deletedChannel(): Promise<string> {
  const { id } = await app.connect();
  await storedChannels.change(app, id, { deleted_at: now() });
  return id;
}
const manyIds = (n: number) => `0193ffff-3a0e-7cc4-8f4e-${String(n).padStart(12, '0')}`;

const stateOf = async () =>
  JSON.stringify(
    await Promise.all(
      ['campaigns', 'campaign_channels', 'campaign_segments', 'jobs'].map((table) =>
        app.rows(`select to_jsonb(t) as row from ${table} t where organization_id = $1 order by to_jsonb(t)::text`, [
          app.tenant.organizationId,
        ]),
      ),
    ),
  );
const fieldsOf = ({ error }: Body) => error.details.map(({ field }: Body) => field);

describe('is a 422 at its field, and nothing changes', () => {
  test.each(faults)('%s', async (_, body, field) => {
    const made = await completeDraft(app, channel);
    const given = await body();
    const before = await stateOf();
    const replies = [
      await app.call('campaigns.create', { body: { name: 'New', channel_ids: [channel.id], ...given } }),
      await app.call('campaigns.update', { ...at(made.id), body: given }),
      ...('schedule' in given ? [await act(app, 'start', made.id, given)] : []),
    ];
    for (const reply of replies) {
      expect([reply.status, fieldsOf(reply.body)]).toEqual([422, expect.arrayContaining([field])]);
    }
    expect(await stateOf()).toBe(before);
  });

  test.each<Case>([
    ['no channel', () => ({ channel_ids: [] }), 'channel_ids'],
    ['no variant', () => ({ variants: [] }), 'variants'],
    ['no audience', () => ({ audience: {} }), 'audience'],
    ['an audience that only leaves out', () => ({ audience: { filters: [], tags: [], search: ' ' } }), 'audience'],
  ])('%s may be saved, and is not started', async (_, body, field) => {
    const made = await completeDraft(app, channel, await body());
    const before = await stateOf();
    const reply = await act(app, 'start', made.id);
    expect([reply.status, fieldsOf(reply.body)]).toEqual([422, [field]]);
    expect(await stateOf()).toBe(before);
  });

  test('what went away between saving and starting', async () => {
    const own = await channelWithTemplates(app);
    const made = await completeDraft(app, own);
    await storedTemplates.change(app, { channel_id: own.id }, { status: 'rejected' });
    const template = await act(app, 'start', made.id);
    expect([template.status, template.body.error.code]).toEqual([422, 'template_unknown']);
    await storedTemplates.change(app, { channel_id: own.id }, { status: 'approved' });
    await storedChannels.change(app, own.id, { status: 'auth_error' });
    const stopped = await act(app, 'start', made.id);
    expect([stopped.status, stopped.body.error.details[0]]).toEqual([
      422,
      expect.objectContaining({ field: 'channel_ids[0]', code: 'channel.status' }),
    ]);
  });

  test('all faults at once', async () => {
    const body = { name: 'New', channel_ids: [stranger], audience: { contact_ids: [stranger], segment_ids: [stranger] } };
    const reply = await app.call('campaigns.create', { body });
    expect(fieldsOf(reply.body)).toEqual(['channel_ids[0]', 'audience.segment_ids[0]', 'audience.contact_ids[0]']);
  });

  test('a template that one of two channels lacks names the channel', async () => {
    const other = await app.connect({ body: { name: 'Second' } });
    const made = await completeDraft(app, channel);
    const reply = await app.call('campaigns.update', { ...at(made.id), body: { channel_ids: [channel.id, other.id] } });
    expect([reply.status, reply.body.error.code]).toEqual([422, 'template_unknown']);
    expect(reply.body.error.message).toContain('channel');
  });

  test('a patch with nothing, or with a revision that is none', async () => {
    const made = await completeDraft(app, channel);
    for (const body of [{}, { revision: 0 }, { name: null }])
      expect((await app.call('campaigns.update', { ...at(made.id), body })).status).toBe(422);
  });
});
