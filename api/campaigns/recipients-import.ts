import Joi from 'joi';
import { openCampaign } from '../../src/campaigns/recipients/open-campaign.ts';
import type { RecipientsRequest } from '../../src/imports/import.entity.ts';
import { type CrmImportRow, getRecipientsImport, queueRecipientsImport } from '../../src/imports/imports.ts';
import { crmImportErrors, crmImportLane } from '../../src/imports/tables.ts';
import { exampleIdOf } from '../../src/platform/examples.ts';
import { data } from '../contacts/schemas.ts';
import { takeCrmFile } from '../crm/import-schemas.ts';
import { endpoint } from '../http/endpoint.ts';
import { type PageQuery, pageQuery } from '../http/paging.ts';
import { id, operationNote } from '../http/schemas.ts';
import { view, withExample, wrapped } from '../http/view.ts';
import { pageOfErrors } from '../imports/files.ts';
import { errorsView, importExample, importShape, queuedExample, toImportView } from '../imports/views.ts';
import { assertMayChangeSends, mayChangeSendsNote } from './may-send.ts';
import { aboutRecipients, assertSeesContacts, tag } from './recipient-schemas.ts';

const importView = view(
  'campaign_import',
  Joi.object({ ...importShape, campaign_id: id.required(), created_by: Joi.string().required() }),
  { ...importExample, campaign_id: exampleIdOf('campaign'), created_by: 'user:01932d5f-3a0e-7cc4-8f4e-0242ac12000a' },
);

const toView = (row: CrmImportRow) => ({
  ...toImportView(row),
  campaign_id: (row.request as RecipientsRequest).campaign_id,
  created_by: row.actor,
});

export const importRecipientsFile = endpoint({
  ...aboutRecipients,
  method: 'post',
  path: '/v1/campaigns/:campaignID/recipients/import',
  operationId: 'campaigns.recipients.import',
  scope: 'campaigns:write',
  audit: 'campaign_import',
  summary: 'Add recipients to a campaign from a CSV file',
  description: `Each row is what POST /v1/campaigns/{campaignID}/recipients takes. A row with errors, or of an unknown contact, is left out and reported with its line and column. The same file again changes nothing. Until the campaign has ended (409). It takes \`contacts:read\` too, and \`contacts:write\` with \`create_contacts\`. An organization has few imports that wait or run (\`IMPORTS_MAX_QUEUED\`, usually 10): one more is a 422 \`limit_reached\`, before the file is read. One event, \`campaign.recipients_imported\`, and none for each row. ${mayChangeSendsNote}\n\n${operationNote}`,
  isIdempotent: true,
  isOperation: true,
  errors: [409],
  query: Joi.object<{ create_contacts: boolean }>({
    create_contacts: Joi.boolean().default(false).description('Whoever has an address and is no contact becomes one'),
  }),
  receive: {
    contentType: 'text/csv',
    description:
      'UTF-8, a header line first, in any order: `contact_id`, `phone_number` or `phone`, `email`, `external_id` with `external_source`, which all must name one contact; `name` for a contact that is made; `param.<name>`, at most 20: what `recipient.<name>` is in the content. Other columns of an export of contacts or of recipients are passed over; `id` is that of the contact. A quote before a cell that begins with = + - @ is taken off.',
    take: takeCrmFile,
  },
  responses: { 201: wrapped(withExample(importView, queuedExample)) },
  location: '/v1/campaigns/imports',
  example: { body: 'phone_number,param.code\r\n+16505551234,SPRING-7\r\n' },
  handler({ params: { campaignID }, query: { create_contacts }, body, caller, own, write }) {
    assertSeesContacts(caller, create_contacts);
    return write({ locks: [crmImportLane(own.organizationId)] }, async (tx) => {
      await openCampaign(tx.own, campaignID);
      await assertMayChangeSends(tx.own, caller, campaignID);
      const { row, operationId } = await queueRecipientsImport(tx, body, { campaign_id: campaignID, create_contacts });
      return { status: 201, body: { data: toView(row) }, operationId };
    });
  },
  async outcome({ own }, _deps, reply) {
    const { id: importId } = (reply.body as { data: { id: string } }).data;
    return { ...reply, body: { data: toView(await getRecipientsImport(own, importId)) } };
  },
});

const about = { tag, subject: 'Import', scope: 'campaigns:read' } as const;

export const getRecipientsImportView = endpoint({
  ...about,
  method: 'get',
  path: '/v1/campaigns/imports/:campaignImportID',
  operationId: 'campaigns.imports.get',
  summary: 'Get an import of recipients: how far it is and what became of it',
  description: 'Kept 30 days after its end.',
  responses: { 200: wrapped(importView) },
  handler: async ({ params: { campaignImportID }, own }) => data(toView(await getRecipientsImport(own, campaignImportID))),
});

export const listOfRecipientsImportErrors = endpoint({
  ...about,
  method: 'get',
  path: '/v1/campaigns/imports/:campaignImportID/errors',
  operationId: 'campaigns.imports.errors',
  summary: 'List why rows of an import of recipients were refused, in the order of the file',
  description: 'Of the first 10,000 refused rows, up to 20 each. No error holds what stood in the cell.',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: errorsView({ code: 'row.cells', message: 'The row has 3 cells, the header 5' }) },
  async handler({ params: { campaignImportID }, query, own }) {
    const { id: importId } = await getRecipientsImport(own, campaignImportID);
    return pageOfErrors(own, importId, query, crmImportErrors);
  },
});
