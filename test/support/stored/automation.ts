import { AutomationHeld, AutomationRule, AutomationRuleVersion, AutomationSecret } from '../../../src/automation/rule.entity.ts';
import { AutomationRun, AutomationStep, AutomationWait } from '../../../src/automation/run.entity.ts';
import { storedRows } from './rows.ts';

export const storedRules = storedRows(AutomationRule);
export const storedRuleVersions = storedRows(AutomationRuleVersion);
export const storedHeldBack = storedRows(AutomationHeld);
export const storedAutomationSecrets = storedRows(AutomationSecret);
export const storedRuns = storedRows(AutomationRun);
export const storedSteps = storedRows(AutomationStep);
export const storedWaits = storedRows(AutomationWait);
