import { PasswordReset } from '../../../src/accounts/account.entity.ts';
import { Mail } from '../../../src/mails/mail.entity.ts';
import { ApiKey, Invitation, Membership, Organization } from '../../../src/organizations/organization.entity.ts';
import { AuditEntry } from '../../../src/platform/audit/audit-entry.entity.ts';
import { IdempotencyKey } from '../../../src/platform/idempotency/idempotency-key.entity.ts';
import { BearerToken, Session, User } from '../../../src/users/user.entity.ts';
import { storedRows } from './rows.ts';

export const storedOrganizations = storedRows(Organization);
export const storedMemberships = storedRows(Membership);
export const storedInvitations = storedRows(Invitation);
export const storedApiKeys = storedRows(ApiKey);
export const storedUsers = storedRows(User);
export const storedSessions = storedRows(Session);
export const storedBearerTokens = storedRows(BearerToken);
export const storedPasswordResets = storedRows(PasswordReset);
export const storedMails = storedRows(Mail);
export const storedActs = storedRows(AuditEntry);
export const storedIdempotencyKeys = storedRows(IdempotencyKey);
