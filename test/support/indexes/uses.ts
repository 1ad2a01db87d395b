import { withdrawReplies } from '../../../api/http/idempotency.ts';
import { endResets } from '../../../src/accounts/password-reset.ts';
import { endSessions } from '../../../src/accounts/sessions.ts';
import { listTokens } from '../../../src/accounts/tokens.ts';
import { channelApp } from '../../../src/channels/app.ts';
import { listChannels } from '../../../src/channels/queries.ts';
import { listBlocked } from '../../../src/contacts/blocking/blocked.ts';
import { scrubEvents } from '../../../src/contacts/erasure/scrub-events.ts';
import { listExports } from '../../../src/contacts/export/exports.ts';
import { listImports } from '../../../src/contacts/import/imports.ts';
import { listImportErrors } from '../../../src/contacts/import/row-errors.ts';
import { listContacts, readContactListing } from '../../../src/contacts/list.ts';
import { listDuplicates } from '../../../src/contacts/merging/duplicates.ts';
import { listNotes } from '../../../src/contacts/notes.ts';
import { listPermissionHistory } from '../../../src/contacts/permission/permission-history.ts';
import { listTags } from '../../../src/contacts/tag-catalogue.ts';
import { type AssetFilter, listAssets } from '../../../src/media/list.ts';
import { mediaPurge } from '../../../src/media/purge.ts';
import { deleteAssetsOfContact } from '../../../src/media/remove.ts';
import { listConversations, readConversationListing } from '../../../src/messaging/inbox/list.ts';
import { listConversationNotes } from '../../../src/messaging/inbox/notes.ts';
import { hasKept } from '../../../src/messaging/kept-statuses.ts';
import { listMessages, type MessageFilter } from '../../../src/messaging/list.ts';
import { deleteFailedJob } from '../../../src/messaging/settle.ts';
import { unknownWindow } from '../../../src/messaging/window.ts';
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
import type { ListRequest } from '../../../src/platform/listing/listing.ts';
import { createReads } from '../../../src/platform/listing/reads.ts';
import { failingEndpoints } from '../../../src/platform/metrics/figures.ts';
import { purges } from '../../../src/platform/retention/purges.ts';
import { applyTemplateStatus } from '../../../src/templates/templates.ts';
import { deliveriesOfEndpoint } from '../../../src/webhooks/deliveries.ts';
import { listEndpoints } from '../../../src/webhooks/endpoints.ts';
import { askForReplay, replayLocks } from '../../../src/webhooks/replay/request.ts';
import { endpointStats } from '../../../src/webhooks/stats.ts';
import type { House } from '../house.ts';
import { testSecrets } from '../secrets.ts';
import { playJob } from '../toys.ts';
import '../../../src/jobs.ts';
import type { Filled } from './filled.ts';

/** What of the product's uses the index: it is run, and the index must stand in a plan of what it sends. */
export type Uses = Record<string, { by: string; run(): Promise<unknown> }>;

const page = { limit: 10, includeTotal: false };

export function usesOf(house: House, database: Database, { own: organizationId, ...ids }: Filled): Uses {
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
  const messages = (filter: MessageFilter) => ({
    by: `listMessages by ${Object.keys(filter).join() || 'nothing'}`,
    run: () => listMessages(own, ask, { checks: 1_000, ms: 5_000 }, filter, page),
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

  return {
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
    channels_account: text(
      'acceptProviderWebhook: whose number or account (ownersOf)',
      'select organization_id from channels where phone_number_id = any($1) or account_id = any($2)',
      ['1'],
      ['2'],
    ),
    channels_id: { by: 'channelApp', run: () => channelApp(em(), ids.channelId, testSecrets) },
    channels_list: { by: 'listChannels', run: () => listChannels(own, {}, page) },
    contact_blocks_contact: contact,
    contact_blocks_list: { by: 'listBlocked', run: () => listBlocked(own, { channelId: ids.channelId }, page) },
    contact_duplicates_list: { by: 'listDuplicates', run: () => listDuplicates(own, {}, page) },
    contact_duplicates_other: contact,
    contact_exports_ended: purge('contact_exports'),
    contact_exports_list: { by: 'listExports', run: () => listExports(own, {}, page) },
    contact_identities_contact: contact,
    contact_import_errors_list: { by: 'listImportErrors', run: () => listImportErrors(own, ids.otherId, page) },
    contact_imports_ended: purge('contact_imports', 1),
    contact_imports_list: { by: 'listImports', run: () => listImports(own, {}, page) },
    contact_imports_open: purge('contact_imports'),
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
    conversations_assignee: conversations({ field: 'assignee_id', value: ids.userId }),
    conversations_contact: contact,
    conversations_list: conversations(),
    conversations_snoozed: check,
    conversations_status: conversations({ field: 'status', value: 'pending' }),
    events_order: { by: 'listEvents', run: () => listEvents(reads, own, {}, { order: 'desc', limit: 10 }) },
    events_subject: {
      by: 'scrubEvents',
      run: () => scrubEvents(ledger.transact, own, { ids: [ids.contactId], conversations: [], identities: [] }),
    },
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
    tags_list: { by: 'listTags', run: () => listTags(own, page) },
    templates_provider: {
      by: 'applyTemplateStatus',
      run: () => applyTemplateStatus(own, transact, { accountId: '1', providerTemplateId: '2', status: 'APPROVED' }, null),
    },
    unmatched_statuses_ended: purge('unmatched_statuses'),
    unmatched_statuses_message: {
      by: 'recordAccepted: are early statuses kept',
      run: () => own.sql(`select ${hasKept({ channel: '$2::uuid', providerMessageId: '$3::text' })}`, [ids.channelId, 'wamid']),
    },
    unmatched_statuses_open: check,
    webhook_attempts_delivery: deleted(
      'the purge of events: attempts of a deleted delivery',
      'delete from webhook_deliveries where organization_id = $1 and id = (select min(id::text)::uuid from webhook_deliveries)',
    ),
    webhook_endpoints_deleted: purge('webhook_endpoints', 1),
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

class Undone extends Error {}

function unlessUndone(error: unknown) {
  if (!(error instanceof Undone)) throw error;
}
