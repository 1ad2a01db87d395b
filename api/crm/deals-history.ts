import { getDeal } from '../../src/deals/deal-row.ts';
import { endpoint } from '../http/endpoint.ts';
import { listOf } from '../http/paging.ts';
import { aboutDeal } from './deal-schemas.ts';
import { historyQuery, historyReply, historyView } from './history-view.ts';

export const historyOfDeal = endpoint({
  ...aboutDeal,
  method: 'get',
  path: '/v1/crm/deals/:dealID/history',
  operationId: 'crm.deals.history',
  scope: 'crm:read',
  summary: 'List the changes of a deal, newest first',
  query: historyQuery,
  responses: { 200: listOf(historyView) },
  async handler({ params, query, own }) {
    await getDeal(own, params.dealID);
    return historyReply(own, params.dealID, query);
  },
});
