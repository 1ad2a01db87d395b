import Joi from 'joi';
import { type CampaignRow, getCampaign, listCampaigns } from '../../src/campaigns/campaign-row.ts';
import { type CampaignPatch, patchCampaign } from '../../src/campaigns/change.ts';
import { type Counted, countsOfPage } from '../../src/campaigns/counts.ts';
import { createCampaign, duplicateCampaign, type NewCampaign } from '../../src/campaigns/create.ts';
import { deleteCampaign } from '../../src/campaigns/delete.ts';
import { campaignLane } from '../../src/campaigns/jobs.ts';
import { type CampaignStatus, campaignStatuses } from '../../src/campaigns/states.ts';
import { parseAhead } from '../../src/liquid/parsed.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { runsThrough } from '../../src/platform/database/statement.ts';
import { pageBytesNote } from '../../src/platform/listing/page-bytes.ts';
import type { Page } from '../../src/platform/listing/paging.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { withExample } from '../http/view.ts';
import { aboutCampaign, contentFields, exampleContent, exampleName, name, onePath, path, tag } from './campaign-schemas.ts';
import { campaignShown, campaignView, toCampaignView } from './campaign-view.ts';
import { assertMayChangeSends, mayChangeSendsNote } from './may-send.ts';
import { parseContent } from './parse-content.ts';

type ListQuery = PageQuery & { status?: CampaignStatus };

export const listOfCampaigns = endpoint({
  tag,
  method: 'get',
  path,
  operationId: 'campaigns.list',
  scope: 'campaigns:read',
  summary: 'List campaigns, newest first',
  description: pageBytesNote('variants and audiences'),
  query: Joi.object<ListQuery>({
    ...pageQuery,
    status: Joi.string()
      .valid(...campaignStatuses)
      .description('Only those that stand so'),
  }),
  responses: { 200: listOf(campaignView) },
  async handler({ query, own }, { reads }) {
    const { status } = query;
    const read = async (page: Page) => {
      const { rows, ...rest } = await reads.dear(own.organizationId, (ask) =>
        listCampaigns(runsThrough(ask, own.organizationId), { status }, page),
      );
      const ids = rows.map(({ id }) => id);
      const counted = await countsOfPage(own, ids);
      return { ...rest, rows: rows.map((row) => ({ ...row, counted: counted.get(row.id) })) };
    };
    return listed('campaigns', { status }, query, read, (row: CampaignRow & { counted?: Counted }) =>
      campaignShown(row, row.counted!),
    );
  },
});

export const createOneCampaign = endpoint({
  ...aboutCampaign,
  method: 'post',
  path,
  operationId: 'campaigns.create',
  scope: 'campaigns:write',
  summary: 'Create a campaign',
  description:
    'A draft: nobody is written to before it is started. It may be incomplete; what is given is checked, and each fault is a detail with its path.',
  isIdempotent: true,
  isCounted: true,
  body: Joi.object<NewCampaign>({ name: name.required(), ...contentFields }),
  responses: { 201: campaignView },
  example: { body: { name: exampleName, audience: { tags: ['vip'] }, pace: exampleContent.pace, guards: exampleContent.guards } },
  async handler({ body, caller, write }) {
    await parseAhead(caller.organizationId, body.variants);
    return write({}, async ({ own }) => ({
      status: 201,
      body: await toCampaignView(own, await createCampaign(own, actorOf(caller), body)),
    }));
  },
});

export const getOneCampaign = endpoint({
  tag,
  subject: aboutCampaign.subject,
  method: 'get',
  path: onePath,
  operationId: 'campaigns.get',
  scope: 'campaigns:read',
  summary: 'Get one campaign',
  responses: { 200: campaignView },
  handler: async ({ params, own }) => ok(await toCampaignView(own, await getCampaign(own, params.campaignID))),
});

export const patchOneCampaign = endpoint({
  ...aboutCampaign,
  method: 'patch',
  path: onePath,
  operationId: 'campaigns.update',
  scope: 'campaigns:write',
  summary: 'Change a campaign',
  description: `What is not given stays; an object or list that is given replaces the one before. A draft and a scheduled campaign: everything; a scheduled one keeps its \`start_at\` where the new schedule has none. A paused one: \`schedule\`, \`pace\` and \`guards\`. In any other state it is a 409 that names the state. With \`revision\` it is changed only if nobody has changed it since. ${mayChangeSendsNote}`,
  isCounted: true,
  body: Joi.object<CampaignPatch>({
    name,
    ...contentFields,
    revision: Joi.number().integer().min(1).description('The revision that you have read'),
  }).min(1),
  responses: { 200: campaignView },
  errors: [409],
  example: { body: { name: 'Winter sale, the first', pace: { per_minute: 300 } } },
  async handler({ params, body, caller, own: before, write }) {
    if (body.variants) await parseAhead(caller.organizationId, body.variants);
    else if (body.channel_ids) await parseContent(before, params.campaignID);
    return write({ locks: [campaignLane(params.campaignID)] }, async ({ own }) => {
      await assertMayChangeSends(own, caller, params.campaignID);
      return ok(await toCampaignView(own, await patchCampaign(own, params.campaignID, body)));
    });
  },
});

export const deleteOneCampaign = endpoint({
  ...aboutCampaign,
  method: 'delete',
  path: onePath,
  operationId: 'campaigns.delete',
  scope: 'campaigns:write',
  summary: 'Delete a campaign',
  description: 'A draft, or one that has ended, with its recipients. Its messages stay. Any other must be cancelled first: 409.',
  responses: { 204: null },
  errors: [409],
  handler: ({ params, write }) =>
    write({ locks: [campaignLane(params.campaignID)] }, async ({ own }) => {
      await deleteCampaign(own, params.campaignID);
      return { status: 204 };
    }),
});

export const duplicateOneCampaign = endpoint({
  ...aboutCampaign,
  method: 'post',
  path: `${onePath}/duplicate`,
  operationId: 'campaigns.duplicate',
  scope: 'campaigns:write',
  summary: 'Make a new draft of the content of a campaign',
  description:
    'Its name ends in ` (copy)`; its recipients are not taken over. What is gone since, as a deleted channel, is found at the start.',
  isIdempotent: true,
  responses: { 201: withExample(campaignView, { name: `${exampleName} (copy)` }) },
  location: path,
  handler: ({ params, caller, write }) =>
    write({}, async ({ own }) => ({
      status: 201,
      body: await toCampaignView(own, await duplicateCampaign(own, actorOf(caller), params.campaignID)),
    })),
});
