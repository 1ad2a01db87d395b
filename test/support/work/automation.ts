import {
  AutomationHeld,
  AutomationOccurrence,
  AutomationRule,
  AutomationRuleVersion,
  AutomationSecret,
} from '../../../src/automation/rule.entity.ts';
import { AutomationRun, AutomationStep, AutomationWait } from '../../../src/automation/run.entity.ts';
import { rowsOf } from './rows.ts';

export const ruleRows = rowsOf(AutomationRule);
export const ruleVersionRows = rowsOf(AutomationRuleVersion);
export const heldRows = rowsOf(AutomationHeld);
export const occurrenceRows = rowsOf(AutomationOccurrence);
export const secretRows = rowsOf(AutomationSecret);
export const runRows = rowsOf(AutomationRun);
export const stepRows = rowsOf(AutomationStep);
export const waitRows = rowsOf(AutomationWait);
