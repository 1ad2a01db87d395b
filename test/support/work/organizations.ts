import { Mail } from '../../../src/mails/mail.entity.ts';
import { Organization } from '../../../src/organizations/organization.entity.ts';
import { rowsOf } from './rows.ts';

export const organizationRows = rowsOf(Organization);
export const mailRows = rowsOf(Mail);
