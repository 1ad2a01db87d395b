import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { refusalOf } from '../../contacts/permission/permission.ts';
import type { ManyMessage } from '../../messaging/accept-many.ts';
import { flowSendOf } from '../../messaging/opened-flow.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { CampaignRow } from '../campaign-row.ts';
import { languageOf, variantOf } from '../content/choose.ts';
import type { Compiled } from '../content/compile.ts';
import { type Rendered, render } from '../content/render.ts';
import type { SkipReason } from '../states.ts';
import type { DuePerson, DueRow } from './look.ts';
import type { Room } from './rooms.ts';
import type { FeedTemplates } from './templates.ts';
import { type Turn, takePlace } from './turns.ts';

export type Skip = { recipientId: string; channelId: string; contactId: string | null; reason: SkipReason };
export type Plan = { sends: ManyMessage[]; skips: Skip[] };

/** `timezone`: the organization's. */
export type PlanDeps = { campaign: CampaignRow; content: Compiled; templates: FeedTemplates; timezone: string };

/** Recipients of one transaction, which holds the lane of each. */
export const maxBatch = 50;

/** A text of an organization may take some ms for each person, and the worker does the work of others too. */
const maxHeldMs = 5;

/**
 * What becomes of those who are due, a batch of them, which are taken from `due`: a message as far as their channel has room, or the reason why
 * there is none. The loop is held for that time and one message.
 */
export async function planOf(due: DueRow[], turns: Map<string, Turn>, deps: PlanDeps): Promise<Plan> {
  const plan: Plan = { sends: [], skips: [] };
  let heldSince = performance.now();
  while (plan.sends.length + plan.skips.length < maxBatch) {
    const row = due.shift();
    if (!row) break;
    if (performance.now() - heldSince > maxHeldMs) {
      await turnOfOthers();
      heldSince = performance.now();
    }
    const turn = turns.get(row.channel_id)!;
    if (turn.isCut) continue;
    const decided = decide(row, turn.channel, deps);
    if (typeof decided === 'string')
      plan.skips.push({ recipientId: row.id, channelId: row.channel_id, contactId: row.contact_id, reason: decided });
    else if (takePlace(turn)) plan.sends.push(decided);
  }
  return plan;
}

function decide(row: DueRow, channel: Room, deps: PlanDeps): SkipReason | ManyMessage {
  const { campaign, templates } = deps;
  if (row.contact_id === null) return 'contact_deleted';
  if (row.is_extra) return 'duplicate';
  if (!row.phone && !row.user_id) return 'no_address';
  if (row.suppression) return 'suppressed';
  if (isRefused(row, campaign.purpose === 'marketing')) return 'consent_required';
  if (row.is_capped) return 'frequency_cap';
  const rendered = renderFor(row, channel, deps);
  if (!rendered) return 'render_failed';
  const template = templates(channel.id, rendered.name, rendered.language);
  if (!template) return 'template_unknown';
  // Marketing needs consent whatever the template is; a service message only where its template is none of service.
  if (isRefused(row, template.category.toLowerCase() !== 'utility')) return 'consent_required';
  const content = rendered as Record<string, unknown>;
  return {
    id: uuidv7(),
    recipientId: row.id,
    channelId: channel.id,
    conversationId: row.conversation_id ?? uuidv7(),
    contactId: row.contact_id,
    was: row.conversation_status,
    type: 'template',
    content,
    toPhone: (row.phone ?? '').replace(/\D/g, ''),
    toUserId: row.phone ? '' : (row.user_id ?? ''),
    flowSend: flowSendOf('template', content, {
      flow: template.flow,
      account_id: channel.account_id,
      template_components: template.components,
    }),
  };
}

const isRefused = (row: DueRow, isMarketing: boolean) =>
  refusalOf({ ...row, category: isMarketing ? 'marketing' : null }) !== undefined;

function renderFor(row: DuePerson, channel: Room, { campaign, content, templates, timezone }: PlanDeps): Rendered | undefined {
  const { id, variant_id, parameters, contact_id, tags, contact_created_at } = row;
  const { name, phone_number, email, custom_fields, external_source, external_id } = row;
  const language = languageOf({ custom_fields });
  const contact = {
    ...{ id: contact_id, name, phone_number, email, language, tags: tags ?? [] },
    ...{ custom_fields, external_source, external_id, created_at: contact_created_at },
  };
  // The content of a paused campaign may have changed, and the variant be gone.
  const known = campaign.variants.some((variant) => variant.id === variant_id);
  const variantId = known ? variant_id : variantOf(id, campaign.variants).id;
  const rendered = render(
    content,
    { contact, recipient: parameters, campaign: { id: campaign.id, name: campaign.name } },
    {
      variantId,
      timezone: campaign.schedule.is_local ? row.zone : timezone,
      language,
      templateOf: (template, code) => templates(channel.id, template, code),
    },
  );
  return 'reason' in rendered ? undefined : rendered;
}
