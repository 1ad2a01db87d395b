import { plainCopy } from '../../liquid/copy.ts';
import { maxText } from '../../liquid/limits.ts';
import type { Variables } from '../../liquid/variables.ts';
import { parameterName } from '../recipients/parameters.ts';
import { maxCopied } from './limits.ts';

export const contactFields = [
  ...['id', 'name', 'phone_number', 'email', 'language', 'tags', 'custom_fields'],
  ...['external_source', 'external_id', 'created_at'],
] as const;
export const campaignFields = ['id', 'name'] as const;

/** A file's `param.Code` is `code`: with another name everybody would be skipped. */
const parameters = { pattern: parameterName, words: 'small letters, digits and _, as code' };
export const variables: Variables = { contact: contactFields, recipient: parameters, campaign: campaignFields };

export type ContactData = { [Field in (typeof contactFields)[number]]?: unknown };
/** `recipient`: the columns `param.<name>` of its line in the file. */
export type RenderData = {
  contact: ContactData;
  recipient: Record<string, unknown>;
  campaign: { id: string; name: string };
};

/** What the texts of a recipient's message see. */
export const scopeOf = ({ contact, recipient, campaign }: RenderData): Record<string, unknown> =>
  plainCopy(
    { contact: only(contact, contactFields), recipient, campaign: only(campaign, campaignFields) },
    { characters: maxCopied, text: maxText, depth: 3 },
  );

const only = (from: Record<string, unknown>, fields: readonly string[]) =>
  Object.fromEntries(fields.filter((field) => Object.hasOwn(from, field)).map((field) => [field, from[field]]));
