import { withdrawReplies } from '../../../api/http/idempotency.ts';
import { endResets } from '../../../src/accounts/password-reset.ts';
import { endSessions } from '../../../src/accounts/sessions.ts';
import { listTokens } from '../../../src/accounts/tokens.ts';
import { openOf } from '../../../src/automation/actions/assign/choose.ts';
import { findCampaign, listCampaigns } from '../../../src/campaigns/campaign-row.ts';
import { compile } from '../../../src/campaigns/content/compile.ts';
import { leftToday } from '../../../src/campaigns/feed/daily-limit.ts';
import { lookForDue } from '../../../src/campaigns/feed/look.ts';
import { readRooms } from '../../../src/campaigns/feed/rooms.ts';
import { troubleOf } from '../../../src/campaigns/guards/guards.ts';
import { historyOf } from '../../../src/campaigns/history.ts';
import { listRecipients } from '../../../src/campaigns/recipients/list.ts';
import { channelApp } from '../../../src/channels/app.ts';
import { askDueChecks } from '../../../src/channels/due-checks.ts';
import { listChannels } from '../../../src/channels/queries.ts';
import { takenTimes } from '../../../src/commerce/bookings/bookable.ts';
import { askDueCopies } from '../../../src/commerce/bookings/due-copies.ts';
import { type BookingFilter, listBookings } from '../../../src/commerce/bookings/list.ts';
import { listServices } from '../../../src/commerce/bookings/services.ts';
import { listStaff } from '../../../src/commerce/bookings/staff.ts';
import { listCategories } from '../../../src/commerce/catalogue/categories.ts';
import { listDiscounts } from '../../../src/commerce/catalogue/discounts.ts';
import { listProducts, readProductListing } from '../../../src/commerce/catalogue/products.ts';
import { listMovements } from '../../../src/commerce/catalogue/stock-by-hand.ts';
import { listVariants } from '../../../src/commerce/catalogue/variant-row.ts';
import { listMethods } from '../../../src/commerce/delivery/methods.ts';
import { listDrafts } from '../../../src/commerce/drafts/drafts.ts';
import { listOrders, readOrderListing } from '../../../src/commerce/orders/list.ts';
import { changesOf } from '../../../src/commerce/orders/timeline.ts';
import { sessionOfHint } from '../../../src/commerce/payments/of-hint.ts';
import { listPayments, listRefunds, refundable } from '../../../src/commerce/payments/refund-row.ts';
import { listSessions } from '../../../src/commerce/payments/session-row.ts';
import { listShipments, shipmentOf } from '../../../src/commerce/shipping/shipment-row.ts';
import { askDueChecks as askDueConnections } from '../../../src/connections/due-checks.ts';
import { listConnections } from '../../../src/connections/queries.ts';
import { receiverOf } from '../../../src/connections/webhooks.ts';
import { listBlocked } from '../../../src/contacts/blocking/blocked.ts';
import { scrubEvents } from '../../../src/contacts/erasure/scrub-events.ts';
import { listExports } from '../../../src/contacts/export/exports.ts';
import { importErrors, listImports } from '../../../src/contacts/import/imports.ts';
import { listContacts, readContactListing } from '../../../src/contacts/list.ts';
import { listDuplicates } from '../../../src/contacts/merging/duplicates.ts';
import type { MergeTx } from '../../../src/contacts/merging/merge-tx.ts';
import { listNotes } from '../../../src/contacts/notes.ts';
import { listPermissionHistory } from '../../../src/contacts/permission/permission-history.ts';
import { moveRecordLinks } from '../../../src/contacts/record-links.ts';
import { listTags } from '../../../src/contacts/tag-catalogue.ts';
import { listConversationsOf } from '../../../src/deals/links/conversations.ts';
import { dealsOfContact } from '../../../src/deals/links/linked.ts';
import { listDeals, readDealListing } from '../../../src/deals/list.ts';
import { listPipelines } from '../../../src/deals/pipelines/queries.ts';
import { firstStage } from '../../../src/deals/stages.ts';
import { summaryOf } from '../../../src/deals/summary.ts';
import { listFlows, readFlowListing } from '../../../src/flows/list.ts';
import { listResponses, type ResponseFilter } from '../../../src/flows/response-reads.ts';
import { listCrmImports } from '../../../src/imports/imports.ts';
import { crmImportErrors } from '../../../src/imports/tables.ts';
import { knowJobs } from '../../../src/jobs.ts';
import { type AssetFilter, listAssets } from '../../../src/media/list.ts';
import { mediaPurge } from '../../../src/media/purge.ts';
import { deleteAssetsOfContact } from '../../../src/media/remove.ts';
import { listConversations, readConversationListing } from '../../../src/messaging/inbox/list.ts';
import { listConversationNotes } from '../../../src/messaging/inbox/notes.ts';
import { hasKept } from '../../../src/messaging/kept-statuses.ts';
import { listMessages, type MessageFilter } from '../../../src/messaging/list.ts';
import { deleteFailedJob } from '../../../src/messaging/settle.ts';
import { unknownWindow } from '../../../src/messaging/window.ts';
import { askDueRates } from '../../../src/money/due-rates.ts';
import { listRates } from '../../../src/money/rates.ts';
import { listOnboardings } from '../../../src/onboarding/queries.ts';
import { listInvitations } from '../../../src/organizations/invitations.ts';
import { listKeys } from '../../../src/organizations/keys.ts';
import { listMembers } from '../../../src/organizations/members.ts';
import { organizationsOf } from '../../../src/organizations/organizations.ts';
import { type ActFilter, listActs } from '../../../src/platform/audit/queries.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { query } from '../../../src/platform/database/query.ts';
import { listEvents } from '../../../src/platform/events/list.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { createLedger } from '../../../src/platform/ledger/ledger.ts';
import { listOperations, type OperationFilter } from '../../../src/platform/ledger/operations.ts';
import { fillPool, setPool } from '../../../src/platform/ledger/pools.ts';
import { sweep } from '../../../src/platform/ledger/sweep.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { type ListRequest, readListing } from '../../../src/platform/listing/listing.ts';
import { listRows } from '../../../src/platform/listing/page.ts';
import { createReads } from '../../../src/platform/listing/reads.ts';
import { failingEndpoints, unsyncedBookings } from '../../../src/platform/metrics/figures.ts';
import { purges } from '../../../src/platform/retention/purges.ts';
import { listLinks } from '../../../src/records/links.ts';
import { recordsOf } from '../../../src/records/list.ts';
import type { Relation } from '../../../src/records/types/definition.ts';
import { loadRelationsTo, loadType } from '../../../src/records/types/object-type.ts';
import { takeRecords } from '../../../src/records/types/walk.ts';
import { listSegments, usedStatement } from '../../../src/segments/segments.ts';
import { listTasks, readTaskListing, type WorkFilter } from '../../../src/tasks/list.ts';
import { applyTemplateChange } from '../../../src/templates/provider-changes.ts';
import { listTemplates } from '../../../src/templates/queries.ts';
import { deliveriesOfEndpoint } from '../../../src/webhooks/deliveries.ts';
import { listEndpoints } from '../../../src/webhooks/endpoints.ts';
import { askForReplay, replayLocks } from '../../../src/webhooks/replay/request.ts';
import { endpointStats } from '../../../src/webhooks/stats.ts';
import type { House } from '../house.ts';
import { testSecrets } from '../secrets.ts';
import { playJob } from '../toys.ts';
import { automationUses } from './automation-uses.ts';
import { fedCampaign } from './fed-campaign-rows.ts';
import type { Filled } from './filled.ts';

