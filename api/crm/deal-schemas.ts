import Joi from 'joi';
import { dealStatuses } from '../../src/deals/deal.entity.ts';
import { type DealRow, dealWrite } from '../../src/deals/deal-row.ts';
import { type Asked, changeDeal, type DealTx } from '../../src/deals/deal-tx.ts';
import { type DisplayMoney, displayMoney } from '../../src/deals/money.ts';
import { shownFields } from '../../src/deals/shown.ts';
import { digitsOf } from '../../src/money/currencies.ts';
import { currencyCode } from '../../src/money/schemas.ts';
import { actorOf, type Caller } from '../../src/organizations/caller.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import type { TransactOptions } from '../../src/platform/ledger/transact.ts';
import { Afterwards } from '../../src/platform/ledger/tx.ts';
import { type Input, ok, type Reply } from '../http/endpoint.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'CRM';
export const aboutDeal = { tag, subject: 'Deal' };

const text = Joi.string().allow('').required();
const integer = Joi.number().integer().required();

export const linkedContact = Joi.object({
  contact_id: id.required(),
  role: text.description('What the contact is in the deal, in your words'),
  is_primary: Joi.boolean().required().description('At most one of a deal'),
});

export const exampleDeal = {
  id: exampleIdOf('deal'),
  title: 'Renewal for 40 seats',
  status: 'open',
  amount_minor: '125000',
  currency_code: 'EUR',
  minor_unit: 2,
  home_currency_at_write: 'USD',
  amount_in_home_currency: '1362.50',
  display_currency: 'USD',
  display_currency_unit: 2,
  display_currency_minor: '136250',
  expected_close_at: '2026-12-31T00:00:00.000Z',
  owner_user_id: exampleIds.user,
  source_conversation_id: exampleIds.conversation,
  stage_id: exampleIdOf('stage'),
  custom_fields: { seats: 40 },
  metadata: {},
  pipeline_id: exampleIdOf('pipeline'),
  stage_entered_at: exampleTime,
  closed_at: null,
  lost_reason: '',
  probability: 40,
  position: '7',
  contacts: [{ contact_id: exampleIds.contact, role: 'Buyer', is_primary: true }],
  revision: 1,
  created_at: exampleTime,
  updated_at: exampleTime,
};

export const dealView = view(
  'deal',
  Joi.object({
    id: id.required(),
    title: Joi.string().required(),
    status: Joi.string()
      .valid(...dealStatuses)
      .required()
      .description('The kind of its stage; set directly only without a stage'),
    amount_minor: Joi.string().required().description('In minor units of `currency_code`: 1250.00 EUR is `125000`'),
    currency_code: Joi.string().required().description('ISO 4217'),
    minor_unit: integer.description('Digits of `currency_code`: 2 for USD, 0 for JPY'),
    home_currency_at_write: Joi.string()
      .required()
      .description('The home currency when the amount or the currency was last written, or the deal was closed'),
    amount_in_home_currency: text.description(
      'A decimal number in `home_currency_at_write`, at the rate of that moment; later rates do not change it. Empty: there was no rate',
    ),
    display_currency: Joi.string()
      .required()
      .description(
        '`display_currency` of the query, else of the organization, else its home currency; without a rate that of the deal',
      ),
    display_currency_unit: integer.description('Digits of `display_currency`'),
    display_currency_minor: Joi.string()
      .required()
      .description(
        'The amount in minor units of `display_currency`: at the newest rate for an open deal, at that of `closed_at` for a closed one',
      ),
    expected_close_at: text.description('ISO 8601, UTC; empty: not known'),
    owner_user_id: id.allow(null).required().description('A member; null: nobody'),
    source_conversation_id: id.allow(null).required().description('Where the deal comes from'),
    stage_id: id.allow(null).required().description('null: the organization had no pipeline'),
    custom_fields: Joi.object().unknown().required(),
    metadata: Joi.object().unknown().required(),
    pipeline_id: id.allow(null).required(),
    stage_entered_at: timestamp.allow(null).required(),
    closed_at: timestamp.allow(null).required().description('When it was won or lost'),
    lost_reason: text,
    probability: Joi.number().integer().allow(null).required().description('Of its stage, in percent'),
    position: Joi.string().required().description('A decimal number: the place in its stage, smallest first'),
    contacts: Joi.array().items(linkedContact).required().description('The primary one first'),
    revision: integer.description('Raised by 1 with each change'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  exampleDeal,
);

const toView = (row: DealRow, display: DisplayMoney) => ({
  id: row.id,
  ...shownFields(row),
  minor_unit: digitsOf(row.currency_code),
  ...display,
  probability: row.probability,
  contacts: row.contacts,
  revision: row.revision,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** One statement for the rates of all. */
export async function toDealViews(own: Own, rows: DealRow[], displayCurrency?: string) {
  const display = await displayMoney(own, rows, displayCurrency);
  return rows.map((row, index) => toView(row, display[index]!));
}

export async function dealReply(own: Own, row: DealRow, displayCurrency?: string): Promise<Reply> {
  const [shown] = await toDealViews(own, [row], displayCurrency);
  return ok(shown);
}

export const createdReply = (made: Afterwards<DealRow>, display: DisplayMoney): Afterwards<Reply> =>
  new Afterwards(() => ({ status: 201, body: toView(made.read(), display) }));

export type Reading = { display_currency?: string };
export const reading = { display_currency: currencyCode.description('The currency to show amounts in') };

export const revision = Joi.number()
  .integer()
  .min(1)
  .description('The one you have seen: if the deal was changed since then, the answer is a 409 that names the present one');
type Writing = { caller: Caller; write: Input<unknown, unknown>['write'] };

/** One change of a deal under its lock, or under the locks given. */
export const changeOneDeal = (
  { caller, write }: Writing,
  asked: Omit<Asked, 'actor'>,
  work: (tx: DealTx) => Promise<void> | void,
  options: TransactOptions = dealWrite(asked.id),
): Promise<Reply> =>
  write(options, async ({ own: tx }) => {
    const row = await changeDeal(tx, { ...asked, actor: actorOf(caller) }, work);
    return dealReply(tx, row);
  });
