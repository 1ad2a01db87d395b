import { now } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import { notFound } from '../platform/errors.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { now as nowMs } from '../platform/time/clock.ts';
import type { ProviderTemplate } from '../providers/messaging-app/provider.ts';
import { templateStatusOf } from './status-words.ts';
import { Template, type TemplateChange } from './template.entity.ts';
import { type TemplateRecord, takeNews, tellChange, templateLock } from './told.ts';

/** `isRepeat`: an earlier run may have asked the provider. Undefined: nothing is left to do. */
export function beginWork(
  transact: TenantTransact,
  id: string,
  doing: 'submit' | 'edit',
): Promise<{ template: TemplateRecord; isRepeat: boolean } | undefined> {
  return transact({ locks: [templateLock(id)] }, async ({ own }) => {
    const template = await own.findOne(Template, { id, doing });
    if (!template) return undefined;
    const isRepeat = template.submitted_at !== null;
    if (!isRepeat) template.submitted_at = now();
    return { template, isRepeat };
  });
}

export const openDeletion = (own: Own, id: string) => own.findOne(Template, { id, doing: 'delete' });

/** The provider has answered, so it has nothing of what it was asked. `rejectedFor`: of a new template, that nothing will become of it. */
export async function markRefused(own: OwnTx, id: string, rejectedFor?: string): Promise<void> {
  const template = await own.findOne(Template, { id });
  if (!template) return;
  template.submitted_at = null;
  if (rejectedFor !== undefined) takeNews(template, { status: 'rejected', reason: rejectedFor });
}

type There = Pick<ProviderTemplate, 'id' | 'status' | 'category'> & { components?: unknown[] };

/** A webhook may have told more than the answer already. */
export async function settleSubmitted(own: OwnTx, id: string, there: There): Promise<void> {
  const template = await own.findOne(Template, { id });
  if (!template) throw notFound('Template');
  template.provider_template_id = there.id;
  if (there.components) template.components = there.components;
  template.content_at = now();
  ended(template, 'submit');
  const isTold = template.status !== 'draft';
  const status = isTold ? undefined : templateStatusOf(there.status);
  const changed = takeNews(template, { status, ...(status && { reason: '' }), category: there.category });
  if (changed.length > 0) tellChange(own, template, changed);
}

/** `copies`: rows of other channels for the same template, under their locks. */
export async function settleEdited(own: OwnTx, id: string, copies: string[] = []): Promise<void> {
  const template = await own.findOne(Template, { id });
  if (!template?.change) return;
  const edit = { ...template.change, askedAt: Date.parse(template.submitted_at ?? '') };
  template.change = null;
  const changed = takeEdit(template, edit);
  ended(template, 'edit');
  if (changed.length > 0) tellChange(own, template, changed);
  for (const copyId of copies) {
    const copy = await own.findOne(Template, { id: copyId });
    if (!copy) continue;
    const news = takeEdit(copy, edit);
    if (news.length > 0) tellChange(own, copy, news);
  }
}

type Edit = TemplateChange & { askedAt: number };

/** The provider reviews an edit as it does a new template. Returns what is new. */
function takeEdit(template: TemplateRecord, { components, category, askedAt }: Edit): string[] {
  if (components) template.components = components;
  template.content_at = now();
  if (template.status === 'approved') template.approved_edits = editsWith(template, nowMs());
  const isReviewed = Date.parse(template.status_at ?? '') >= askedAt;
  if (!isReviewed) passOverCopies(template, askedAt);
  const news = takeNews(template, { ...(!isReviewed && { status: 'pending', reason: '' }), category });
  return [...(components ? ['components'] : []), ...news];
}

/** A webhook about what stood before the edit may come again: it is old from now on. Their times are in whole seconds, so news of the edit's own second may be about the edit. */
function passOverCopies(template: TemplateRecord, askedAt: number) {
  const toldAt = Date.parse(template.told_at ?? '');
  const second = Math.floor(askedAt / 1_000) * 1_000;
  if (toldAt < second) template.told_at = new Date(toldAt + 1).toISOString();
}

const keptEdits = 10;
const editsWith = ({ approved_edits }: TemplateRecord, at: number) =>
  [...approved_edits, new Date(at).toISOString()].slice(-keptEdits);

/** Another piece of work may have been asked for meanwhile. */
function ended(template: TemplateRecord, doing: 'submit' | 'edit') {
  template.submitted_at = null;
  if (template.doing !== doing) return;
  template.doing = null;
  template.failure = null;
}

/** A copy is disabled, as one that the provider lists no more. */
export async function settleDeleted(own: OwnTx, id: string, copies: string[] = []): Promise<void> {
  await own.delete(Template, { id, doing: 'delete' });
  for (const copyId of copies) {
    const copy = await own.findOne(Template, { id: copyId });
    // One that is being deleted was told as disabled.
    if (!copy || copy.doing === 'delete') continue;
    const changed = takeNews(copy, { status: 'disabled' });
    if (changed.length > 0) tellChange(own, copy, changed);
  }
}
