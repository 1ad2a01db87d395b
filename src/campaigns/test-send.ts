import { type ContactRow, findContactById } from '../contacts/queries.ts';
import { parseAhead } from '../liquid/parsed.ts';
import { checkMessage, type Prepared, prepareMessage } from '../messaging/send.ts';
import { findTarget, type SendRequest } from '../messaging/send-target.ts';
import { getOrganization } from '../organizations/organizations.ts';
import type { Own } from '../platform/database/own.ts';
import { AppError, invalidField } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import { timeShares } from '../platform/load/shares.ts';
import type { Secrets } from '../platform/secrets.ts';
import { type CampaignRow, getCampaign } from './campaign-row.ts';
import { channelFaults, channelsOf } from './checks/channels.ts';
import { templatesOf, variantFaults } from './checks/templates.ts';
import { languageOf } from './content/choose.ts';
import { compile } from './content/compile.ts';
import { throwContentFaults } from './content/faults.ts';
import { render } from './content/render.ts';
import { zoneOfTexts } from './content/zone.ts';

export type TestRequest = {
  /** Phones with `+`, or ids of contacts. */
  to: string[];
  channel_id?: string;
  variant_id?: string;
  language?: string;
  parameters?: Record<string, string>;
};

/**
 * Ordinary messages, as the campaign would write them: with the same checks, and none of its recipients. Throws 404, 409 for a channel that
 * cannot send, 422 at `to[i]` for whom may not be written to.
 */
export async function prepareTest(
  own: Own,
  transact: TenantTransact,
  secrets: Secrets,
  id: string,
  request: TestRequest,
): Promise<Prepared[]> {
  const campaign = await getCampaign(own, id);
  const channelId = request.channel_id ?? campaign.channel_ids[0];
  if (!channelId) throw invalidField('channel_id', 'The campaign has no channel: name one', 'any.required');
  const channels = await channelsOf(own, [channelId]);
  if (channels.length === 0) throw invalidField('channel_id', 'There is no such channel', 'channel.unknown');
  await parseAhead(own.organizationId, campaign.variants);
  throwContentFaults([...channelFaults([channelId], channels, true), ...(await variantFaults(own, channels, campaign.variants))]);
  const message = await messageMaker(own, campaign, channelId, request);
  // All of them, before the conversation of one is made.
  const checked: Checked[] = [];
  for (const [index, to] of request.to.entries()) {
    const one = await at(index, () => checkOne(own, secrets, { channelId, to, message }));
    // By their id and by their phone, as one person may stand there.
    if (checked.some(({ contactId }) => contactId !== null && contactId === one.contactId)) throw twice(index);
    checked.push(one);
  }
  const prepared: Prepared[] = [];
  for (const [index, { send }] of checked.entries()) {
    const one = await at(index, () => prepareMessage(own, transact, secrets, send));
    if (prepared.some(({ conversation }) => conversation.id === one.conversation.id)) throw twice(index);
    prepared.push(one);
  }
  return prepared;
}

const twice = (index: number) => invalidField(`to[${index}]`, 'The person stands there twice', 'array.unique');

type Content = SendRequest['content'];
type Maker = (contact: ContactRow | undefined) => Content;
type One = { channelId: string; to: string; message: Maker };

type Checked = { contactId: string | null; send: SendRequest };

async function checkOne(own: Own, secrets: Secrets, { channelId, to, message }: One): Promise<Checked> {
  const recipient = isUuid(to) ? { contactId: to } : { phone: to };
  const whoever = { channelId, recipient, type: 'template', content: {} };
  const { contact_id: contactId } = await findTarget(own, secrets, whoever);
  const contact = contactId ? await findContactById(own, contactId) : undefined;
  const send = { ...whoever, content: timeShares.count(own.organizationId, () => message(contact)) };
  await checkMessage(own, secrets, send);
  return { contactId, send };
}

async function messageMaker(own: Own, campaign: CampaignRow, channelId: string, request: TestRequest): Promise<Maker> {
  const { id, name, variants, schedule } = campaign;
  const { language, parameters: recipient = {}, variant_id: variantId = variants[0]?.id ?? '' } = request;
  if (!variants.some((one) => one.id === variantId))
    throw invalidField('variant_id', 'The campaign has no such variant', 'variant.unknown');
  const compiled = compile(variants);
  const templateOf = (await templatesOf(own, [channelId], variants))(channelId);
  const settings = await getOrganization(own);
  return (contact = nobody) => {
    const data = { contact, recipient, campaign: { id, name } };
    const timezone = zoneOfTexts(schedule, settings, contact);
    const choice = { variantId, timezone, language: language ?? languageOf(contact), templateOf };
    const rendered = render(compiled, data, choice);
    if ('reason' in rendered) throw invalidField('', rendered.message, rendered.reason);
    return rendered;
  };
}

/** Whom Kanal does not know yet has no fields. */
const nobody = {} as ContactRow;

/** The fault of one person, at their place. */
async function at<Result>(index: number, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || (error.status !== 422 && error.status !== 404)) throw error;
    const detail = {
      field: `to[${index}]`,
      location: 'body',
      code: error.details?.[0]?.code ?? error.code,
      message: error.message,
    };
    throw new AppError(error.status === 404 ? 'invalid_request' : error.code, error.message, { details: [detail] });
  }
}
