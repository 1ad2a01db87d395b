import { assertContact } from '../../src/contacts/queries.ts';
import { getDeal } from '../../src/deals/deal-row.ts';
import { dealsOfConversation } from '../../src/deals/links/linked.ts';
import { listDeals, readDealListing } from '../../src/deals/list.ts';
import { summaryOf } from '../../src/deals/summary.ts';
import type { Source } from '../../src/platform/database/database.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { beginOf, type Listing, type ListRequest, readListing } from '../../src/platform/listing/listing.ts';
import { type ListPage, listRows } from '../../src/platform/listing/page.ts';
import { recordsOf } from '../../src/records/list.ts';
import { getRecord } from '../../src/records/record-row.ts';
import { relationshipsOf } from '../../src/records/summary.ts';
import { loadType } from '../../src/records/types/object-type.ts';
import { listTasks, readTaskListing } from '../../src/tasks/list.ts';
import { getTask } from '../../src/tasks/task-row.ts';
import { unbounded } from '../contacts/plan.ts';
import { farPage, pageSize, type ScaleRead } from '../scale-reads.ts';
import type { Owner } from './dataset.ts';
import { commonWord } from './rows.ts';

/** Ids of the owner's, another one each request. */
export type Asked = {
  owner: Owner;
  cursor: string;
  dealId: string;
  taskId: string;
  recordId: string;
  conversationId: string;
  contactId: string;
  companyId: string;
  stageId: string;
  pipelineId: string;
  rareWord: string;
};

type Read = ScaleRead<Asked>;

const same = { ratio: 1.5 };
const quick = { ms: 50 };
const machines = '/v1/crm/object-types/machine/records';

type Query = ListRequest & { stage_id?: string };
type Kind = {
  path: string;
  read(source: Source, asked: Asked, request: ListRequest): Promise<Listing>;
  list(source: Source, asked: Asked, listing: Listing, page: ListPage): Promise<unknown>;
};

const machineOf = async (source: Source, { owner }: Asked) => (await loadType(ownRows(source, owner.organizationId), 'machine'))!;
const kinds: Record<'deals' | 'tasks' | 'records', Kind> = {
  deals: {
    path: '/v1/crm/deals',
    read: async (_source, _asked, request) => readDealListing(request),
    list: (source, { owner }, listing, page) => listDeals(unbounded(source), owner, listing, page),
  },
  tasks: {
    path: '/v1/crm/tasks',
    read: async (_source, _asked, request) => readTaskListing(request),
    list: (source, { owner }, listing, page) => listTasks(unbounded(source), owner.organizationId, listing, page),
  },
  records: {
    path: machines,
    read: async (source, asked, request) =>
      readListing('records machine', recordsOf(await machineOf(source, asked)).fields, request),
    list: async (source, asked, listing, page) =>
      listRows(unbounded(source), recordsOf(await machineOf(source, asked)), asked.owner.organizationId, listing, page),
  },
};

const list = (
  kind: keyof typeof kinds,
  name: string,
  aim: Read['aim'],
  queryOf: (asked: Asked) => Query,
  { isFar = false } = {},
): Read => ({
  name: `${kind}${name}${isFar ? `, page ${farPage}` : ''}`,
  aim,
  isFar,
  path: (asked, limit = pageSize) =>
    `${kinds[kind].path}?${new URLSearchParams({ ...(queryOf(asked) as object), limit: String(limit), ...(asked.cursor && { cursor: asked.cursor }) })}`,
  async run(source, asked) {
    const { stage_id: stageId, filters, ...rest } = queryOf(asked);
    const all = [
      ...JSON.parse((filters as string | undefined) ?? '[]'),
      ...(stageId ? [{ field: 'stage_id', value: stageId }] : []),
    ];
    const request = { ...rest, ...(all.length > 0 && { filters: JSON.stringify(all) }) };
    const listing = await kinds[kind].read(source, asked, request);
    const after = asked.cursor ? beginOf(listing, asked.cursor) : undefined;
    return kinds[kind].list(source, asked, listing, { limit: pageSize, after });
  },
});

type Filter = [field: string, operator: string, value: unknown];
const by = (...filters: Filter[]) => ({
  filters: JSON.stringify(filters.map(([field, operator, value]) => ({ field, operator, value }))),
});
const daysOn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const far = { isFar: true };

