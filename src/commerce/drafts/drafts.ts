import { now } from '../../platform/database/columns.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { subjectLock } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { type Ask, type Page, type PageRows, pageOfQuery } from '../../platform/listing/paging.ts';
import { assertRevision } from '../../platform/revision.ts';
import type { NewOrder, OrderContent } from './content.ts';
import { DraftOrder } from './draft.entity.ts';

const columns = ['id', 'contact_id', 'content', 'order_id', 'revision', 'created_at', 'updated_at'] as const;
export type DraftRow = RowOf<typeof DraftOrder, (typeof columns)[number]>;

export const draftLock = (id: string) => subjectLock('draft_order', id);

const byId = statement((select, { id }: { id: string }) => select(DraftOrder).select(columns).where('id', '=', id));

/** Throws 404. */
export async function getDraft(own: Own, id: string): Promise<DraftRow> {
  const [row] = await byId(own, { id });
  if (!row) throw notFound('Draft order');
  return row;
}

/** What its conversion would order. */
export const orderOf = ({ content, contact_id }: DraftRow): NewOrder => ({
  ...content,
  ...(contact_id !== null && { contact_id }),
});

export async function createDraft(tx: OwnTx, { contact_id = null, ...content }: Given): Promise<DraftRow> {
  const id = uuidv7();
  await tx.insert(DraftOrder, { id, contact_id, content: withoutNulls(content) });
  return getDraft(tx, id);
}

/** As a client gives it: a null removes. */
export type Given = { [Name in keyof OrderContent]?: OrderContent[Name] | null } & { contact_id?: string | null };

const withoutNulls = (content: object) =>
  Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null && value !== undefined)) as OrderContent;

/** What is not given stays. Needs the draft's lock. Throws 404, and 409 once it is an order or for another revision. */
export async function patchDraft(
  tx: OwnTx,
  { id, revision }: { id: string; revision?: number },
  { contact_id, ...content }: Given,
): Promise<DraftRow> {
  tx.assertLocked(draftLock(id));
  const draft = await getDraft(tx, id);
  assertRevision('draft order', draft.revision, revision);
  if (draft.order_id !== null) throw converted(draft.order_id);
  await tx.update(
    DraftOrder,
    { id },
    {
      content: withoutNulls({ ...draft.content, ...content }),
      ...(contact_id !== undefined && { contact_id }),
      revision: draft.revision + 1,
      updated_at: now(),
    },
  );
  return getDraft(tx, id);
}

function converted(orderId: string) {
  const message = 'The draft is an order already';
  return new AppError('conflict', message, {
    details: [{ field: 'order_id', location: 'body', code: 'draft.converted', message, value: orderId }],
  });
}

/** The order it became stays. Throws 404. */
export async function deleteDraft(tx: OwnTx, id: string): Promise<void> {
  tx.assertLocked(draftLock(id));
  if ((await tx.delete(DraftOrder, { id })) === 0) throw notFound('Draft order');
}

/** False: it was changed or converted since it was read. */
export const claimDraft = async (tx: OwnTx, { id, revision }: DraftRow, orderId: string): Promise<boolean> =>
  (await tx.update(DraftOrder, { id, revision, order_id: null }, { order_id: orderId, updated_at: now() })) === 1;

export type DraftFilter = { contact_id?: string };

/** Newest first. */
export function listDrafts(own: Own, ask: Ask, { contact_id }: DraftFilter, page: Page): Promise<PageRows<DraftRow>> {
  const drafts = own.select(DraftOrder).select(columns);
  return pageOfQuery<DraftRow>(ask, contact_id === undefined ? drafts : drafts.where('contact_id', '=', contact_id), page);
}
