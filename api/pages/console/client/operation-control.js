/** As the contracts of the jobs and api/operations/control.ts have it: a button that is shown is not refused. */
export const pausable = ['webhooks.recover', 'webhooks.replay', 'webhooks.cancel'];
export const callable = [
  ...pausable,
  'automation.cancel-runs',
  'automation.retry-runs',
  'campaigns.import',
  'campaigns.retry-failed',
  'contacts.export',
  'contacts.import',
  'crm.import',
  'crm.revalue',
  'flows.delete',
  'flows.deprecate',
  'flows.import',
  'flows.preview',
  'flows.publish',
  'flows.push',
  'flows.sync',
  'flows.upload-key',
  'onboarding.exchange-token',
  'onboarding.register-phone',
  'onboarding.subscribe-webhook',
  'onboarding.sync-assets',
];

const scopeOfName = { 'flows.import': 'flows:write', 'flows.upload-key': 'channels:write' };
const scopeOfSubject = {
  automation_runs: 'automation:write',
  campaign: 'campaigns:write',
  campaign_import: 'campaigns:write',
  contact_export: 'contacts:read',
  contact_import: 'contacts:write',
  crm_import: 'crm:write',
  deal_revaluation: 'crm:write',
  flow: 'flows:write',
  onboarding: 'onboarding:write',
  webhook_replay: 'webhooks:write',
};

export const scopeToControl = ({ name, subject }) => scopeOfName[name] ?? scopeOfSubject[subject.type] ?? 'messages:write';