export const reads: Read[] = [
  {
    name: 'get a deal',
    aim: same,
    path: ({ dealId }) => `/v1/crm/deals/${dealId}`,
    run: (source, { owner, dealId }) => getDeal(ownRows(source, owner.organizationId), dealId),
  },
  {
    name: 'get a task',
    aim: same,
    path: ({ taskId }) => `/v1/crm/tasks/${taskId}`,
    run: (source, { owner, taskId }) => getTask(ownRows(source, owner.organizationId), taskId),
  },
  {
    name: 'get a record',
    aim: same,
    path: ({ recordId }) => `${machines}/${recordId}`,
    async run(source, asked) {
      const type = await machineOf(source, asked);
      return getRecord(ownRows(source, asked.owner.organizationId), { typeId: type.id, id: asked.recordId });
    },
  },
  {
    name: 'relationships_summary of a company with many contacts',
    aim: same,
    path: ({ companyId }) => `/v1/crm/object-types/company/records/${companyId}`,
    async run(source, { owner, companyId }) {
      const own = ownRows(source, owner.organizationId);
      return relationshipsOf(own, (await loadType(own, 'company'))!.relations, [companyId], () => true);
    },
  },
  {
    name: `a conversation's deals`,
    aim: same,
    path: ({ conversationId }) => `/v1/conversations/${conversationId}/deals?limit=${pageSize}`,
    run: (source, { owner, conversationId }) =>
      dealsOfConversation(ownRows(source, owner.organizationId), conversationId, { limit: pageSize, includeTotal: false }),
  },
  {
    name: `a contact's tasks`,
    aim: same,
    path: ({ contactId }) => `/v1/contacts/${contactId}/tasks?limit=${pageSize}`,
    async run(source, { owner, contactId }) {
      await assertContact(ownRows(source, owner.organizationId), contactId);
      const listing = readTaskListing({}, {}, { object_kind: 'contact', object_id: contactId });
      return listTasks(unbounded(source), owner.organizationId, listing, { limit: pageSize });
    },
  },
  ...(['deals', 'tasks', 'records'] as const).flatMap((kind) => [
    list(kind, '', same, () => ({})),
    list(kind, '', same, () => ({}), far),
  ]),
  list('records', ', equality of 0.01 %', same, () => by(['serial', 'eq', 'S-77'])),
  list('records', ', equality of 1 %', same, () => by(['batch', 'eq', 'B-7'])),
  list('records', ', equality of 30 %', same, () => by(['state', 'eq', 'sold'])),
  list('records', ' by a number', same, () => ({ sort: 'price' })),
  list('records', ' by a number', same, () => ({ sort: 'price' }), far),
  list('records', ' by a date', same, () => ({ sort: '-bought_on' })),
  list('deals', ' by a date', same, () => ({ sort: 'expected_close_at' })),
  list('tasks', ' by a date', same, () => ({ sort: 'due_at' })),
  list('deals', ' of a stage, as a board', same, ({ stageId }) => ({ stage_id: stageId, sort: 'position' })),
  list('records', ', a range by another sort', quick, () => ({
    sort: '-bought_on',
    ...by(['price', 'between', [1000, 2000]]),
  })),
  list('records', ', a wide range, newest first', quick, () => by(['price', 'gt', 5000])),
  list('deals', ', a range by another sort', quick, () => by(['expected_close_at', 'between', [daysOn(1), daysOn(11)]])),
  list('tasks', ', a range by another sort', quick, () => by(['due_at', 'between', [daysOn(1), daysOn(11)]])),
  list('records', ', two filters', quick, () => by(['state', 'eq', 'sold'], ['batch', 'eq', 'B-51'])),
  list('records', ', five filters', quick, () =>
    by(
      ['state', 'eq', 'stock'],
      ['is_leased', 'eq', true],
      ['price', 'gte', 2000],
      ['bought_on', 'between', ['2021-01-01', '2023-12-31']],
      ['weight', 'lt', 4000],
    ),
  ),
  list('deals', ', two filters', quick, ({ owner }) =>
    by(['status', 'eq', 'open'], ['owner_user_id', 'eq', owner.organizationId]),
  ),
  list('deals', ', five filters', quick, ({ owner, stageId }) =>
    by(
      ['status', 'eq', 'open'],
      ['owner_user_id', 'eq', owner.organizationId],
      ['stage_id', 'eq', stageId],
      ['expected_close_at', 'between', [daysOn(-40), daysOn(40)]],
      ['created_at', 'gt', daysOn(-30)],
    ),
  ),
  list('tasks', ', two filters', quick, ({ owner }) => by(['status', 'eq', 'open'], ['assignee_id', 'eq', owner.organizationId])),
  ...(['deals', 'tasks', 'records'] as const).flatMap((kind) => [
    list(kind, ' by a common word', quick, () => ({ search: commonWord })),
    list(kind, ' by a rare word', quick, ({ rareWord }) => ({ search: rareWord })),
  ]),
  {
    name: 'summary of a pipeline',
    aim: { ms: 150 },
    isSum: true,
    path: ({ pipelineId }) => `/v1/crm/deals/summary?pipeline_id=${pipelineId}`,
    run: (source, { owner, pipelineId }) => summaryOf(unbounded(source), owner, pipelineId),
  },
];
