import { AuditEntry } from '../../../src/platform/audit/audit-entry.entity.ts';
import { Event } from '../../../src/platform/events/event.entity.ts';
import { rowsOf } from './rows.ts';

export const eventRows = rowsOf(Event);
export const auditRows = rowsOf(AuditEntry);
