import Joi from 'joi';

export const days = (min: number, byDefault: number) => Joi.number().integer().min(min).max(3650).default(byDefault);

/** How long rows are kept (src/platform/retention/). */
export const retentionSettings = {
  RETENTION_DONE_JOBS_DAYS: days(1, 7).description('Days an operation can be asked for after it succeeded'),
  // BullMQ shows a failed run for 14 days, and its retry needs the row.
  RETENTION_FAILED_JOBS_DAYS: days(14, 30).description('Days a failed job can be retried'),
  RETENTION_PROVIDER_WEBHOOKS_DAYS: days(1, 7).description("Days an applied body of the provider's webhooks is kept"),
  RETENTION_BROKEN_PROVIDER_WEBHOOKS_DAYS: days(1, 30).description('Days such a body is kept that could not be applied whole'),
  RETENTION_UNMATCHED_STATUSES_DAYS: days(1, 7).description("Days a provider's status is kept that had to wait for its message"),
  RETENTION_WEBHOOK_ATTEMPTS_DAYS: days(1, 30).description('Days the attempts of a webhook delivery are kept'),
  RETENTION_ONBOARDINGS_DAYS: days(1, 30).description('Days an onboarding not completed is kept after its last change'),
  RETENTION_CRM_BIN_DAYS: days(1, 30).description('Days a deleted deal, task or record can be restored'),
  RETENTION_CAMPAIGN_RECIPIENTS_DAYS: days(1, 400).description(
    'Days after the end of a campaign its recipients are kept; its counts stay',
  ),
  RETENTION_AUTOMATION_RUNS_DAYS: days(1, 30).description(
    'Days after its end a run of a rule is kept with its steps; its count stays',
  ),
  RETENTION_EVENTS_DAYS: days(1, 30).description(
    'Days an event is kept with its deliveries, once all of them have ended, and a failed try of a message',
  ),
};

export type RetentionSettings = {
  retentionDoneJobsDays: number;
  retentionFailedJobsDays: number;
  retentionProviderWebhooksDays: number;
  retentionBrokenProviderWebhooksDays: number;
  retentionUnmatchedStatusesDays: number;
  retentionWebhookAttemptsDays: number;
  retentionOnboardingsDays: number;
  retentionCrmBinDays: number;
  retentionCampaignRecipientsDays: number;
  retentionAutomationRunsDays: number;
  retentionEventsDays: number;
};
