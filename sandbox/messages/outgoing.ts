import type { Account, Template } from '../accounts.ts';
import { GraphError } from '../graph/errors.ts';
import { type Fields, optionalText, requiredText } from './checks.ts';
import { contentChecks } from './content.ts';
import { type Recipient, readRecipient } from './recipient.ts';
import { checkTemplate } from './template.ts';

export interface Outgoing extends Recipient {
  type: string;
  callbackData: string | null;
  /** The category it is priced in. */
  category: string;
  isFreeForm: boolean;
  template?: Template;
}

/** Checks a message as the provider does before it accepts one; throws the error it would answer. */
export function readOutgoing(body: Fields, account: Account): Outgoing {
  if (body.recipient_type !== undefined && body.recipient_type !== 'individual') {
    throw new GraphError(100, { message: '(#100) Param recipient_type must be one of {individual}' });
  }
  const recipient = readRecipient(body, account);
  const callbackData = optionalText(body, 'biz_opaque_callback_data', 'biz_opaque_callback_data', 512) ?? null;
  if (body.context !== undefined) requiredText((body.context ?? {}) as Fields, 'message_id', "context['message_id']");
  const type = typeOf(body);
  if (type !== 'template') {
    contentChecks[type]?.(body);
    return { ...recipient, type, callbackData, category: 'service', isFreeForm: true };
  }
  const template = checkTemplate(body, account);
  const { category } = template;
  if (category === 'AUTHENTICATION' && recipient.waId === null) throw new GraphError(131062);
  return { ...recipient, type, callbackData, category: category.toLowerCase(), isFreeForm: false, template };
}

function typeOf(body: Fields): string {
  const types = ['template', ...Object.keys(contentChecks)];
  const type = body.type ?? types.find((known) => body[known] !== undefined) ?? 'text';
  if (typeof type === 'string' && types.includes(type)) return type;
  const choices = types.map((known) => known.toUpperCase()).join(', ');
  throw new GraphError(100, { message: `(#100) Param type must be one of {${choices}} - got "${String(type)}".` });
}
