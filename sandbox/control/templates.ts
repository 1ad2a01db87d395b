import Joi from 'joi';
import type { State } from '../state.ts';
import { statusUpdate, templateWebhook } from '../templates/review.ts';
import { ControlError, check } from './check.ts';

const news = Joi.object<{ id: string; status?: string; reason?: string; quality?: string; category?: string }>({
  id: Joi.string().required(),
  status: Joi.string().uppercase(),
  reason: Joi.string(),
  quality: Joi.string().uppercase(),
  category: Joi.string().uppercase(),
}).or('status', 'quality', 'category');

/** What the provider decides about a template by itself, and tells by webhook: a pause, another quality, another category. */
export function changeTemplate(state: State, body: unknown): object {
  const { id, status, reason, quality, category } = check(news, body);
  const accounts = state.accounts.all().filter(({ templates }) => templates.some((template) => template.id === id));
  const [account] = accounts;
  const copies = accounts.flatMap(({ templates }) => templates.filter((template) => template.id === id));
  const [template] = copies;
  if (!account || !template) throw new ControlError(404, `there is no template ${id}`);
  const before = { quality: template.quality_score?.score ?? 'UNKNOWN', category: template.category };
  for (const copy of copies) {
    if (status) copy.status = status;
    if (reason) copy.rejected_reason = reason;
    if (quality) copy.quality_score = { score: quality };
    if (category) Object.assign(copy, { category, previous_category: before.category });
  }
  const tell = (webhook: object) => state.webhooks.schedule(account.waba_id, 0, () => webhook);
  if (status) tell(statusUpdate(account.waba_id, template, status, reason));
  if (quality)
    tell(
      templateWebhook(account.waba_id, template, 'message_template_quality_update', {
        previous_quality_score: before.quality,
        new_quality_score: quality,
      }),
    );
  if (category)
    tell(
      templateWebhook(account.waba_id, template, 'template_category_update', {
        previous_category: before.category,
        new_category: category,
      }),
    );
  return template;
}
