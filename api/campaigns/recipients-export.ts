import Joi from 'joi';
import { getCampaign } from '../../src/campaigns/campaign-row.ts';
import { getExport, maxExports, queueExport } from '../../src/contacts/export/exports.ts';
import { exportLane } from '../../src/contacts/export/jobs.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIdOf } from '../../src/platform/examples.ts';
import { raw } from '../contacts/csv-file.ts';
import { exportView, toExportView } from '../contacts/exports.ts';
import { endpoint } from '../http/endpoint.ts';
import { operationNote } from '../http/schemas.ts';
import { withExample, wrapped } from '../http/view.ts';
import { aboutRecipients, assertSeesContacts } from './recipient-schemas.ts';
import { statusesGiven, statusesIn } from './recipients.ts';

export const exportRecipients = endpoint({
  ...aboutRecipients,
  method: 'post',
  path: '/v1/campaigns/:campaignID/recipients/export',
  operationId: 'campaigns.recipients.export',
  scope: 'campaigns:read',
  audit: 'contact_export',
  summary: 'Export the recipients of a campaign to a CSV file that is kept',
  description: `A worker writes the file, oldest recipient first: what a recipient shows, and each parameter as \`param.<name>\`. It stands among the exports of contacts: GET /v1/contacts/exports/{exportID} and its /file, for 7 days. One event, \`contacts.exported\`, says so. An organization keeps at most ${maxExports}. A person who is forgotten is taken out of it. A cell that a spreadsheet would take for a formula has a quote before it, unless \`raw=true\`. It takes \`contacts:read\` too.\n\n${operationNote}`,
  isIdempotent: true,
  isOperation: true,
  query: Joi.object<{ raw: boolean }>({ raw }),
  body: Joi.object<{ status?: string } | undefined>({ status: statusesGiven }),
  responses: {
    201: wrapped(
      withExample(exportView, {
        status: 'queued',
        campaign_id: exampleIdOf('campaign'),
        rows: 0,
        bytes: 0,
        finished_at: null,
      }),
    ),
  },
  location: '/v1/contacts/exports',
  example: { body: { status: 'failed,skipped' } },
  async handler({ params: { campaignID }, query, body, caller, own, write }) {
    assertSeesContacts(caller);
    const { id: campaignId } = await getCampaign(own, campaignID);
    const request = { isRaw: query.raw, statuses: statusesIn(body?.status) || undefined };
    return write({ locks: [exportLane(own.organizationId)] }, async (tx) => {
      const { row, operationId } = await queueExport(tx, actorOf(caller), request, campaignId);
      return { status: 201, body: { data: toExportView(row) }, operationId };
    });
  },
  async outcome({ own }, _deps, reply) {
    const { id: exportId } = (reply.body as { data: { id: string } }).data;
    return { ...reply, body: { data: toExportView(await getExport(own, exportId)) } };
  },
});
