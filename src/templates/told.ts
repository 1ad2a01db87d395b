import { now } from '../platform/database/columns.ts';
import type { Owned } from '../platform/database/own.ts';
import { templateStatusUpdate } from '../platform/events/catalogue.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Template, TemplateStatus } from './template.entity.ts';

/** Also the lane of its jobs. */
export const templateLock = (id: string) => subjectLock('template', id);

export type TemplateRecord = Owned<typeof Template>;
type Told = Pick<TemplateRecord, 'id' | 'status' | 'category' | 'quality' | 'reason' | 'failure'>;

/** Needs the template's lock. `changed`: the fields by their names in the API. */
export function tellChange(own: OwnTx, template: Told, changed: string[]): void {
  const { id, status, category, quality, reason, failure } = template;
  own.emit(templateStatusUpdate, {
    template_id: id,
    status,
    changed,
    category: category.toLowerCase(),
    quality,
    reason: changed.includes('failure') && failure ? failure.message : reason,
  });
}

export type News = { status?: TemplateStatus; reason?: string; quality?: string; category?: string };

/** What the provider tells of a template. Returns what is new in it. */
export function takeNews(template: TemplateRecord, { status, reason, quality, category }: News): string[] {
  const changed: string[] = [];
  if (status) {
    template.status_at = now();
    if (status !== template.status) changed.push('status');
    template.status = status;
  }
  if (reason !== undefined && reason !== template.reason) {
    changed.push('reason');
    template.reason = reason;
  }
  if (quality && quality !== template.quality) {
    changed.push('quality');
    template.quality = quality;
  }
  if (category && category !== template.category.toLowerCase()) {
    changed.push('category');
    template.previous_category = template.category.toLowerCase();
    template.category = category;
  }
  return changed;
}
