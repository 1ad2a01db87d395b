import type { Template } from '../accounts.ts';
import type { State } from '../state.ts';

/** Simulates the provider's reviewers, whose decision comes by webhook. */
export function scheduleReview(state: State, wabaId: string, copies: Template[]): void {
  const { template_review: verdict, delay_ms } = state.behaviour;
  const [template] = copies;
  if (verdict === null || !template) return;
  state.webhooks.schedule(wabaId, delay_ms, () => {
    for (const copy of copies) copy.status = verdict;
    return statusUpdate(wabaId, template, verdict);
  });
}

export const statusUpdate = (wabaId: string, template: Template, event: string, reason?: string): object =>
  templateWebhook(wabaId, template, 'message_template_status_update', {
    event,
    reason: reason ?? (event === 'REJECTED' ? 'INVALID_FORMAT' : 'NONE'),
    message_template_category: template.category,
  });

/** The id is a number here, and text everywhere else. */
export function templateWebhook(wabaId: string, template: Template, field: string, more: object): object {
  const value = {
    message_template_id: Number(template.id),
    message_template_name: template.name,
    message_template_language: template.language,
    ...more,
  };
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: wabaId, time: Math.floor(Date.now() / 1_000), changes: [{ value, field }] }],
  };
}
