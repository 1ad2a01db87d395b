/** The life of a campaign and of a recipient, as tables. docs/campaigns.md shows them; the tests walk them. */
export const campaignStatuses = ['draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled', 'failed'] as const;
export type CampaignStatus = (typeof campaignStatuses)[number];

export const campaignPhases = ['preparing', 'sending', 'settling'] as const;
export type CampaignPhase = (typeof campaignPhases)[number];

export const campaignActions = [
  'change',
  'start',
  'begin',
  'pause',
  'resume',
  'cancel',
  'complete',
  'fail',
  'retry-failed',
  'delete',
] as const;
export type CampaignAction = (typeof campaignActions)[number];

/**
 * From which state an action leads to which. A state that leads to itself: asked again, nothing changes, except for `change` and `retry-failed`. What
 * is not here is a 409. `start` leads to `scheduled` when its time is to come; `begin` is the start of its time.
 */
export const campaignMoves: Record<CampaignAction, Partial<Record<CampaignStatus, (CampaignStatus | 'gone')[]>>> = {
  change: { draft: ['draft'], scheduled: ['scheduled'], paused: ['paused'] },
  start: { draft: ['scheduled', 'running'], scheduled: ['scheduled'], running: ['running'] },
  begin: { scheduled: ['running', 'paused', 'failed'] },
  pause: { running: ['paused'], paused: ['paused'] },
  resume: { paused: ['running'], running: ['running'] },
  cancel: {
    draft: ['cancelled'],
    scheduled: ['cancelled'],
    running: ['cancelled'],
    paused: ['cancelled'],
    cancelled: ['cancelled'],
  },
  complete: { running: ['completed'] },
  fail: { scheduled: ['failed'], running: ['failed'] },
  'retry-failed': { running: ['running'], paused: ['paused'], completed: ['running'] },
  delete: { draft: ['gone'], completed: ['gone'], cancelled: ['gone'], failed: ['gone'] },
};

export const isAllowed = (action: CampaignAction, from: CampaignStatus) => campaignMoves[action][from] !== undefined;

export const hasEnded = (status: CampaignStatus) => status === 'completed' || status === 'cancelled' || status === 'failed';

export const recipientStatuses = ['pending', 'queued', 'sent', 'delivered', 'read', 'failed', 'skipped'] as const;
export type RecipientStatus = (typeof recipientStatuses)[number];

export const skipReasons = [
  'suppressed',
  'consent_required',
  'no_address',
  'frequency_cap',
  'render_failed',
  'template_unknown',
  'expired',
  'cancelled',
  'duplicate',
  'contact_deleted',
] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Which status may follow which. To `pending`: the campaign was at fault, its hours were over, the provider asks to wait a day, or `failed` ones are retried by hand;
 * `failed → queued`: the message was retried, `failed → sent`: a late proof. */
export const recipientMoves: Record<RecipientStatus, RecipientStatus[]> = {
  pending: ['queued', 'skipped'],
  queued: ['sent', 'delivered', 'read', 'failed', 'pending', 'skipped'],
  sent: ['delivered', 'read', 'failed', 'pending'],
  delivered: ['read'],
  read: [],
  failed: ['pending', 'queued', 'sent', 'delivered', 'read'],
  skipped: [],
};

/** Why a campaign paused by itself, or failed. */
export const campaignReasons = [
  'late',
  'template_paused',
  'template_unknown',
  'channel_stopped',
  'spam_limit',
  'too_many_failures',
  'audience_empty',
  'audience_too_large',
  'audience_unknown',
] as const;
export type CampaignReason = (typeof campaignReasons)[number];
