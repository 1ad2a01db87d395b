import Joi from 'joi';
import { type HistoryRow, historyOf } from '../../src/campaigns/history.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { iso } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { aboutContact } from './schemas.ts';

const text = Joi.string().allow('').required();
const campaignHistoryItem = view(
  Joi.object({
    campaign_id: text,
    campaign_name: text,
    campaign_status: text,
    created_at: text,
    recipient_status: text,
    delivered_at: text,
    failed_at: text,
    sent_at: text,
  }),
  {
    campaign_id: exampleIdOf('campaign'),
    campaign_name: 'Spring sale',
    campaign_status: 'completed',
    created_at: exampleTime,
    recipient_status: 'delivered',
    delivered_at: '2026-11-21T10:00:04.000Z',
    failed_at: '',
    sent_at: '2026-11-21T10:00:02.000Z',
  },
);

const shown = (at: string | null) => (at === null ? '' : iso(at));
const toView = (row: HistoryRow) => ({
  campaign_id: row.campaign_id,
  campaign_name: row.campaign_name,
  campaign_status: row.campaign_status,
  created_at: iso(row.created_at),
  recipient_status: row.recipient_status,
  delivered_at: shown(row.delivered_at),
  failed_at: shown(row.failed_at),
  sent_at: shown(row.sent_at),
});

export const campaignHistory = endpoint({
  ...aboutContact,
  method: 'get',
  path: '/v1/contacts/:contactID/campaign-history',
  operationId: 'contacts.campaign-history',
  scope: 'contacts:read',
  summary: 'List the campaigns a contact was part of, newest first',
  description:
    'An item for each campaign the contact is a recipient of, since `created_at`; what has not happened is an empty text. A contact that was merged shows the campaigns of both.',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(campaignHistoryItem) },
  handler: ({ params, query, own }) =>
    listed('campaign-history', params, query, (page) => historyOf(own, params.contactID, page), toView),
});