/** What of the product's uses the index: it is run, and the index must stand in a plan of what it sends. */
export type Uses = Record<string, { by: string; run(): Promise<unknown> }>;

const page = { limit: 10, includeTotal: false };

export function usesOf(house: House, database: Database, { own: organizationId, ...ids }: Filled): Uses {
  knowJobs();
  const { log } = house.deps;
  const own = ownRows(database, organizationId);
  const em = () => database.em();
  const ledger = createLedger({ database, queues: house.queues, log, awaitsQueue: false });
  const transact = transactFor(ledger.transact, organizationId);
  const reads = createReads(database, { atOnce: 2, checks: 1_000_000, ms: 5_000 });
  const ask = <Row>(text: string, params: unknown[]) => query<Row>(em(), text, params);

  const purge = (table: string, step = 0) => ({
    by: `the purge of ${table}, step ${step + 1}`,
    run: () => purges.find((one) => one.table === table)!.steps[step]!.batch(em(), 1_000, 100),
  });
  const things = (filter?: object, request: ListRequest = {}) => ({
    by: `a list of records ${JSON.stringify({ filter, ...request })}`,
    run: () => searchOfThings(house, database, { ...request, ...(filter && { filters: [filter] }) }),
  });
  const links = (place: 'first' | 'last', isInverse: boolean) => ({
    by: `listLinks of the ${place} record, ${isInverse ? 'inverse' : 'forward'}`,
    async run() {
      const order = place === 'first' ? 'asc' : 'desc';
      const [record] = await own.sql<{ id: string }>(
        `select id from records where organization_id = $1 order by id ${order} limit 1`,
      );
      const [relation] = await own.sql<{ id: string }>(
        'select id from object_relations where organization_id = $1 order by name limit 1',
      );
      return listLinks(own, { id: relation!.id, isInverse } as Relation, record!.id, page);
    },
  });
  const products = (request: ListRequest) => ({
    by: `listProducts ${JSON.stringify(request)}`,
    run: () => listProducts(reads, organizationId, readProductListing(request), { limit: 10 }),
  });
  const anyOf = async (table: string) =>
    (await own.sql<{ id: string }>(`select id from ${table} where organization_id = $1 limit 1`))[0]!.id;
  const contacts = (request: ListRequest) => ({
    by: `listContacts ${JSON.stringify(request)}`,
    run: () => listContacts(reads, organizationId, readContactListing(request), { limit: 10 }),
  });
  const conversations = (...filters: object[]) => ({
    by: `listConversations by ${JSON.stringify(filters)}`,
    run: () => {
      const listing = readConversationListing({ filters: JSON.stringify(filters) });
      return listConversations(reads, organizationId, listing, { limit: 10 });
    },
  });
  const tasks = (request: ListRequest, work: WorkFilter = {}, object_kind?: string) => ({
    by: `listTasks ${JSON.stringify([request, work, object_kind])}`,
    run: () => {
      const object_id =
        object_kind === 'contact' ? ids.contactId : object_kind === 'conversation' ? ids.conversationId : ids.otherId;
      const listing = readTaskListing(request, work, object_kind ? { object_kind, object_id } : undefined);
      return listTasks(reads, organizationId, listing, { limit: 10 });
    },
  });
  const deals = (request: ListRequest) => ({
    by: `listDeals ${JSON.stringify(request)}`,
    run: () => listDeals(reads, own, readDealListing(request), { limit: 10 }),
  });
  const orders = (request: ListRequest) => ({
    by: `listOrders ${JSON.stringify(request)}`,
    run: () => listOrders(reads, own, readOrderListing(request), { limit: 10 }),
  });
  const ordersBy = (field: string, value: string, operator = 'eq') =>
    orders({ filters: JSON.stringify([{ field, operator, value }]) });
  const flows = (request: ListRequest) => ({
    by: `listFlows ${JSON.stringify(request)}`,
    run: () => listFlows(reads, organizationId, readFlowListing(request), { limit: 10 }),
  });
  const messages = (filter: MessageFilter) => ({
    by: `listMessages by ${Object.keys(filter).join() || 'nothing'}`,
    run: () => listMessages(own, reads, filter, page),
  });
  const bookings = (filter: BookingFilter) => ({
    by: `listBookings by ${Object.keys(filter).join() || 'nothing'}`,
    run: () => listBookings(own, ask, filter, page),
  });
  const acts = (filter: ActFilter) => ({
    by: `listActs by ${Object.keys(filter).join() || 'nothing'}`,
    run: () => listActs(ask, own, filter, page),
  });
  const assets = (filter: AssetFilter) => ({
    by: `listAssets by ${Object.keys(filter).join() || 'nothing'}`,
    run: () => listAssets(own, ask, filter, page),
  });
  const purgeOfMedia = (step: number) => ({
    by: `the purge of media assets, step ${step + 1}`,
    run: () => mediaPurge(undefined as never).steps[step]!.batch(em(), 10_000, 100),
  });
  /** A delete that is undone, for the statements that the references to the table send. */
  const deleted = (by: string, text: string, ...params: unknown[]) => ({
    by,
    run: () =>
      database
        .transaction(async (tx) => {
          await query(tx, text, [organizationId, ...params]);
          throw new Undone();
        })
        .catch(unlessUndone),
  });
  const contact = deleted(
    'eraseContact: what refers to a deleted contact',
    'delete from contacts where organization_id = $1 and id = $2',
    ids.contactId,
  );
  const answers = (filter: ResponseFilter) => ({
    by: `listResponses by ${Object.keys(filter).join() || 'nothing'}`,
    run: () => listResponses(own, ask, ids.otherId, filter, page),
  });
  const flow = deleted('what refers to a deleted flow', 'delete from flows where organization_id = $1 and id = $2', ids.otherId);
  const text = (by: string, statement: string, ...params: unknown[]) => ({ by, run: () => query(em(), statement, params) });
  const operations = (filter: OperationFilter) => ({
    by: `listOperations by ${Object.keys(filter).join() || 'nothing'}`,
    run: () => listOperations(ask, own, filter, page),
  });
  const request = { kind: 'recover' as const, endpointId: ids.endpointId, since: new Date(Date.now() - 3_600_000) };
  const check = { by: 'checkJobs: subjects that wait', run: () => checkJobs(database) };
  const sweepOnce = () => sweep({ database, queues: house.queues, ledger, log, config: { laterTriesPerSecond: 100 } });
  const fill = {
    by: 'fillPool',
    // Made here: a sweep would have filled it.
    async run() {
      await setPool(house.em(), house.pool('pool:1'), 1_000, null);
      await fillPool(database, house.pool('pool:1'));
    },
  };
  const endOf = { by: 'endSessions', run: () => endSessions(em(), ids.userId) };

  const ownersOf = text(
    'acceptProviderWebhook: whose number or account (ownersOf)',
    'select organization_id from channels where (phone_number_id = any($1) or account_id = any($2)) and (deleted_at is null) is true',
    ['1'],
    ['2'],
  );

  return {
    ...automationUses({ own, ask, transact, ids, purge, check, deleted }),
    api_keys_list: { by: 'listKeys', run: () => listKeys(own, {}, page) },
    api_keys_maker: { by: 'listKeys of a maker', run: () => listKeys(own, { madeBy: ids.userId }, page) },
    api_keys_replaces: text(
      'rotateKey: whether the key was replaced (keyToRotate)',
      'select 1 from api_keys later where later.organization_id = $1 and later.replaces_id = $2',
      organizationId,
      ids.otherId,
    ),
    audit_log_action: acts({ action: 'keys.create' }),
    audit_log_actor: acts({ actor: 'cli' }),
    audit_log_list: acts({}),
    bearer_tokens_expiry: purge('bearer_tokens'),
    bearer_tokens_list: { by: 'listTokens', run: () => listTokens(own, ids.userId, page) },
    bearer_tokens_user: endOf,
    channel_health_due: { by: 'askDueChecks', run: () => askDueChecks(ledger.transact, 3_600) },
    channels_account: ownersOf,
    channels_id: { by: 'channelApp', run: () => channelApp(em(), ids.channelId, testSecrets) },
    channels_number: ownersOf,
    channels_list: { by: 'listChannels', run: () => listChannels(own, {}, page) },
    connection_consents_age: purge('connection_consents'),
    connection_webhooks_age: purge('connection_webhooks'),
    connections_due: { by: 'askDueChecks of connections', run: () => askDueConnections(ledger.transact) },
    bookings_contact: bookings({ contactId: ids.contactId }),
    bookings_list: bookings({}),
    bookings_no_overlap: {
      by: 'takenTimes',
      run: () => takenTimes(own, [ids.otherId], { start: Date.now(), end: Date.now() + 31 * 86_400_000 }),
    },
    bookings_service: bookings({ serviceId: ids.otherId }),
    bookings_staff: bookings({ staffId: ids.otherId }),
    bookings_status: bookings({ status: 'no_show' }),
    service_staff_staff: deleted(
      'what refers to a deleted staff member',
      'delete from service_staff where organization_id = $1 and staff_id = $2',
      ids.otherId,
    ),
    services_list: { by: 'listServices', run: () => listServices(own, page) },
    staff_busy_due: { by: 'askDueCopies', run: () => askDueCopies(ledger.transact) },
    staff_list: { by: 'listStaff', run: () => listStaff(own, page) },
    connections_id: { by: 'receiverOf', run: () => receiverOf(em(), ids.otherId, 'payment', testSecrets) },
    connections_list: { by: 'listConnections', run: () => listConnections(own, {}, page) },
    contact_blocks_contact: contact,
    contact_blocks_list: { by: 'listBlocked', run: () => listBlocked(own, { channelId: ids.channelId }, page) },
    contact_duplicates_list: { by: 'listDuplicates', run: () => listDuplicates(own, {}, page) },
    contact_duplicates_other: contact,
    contact_exports_ended: purge('contact_exports'),
    contact_exports_list: { by: 'listExports', run: () => listExports(own, {}, page) },
    contact_identities_contact: contact,
    contact_import_errors_list: { by: 'listImportErrors', run: () => importErrors.list(own, ids.otherId, page) },
    contact_imports_ended: purge('contact_imports', 1),
    contact_imports_list: { by: 'listImports', run: () => listImports(own, {}, page) },
    contact_imports_open: purge('contact_imports'),
    crm_import_errors_list: { by: 'listImportErrors', run: () => crmImportErrors.list(own, ids.otherId, page) },
    crm_imports_ended: purge('crm_imports', 1),
    crm_imports_list: { by: 'listCrmImports', run: () => listCrmImports(own, {}, page) },
    crm_imports_open: purge('crm_imports'),
    contact_merges_contact: contact,
    contact_notes_list: { by: 'listNotes', run: () => listNotes(own, ids.contactId, page) },
    contact_permission_history_list: {
      by: 'listPermissionHistory',
      run: () => listPermissionHistory(own, ids.contactId, page),
    },
    contact_tags_tag: { by: 'listTags: how many contacts have the tag', run: () => listTags(own, page) },
    contacts_custom_fields: contacts({ filters: JSON.stringify([{ field: 'custom_fields.tier', operator: 'eq', value: 7 }]) }),
    contacts_list: contacts({}),
    contacts_name: contacts({ sort: 'name' }),
    contacts_search: contacts({ search: 'c4ca4238a0b9' }),
    contacts_updated: contacts({ sort: '-updated_at' }),
    conversation_notes_list: {
      by: 'listConversationNotes',
      run: () => listConversationNotes(own, ids.conversationId, page),
    },
    conversation_tags_tag: deleted(
      'deleteTag: conversations that have the tag',
      'delete from tags where organization_id = $1 and id = $2',
      ids.otherId,
    ),
    object_relations_to: { by: 'loadRelationsTo', run: () => loadRelationsTo(own, 'contact') },
    object_relations_to_type: { by: 'loadType', run: () => loadType(own, 'thing') },
    records_custom_fields: things({ field: 'custom_fields.tier', value: 7 }),
    records_display_name: things(undefined, { sort: 'display_name' }),
    records_fields: things({ field: 'free', value: 'f7' }),
    records_in_bin: {
      by: 'takeRecords',
      run: () => transact({}, async ({ own: tx }) => takeRecords(tx, (await loadType(tx, 'thing'))!.id, null, 10)),
    },
    records_list: things(),
    records_search: things(undefined, { search: 'c4ca4238a0b9' }),
    records_updated: things(undefined, { sort: '-updated_at' }),
    record_values_number: things(undefined, { sort: 'size' }),
    record_values_text: things({ field: 'word', value: 'w7' }),
    record_values_time: things(undefined, { sort: '-at' }),
    record_links_contact: contact,
    record_links_conversation: {
      by: 'mergeConversations: links of the conversation that ends (moveRecordLinks)',
      run: () =>
        transact({}, async ({ own: tx }) => {
          const merging = Object.assign(Object.create(tx), { actor: 'cli' }) as MergeTx;
          await moveRecordLinks(merging, 'conversation', { from: ids.otherId, into: ids.conversationId });
        }),
    },
    record_links_deal: deleted(
      'the purge of deals: links of a deleted deal',
      'delete from deals where organization_id = $1 and id = $2',
      ids.otherId,
    ),
    record_links_object: links('last', true),
    record_links_record: links('first', false),
    record_links_task: deleted(
      'the purge of tasks: links of a deleted task',
      'delete from crm_tasks where organization_id = $1 and id = (select min(id::text)::uuid from crm_tasks)',
    ),
    record_links_to_record: deleted(
      'the purge of records: links to a deleted record',
      'delete from records where organization_id = $1 and id = (select max(id::text)::uuid from records)',
    ),
    segment_members_contact: contact,
    segments_deleted: purge('segments'),
    campaigns_list: { by: 'listCampaigns', run: () => listCampaigns(own, {}, page) },
    campaigns_status: { by: 'listCampaigns by status', run: () => listCampaigns(own, { status: 'failed' }, page) },
    campaign_segments_segment: {
      by: 'deleteSegment: is it used?',
      run: () => own.sql(usedStatement, [ids.otherId]),
    },
    segments_list: { by: 'listSegments', run: () => listSegments(own, page) },
    conversations_assignee: conversations({ field: 'assignee_id', value: ids.userId }),
    conversations_contact: contact,
    conversations_open: {
      by: 'choose: who has the fewest open conversations',
      run: () => openOf(own, { ids: [ids.userId] }),
    },
    conversations_list: conversations(),
    booking_calendars_open: text('the figures: bookings whose calendar is behind', unsyncedBookings),
    conversations_snoozed: check,
    conversations_status: conversations({ field: 'status', value: 'pending' }),
    events_order: { by: 'listEvents', run: () => listEvents(reads, own, {}, { order: 'desc', limit: 10 }) },
    events_subject: {
      by: 'scrubEvents',
      run: () =>
        scrubEvents(ledger.transact, own, {
          ids: [ids.contactId],
          conversations: [],
          identities: [],
          names: [],
          records: [],
          deals: [],
          tasks: [],
          goneTasks: [],
        }),
    },
    flow_responses_contact: answers({ contactId: ids.contactId }),
    flow_responses_flow: answers({}),
    flow_responses_malformed: answers({ isMalformed: true }),
    flow_keys_overlap: purge('flow_secrets', 1),
    flow_secrets_overlap: purge('flow_secrets'),
    flow_sends_version: flow,
    flows_channel: flows({ filters: JSON.stringify([{ field: 'channel_id', value: ids.secondChannelId }]) }),
    flows_open: check,
    flows_list: flows({}),
    flows_status: flows({ filters: JSON.stringify([{ field: 'status', value: 'blocked' }]) }),
    flows_updated: flows({ sort: '-updated_at' }),
    idempotency_keys_age: purge('idempotency_keys'),
    idempotency_keys_contact: {
      by: 'withdrawReplies',
      run: () => ledger.transact({}, (tx) => withdrawReplies(tx, testSecrets, organizationId, [ids.otherId], 'r')),
    },
    invitations_email: text(
      'requestReset: who is invited with the email (askerByEmail)',
      'select 1 from invitations i where i.email = $1 and i.accepted_at is null and i.revoked_at is null',
      'ada@example.com',
    ),
    invitations_list: { by: 'listInvitations', run: () => listInvitations(own, page) },
    jobs_blocked: {
      by: 'enqueue into a lane',
      run: () =>
        transact({ locks: ['a:1'] }, async ({ own: tx }) => tx.enqueue(playJob, { toy_id: ids.otherId }, { lane: 'a:1' })),
    },
    jobs_check: { by: 'sweep', run: sweepOnce },
    jobs_done: purge('jobs'),
    jobs_failed: purge('jobs', 1),
    jobs_operations: operations({}),
    jobs_operations_name: operations({ name: 'webhooks.recover' }),
    jobs_parked: { by: 'handOverParked', run: sweepOnce },
    jobs_room: fill,
    jobs_subject: { by: 'deleteFailedJob', run: () => transact({}, ({ own: tx }) => deleteFailedJob(tx, ids.otherId)) },
    jobs_waiting: fill,
    login_limits_expiry: purge('login_limits'),
    mails_age: purge('mails'),
    media_uploads_age: purge('media_uploads'),
    memberships_list: { by: 'listMembers', run: () => listMembers(own, page) },
    memberships_user: { by: 'organizationsOf', run: () => organizationsOf(em(), ids.userId) as unknown as Promise<unknown> },
    campaign_recipients_history: { by: 'historyOf', run: () => historyOf(own, ids.contactId, page) },
    campaigns_at_work: { by: 'readRooms', run: () => readRooms(own, fedCampaign) },
    campaign_recipients_channel: {
      by: 'leftToday',
      run: async () => {
        const [channel] = await own.sql<{ account_id: string }>(
          'select account_id from channels where organization_id = $1 and id = $2',
          [ids.channelId],
        );
        return leftToday(own, channel!.account_id, 250);
      },
    },
    campaign_recipients_due: {
      by: 'lookForDue',
      run: () =>
        lookForDue(own, {
          ...{ campaignId: fedCampaign, zones: ['UTC', 'Asia/Tokyo'], limits: new Map([[ids.secondChannelId, 50]]) },
          ...{
            cap: { max: 1, days: 7 },
            readsTags: false,
            job: { organization_id: own.organizationId, id: ids.otherId, run: 1 },
          },
        }),
    },
    campaign_recipients_result: {
      by: 'troubleOf',
      run: async () => troubleOf(own, (await findCampaign(own, fedCampaign))!, [], () => undefined, compile([])),
    },
    campaigns_deleted: purge('campaigns', 1),
    campaigns_ended: purge('campaigns'),
    media_assets_contact: {
      by: 'deleteAssetsOfContact',
      run: () => transact({}, (tx) => deleteAssetsOfContact(tx.own, ids.otherId)),
    },
    media_assets_deleted: purgeOfMedia(1),
    media_assets_kind: assets({ kind: 'document' }),
    media_assets_list: assets({}),
    media_assets_missing: purgeOfMedia(3),
    media_assets_source: assets({ source: 'inbound' }),
    messages_channel: messages({ channelId: ids.secondChannelId }),
    messages_contact: messages({ contactId: ids.contactId }),
    messages_conversation: messages({ conversationId: ids.conversationId }),
    messages_list: messages({}),
    messages_open: check,
    messages_scheduled: messages({ isScheduled: true }),
    messages_status: messages({ status: 'failed' }),
    onboardings_list: { by: 'listOnboardings', run: () => listOnboardings(own, {}, page) },
    onboardings_unfinished: purge('onboardings'),
    password_resets_expiry: purge('password_resets'),
    password_resets_user: { by: 'endResets', run: () => endResets(em(), ids.userId) },
    crm_tasks_bin: purge('crm_tasks'),
    deals_bin: purge('deals'),
    records_bin: purge('records'),
    exchange_rates_list: { by: 'listRates', run: () => listRates(own, {}, page) },
    organizations_rates_due: { by: 'askDueRates', run: () => askDueRates(ledger.transact) },
    pipelines_list: { by: 'listPipelines', run: () => listPipelines(own, page) },
    provider_webhooks_applied: purge('provider_webhooks'),
    provider_webhooks_broken: purge('provider_webhooks', 1),
    provider_webhooks_unapplied: { by: 'unknownWindow', run: () => unknownWindow(own, ids.messageId, 60_000) },
    sessions_expiry: purge('sessions'),
    sessions_membership: deleted(
      'removeMember: sessions of a membership that ends',
      'delete from memberships where organization_id = $1 and user_id = $2',
      ids.userId,
    ),
    sessions_user: endOf,
    crm_tasks_assignee: tasks({}, { status: ['in_progress'], assignee_id: ids.userId }),
    crm_tasks_due: tasks({ sort: 'due_at' }),
    crm_tasks_list: tasks({}),
    crm_tasks_reminding: check,
    crm_tasks_search: tasks({ search: 'c4ca4238a0b9' }),
    crm_tasks_status: tasks({}, { status: ['in_progress'] }),
    crm_tasks_updated: tasks({ sort: '-updated_at' }),
    task_targets_contact: tasks({}, {}, 'contact'),
    task_targets_conversation: tasks({}, {}, 'conversation'),
    task_targets_deal: tasks({}, {}, 'deal'),
    task_targets_record: tasks({}, {}, 'company'),
    deal_contacts_contact: { by: 'dealsOfContact', run: () => dealsOfContact(own, ids.contactId, page) },
    deal_conversations_deal: { by: 'listConversationsOf', run: () => listConversationsOf(own, ids.otherId, page) },
    deal_revaluations_ended: purge('deal_revaluations'),
    deals_custom_fields: deals({ filters: JSON.stringify([{ field: 'custom_fields.tier', operator: 'eq', value: 7 }]) }),
    deals_expected_close: deals({ sort: 'expected_close_at' }),
    deals_list: deals({}),
    deals_owner: deals({ filters: JSON.stringify([{ field: 'owner_user_id', value: ids.userId }]) }),
    deals_search: deals({ search: 'c4ca4238a0b9' }),
    deals_source: deals({ filters: JSON.stringify([{ field: 'source_conversation_id', value: ids.conversationId }]) }),
    deals_stage: deals({ filters: JSON.stringify([{ field: 'stage_id', value: ids.otherId }]), sort: 'position' }),
    deals_status: deals({ filters: JSON.stringify([{ field: 'status', value: 'lost' }]) }),
    deals_sums: { by: 'summaryOf', run: () => summaryOf(reads, own, ids.otherId) },
    deals_updated: deals({ sort: '-updated_at' }),
    pipeline_stages_position: { by: 'firstStage', run: () => firstStage(own, ids.otherId, 'won') },
    tags_list: { by: 'listTags', run: () => listTags(own, page) },
    templates_channel: {
      by: 'listTemplates of a channel',
      run: () => listTemplates(own, ask, { channelId: ids.secondChannelId }, page),
    },
    templates_list: { by: 'listTemplates', run: () => listTemplates(own, ask, {}, page) },
    templates_open: check,
    templates_provider: {
      by: 'applyTemplateChange',
      run: () =>
        applyTemplateChange(
          own,
          transact,
          { kind: 'template_change', accountId: '1', providerTemplateId: '2', name: '', language: '', status: 'APPROVED' },
          null,
        ),
    },
    unmatched_statuses_ended: purge('unmatched_statuses'),
    commerce_categories_children: {
      by: 'listCategories below one',
      run: async () => listCategories(own, ask, { parentId: await anyOf('commerce_categories') }, page),
    },
    commerce_categories_list: { by: 'listCategories', run: () => listCategories(own, ask, {}, page) },
    delivery_methods_list: { by: 'listMethods', run: () => listMethods(own, ask, page) },
    discounts_list: { by: 'listDiscounts', run: () => listDiscounts(own, page) },
    product_categories_category: {
      by: 'the deletion of a category: its products lose it',
      run: async () =>
        own.sql('delete from product_categories where organization_id = $1 and category_id = $2', [
          await anyOf('commerce_categories'),
        ]),
    },
    product_variants_product: {
      by: 'listVariants',
      run: async () => listVariants(own, ask, await anyOf('products'), page),
    },
    product_variants_service: deleted(
      'deleteService: variants that sell it',
      `delete from services where organization_id = $1 and name = 'Nobody books it'`,
    ),
    products_list: products({}),
    products_search: products({ search: 'c4ca4238a0b9' }),
    stock_movements_list: {
      by: 'listMovements',
      run: async () => listMovements(own, await anyOf('product_variants'), page),
    },
    draft_orders_age: purge('draft_orders'),
    draft_orders_contact: { by: 'listDrafts of a contact', run: () => listDrafts(own, ask, { contact_id: ids.contactId }, page) },
    draft_orders_list: { by: 'listDrafts', run: () => listDrafts(own, ask, {}, page) },
    order_changes_order: { by: 'the timeline of an order', run: () => changesOf(own, { orderId: ids.otherId }, page) },
    order_items_variant: deleted(
      'a deleted variant: the items that were sold of it',
      'delete from product_variants where organization_id = $1 and id = (select min(id::text)::uuid from product_variants)',
    ),
    orders_attention: ordersBy('attention', 'overpaid'),
    orders_contact: ordersBy('contact_id', ids.contactId),
    orders_delivery_date: orders({ sort: 'delivery_date' }),
    orders_fulfillment_status: ordersBy('fulfillment_status', 'returned'),
    orders_list: orders({}),
    orders_payment_status: ordersBy('payment_status', 'refunded'),
    orders_search: orders({ search: 'c4ca4238a0b9' }),
    orders_status: ordersBy('status', 'processing'),
    campaign_recipients_list: { by: 'listRecipients', run: () => listRecipients(own, ids.otherId, {}, page) },
    campaign_recipients_status: {
      by: 'listRecipients: of some statuses',
      run: () => listRecipients(own, ids.otherId, { statuses: ['failed', 'skipped'] }, page),
    },
    campaign_recipients_reason: {
      by: 'listRecipients: skipped for a reason',
      run: () => listRecipients(own, ids.otherId, { reason: 'expired' }, page),
    },
    discount_uses_contact: contact,
    discount_uses_order: deleted(
      'a deleted order: its use of a code',
      'delete from orders where organization_id = $1 and id = (select min(id::text)::uuid from orders)',
    ),
    pools_used: purge('pools'),
    quotes_age: purge('quotes'),
    payment_sessions_order: { by: 'listSessions', run: () => listSessions(own, ids.otherId, page) },
    payment_sessions_provider: {
      by: 'sessionOfHint: the one that a webhook is about',
      run: () => sessionOfHint(own, ids.otherId, { pageId: 'cs_1' }),
    },
    payments_order: { by: 'listPayments', run: () => listPayments(own, ids.otherId, page) },
    refunds_order: { by: 'listRefunds', run: () => listRefunds(own, ids.otherId, page) },
    refunds_payment: { by: 'refundable: what is left of a payment', run: () => refundable(own, ids.otherId) },
    shipments_order: { by: 'listShipments', run: () => listShipments(own, { orderId: ids.otherId }, page) },
    shipments_provider: {
      by: 'shipmentOf: the one that a webhook is about',
      run: () => shipmentOf(own, { connectionId: ids.otherId, shipperOrderId: 'X-1' }),
    },
    unmatched_statuses_message: {
      by: 'recordAccepted: are early statuses kept',
      run: () => own.sql(`select ${hasKept({ channel: '$2::uuid', providerMessageId: '$3::text' })}`, [ids.channelId, 'wamid']),
    },
    unmatched_statuses_open: check,
    webhook_attempts_delivery: deleted(
      'the purge of events: attempts of a deleted delivery',
      'delete from webhook_deliveries where organization_id = $1 and id = (select min(id::text)::uuid from webhook_deliveries)',
    ),
    webhook_endpoints_deleted: purge('webhook_endpoints', 2),
    webhook_endpoints_list: { by: 'listEndpoints', run: () => listEndpoints(own, page) },
    webhook_endpoints_overlap: purge('webhook_endpoints'),
    webhook_attempts_endpoint: { by: 'endpointStats', run: () => endpointStats(reads, own, ids.endpointId) },
    webhook_deliveries_endpoint: {
      by: 'deliveriesOfEndpoint',
      run: () => deliveriesOfEndpoint(reads, own, ids.endpointId, {}, { limit: 10 }),
    },
    webhook_endpoints_failing: text('the figures: endpoints that fail', failingEndpoints),
    webhook_replays_ended: purge('webhook_replays'),
    webhook_replays_endpoint: {
      by: 'askForReplay: whether it was asked for before',
      run: () => transact({ locks: replayLocks(request) }, (tx) => askForReplay(tx, 'cli', request, 30)),
    },
  };
}

/** Of the records that `filled` makes. */
export async function searchOfThings({ organizationId }: House, database: Database, request: ListRequest) {
  const type = (await loadType(ownRows(database, organizationId), 'thing'))!;
  const table = { ...recordsOf(type), columns: 'k.id, k.updated_at' };
  const reads = createReads(database, { atOnce: 2, checks: 1_000_000, ms: 5_000 });
  const listing = readListing('things', table.fields, request);
  return (await listRows<{ id: string }>(reads, table, organizationId, listing, { limit: 10 })).rows;
}

class Undone extends Error {}

function unlessUndone(error: unknown) {
  if (!(error instanceof Undone)) throw error;
}
