import Joi from 'joi';
import { createDeal } from '../../deals/create.ts';
import { dealWrite } from '../../deals/deal-row.ts';
import { changeDeal, type DealTx } from '../../deals/deal-tx.ts';
import { closeDeal, type Move, moveDeal, moveOf, reopenDeal } from '../../deals/move.ts';
import { lookAround, type NewDeal } from '../../deals/new-deal.ts';
import { type DealPatch, patchDeal } from '../../deals/patch.ts';
import { dealPatchFields, moveFields, newDealFields } from '../../deals/schemas.ts';
import type { Own } from '../../platform/database/own.ts';
import { dealClosed, dealCreated } from '../../platform/events/crm-events.ts';
import { id, uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { anyContactOf, idOf } from './about.ts';
import { databaseAction, type Noted, type PreparedStep, type StepContext } from './action.ts';
import { memberFaults } from './faults.ts';
import { placeFaults } from './place-faults.ts';

const deal_id = id.description("Default: the run's deal");

/** Of the run's conversation and its contact, unless it says otherwise. */
async function withOrigin(context: StepContext, given: NewDeal): Promise<NewDeal> {
  const { subject_type, subject_id } = context.run;
  const source = subject_type === 'conversation' ? subject_id : undefined;
  const contactId = given.contacts ? undefined : await anyContactOf(context);
  return {
    ...(source && { source_conversation_id: source }),
    ...(contactId && { contacts: [{ contact_id: contactId }] }),
    ...given,
  };
}

export const createDealAction = databaseAction<NewDeal>({
  type: 'create_deal',
  description:
    'Creates a deal, in the stage given or the first open one. Without `contacts` it is linked to the contact of the run; in a run about a conversation that is its source.',
  scopes: ['crm:write'],
  fields: Joi.object<NewDeal>({
    ...newDealFields,
    title: newDealFields.title.required(),
    source_conversation_id: id.allow(null).description('null: none'),
  }),
  example: { title: 'Request of {{ contact.name }}', amount_minor: '10000', currency_code: 'EUR' },
  check: async (own, { owner_user_id, pipeline_id, stage_id }) => [
    ...(await memberFaults(own, { owner_user_id })),
    ...(await placeFaults(own, { pipeline_id, stage_id })),
  ],
  tells: [dealCreated.type, dealClosed.type],
  async prepare(context, fields) {
    const deal = await withOrigin(context, fields);
    const seen = await lookAround(context.own, deal);
    const { status, stage } = seen;
    const noted: Noted = ({ own }) => {
      const deal_id = uuidv7();
      createDeal(own, context.actor, deal, seen, deal_id);
      return { deal_id, status, pipeline_id: stage?.pipeline_id ?? null, stage_id: stage?.id ?? null };
    };
    return { locks: [], noted, write: async (tx) => noted(tx) };
  },
});

/** One change of one deal. */
function changing(
  { actor }: StepContext,
  dealId: string,
  work: (tx: DealTx) => Promise<void> | void,
  { locks } = dealWrite(dealId),
): PreparedStep {
  const change = (own: OwnTx) => changeDeal(own, { id: dealId, actor }, work);
  return {
    locks,
    async write({ own }) {
      const { status, pipeline_id, stage_id, revision } = await change(own);
      return { deal_id: dealId, status, pipeline_id, stage_id, revision };
    },
  };
}

type UpdateFields = DealPatch & { deal_id?: string };

export const updateDeal = databaseAction<UpdateFields>({
  type: 'update_deal',
  description: 'Changes a deal: what is not given stays. Stages are changed by `move_deal`.',
  scopes: ['crm:write'],
  fields: Joi.object<UpdateFields>({ deal_id, ...dealPatchFields }).or(...Object.keys(dealPatchFields)),
  example: { custom_fields: { source: 'chat' } },
  check: (own, { owner_user_id }) => memberFaults(own, { owner_user_id }),
  prepare: async (context, { deal_id: named, ...patch }) =>
    changing(context, idOf(context, 'deal', named), (tx) => patchDeal(tx, patch)),
});

const outcomes = ['open', 'won', 'lost'] as const;
type MoveFields = Partial<Move> & { deal_id?: string; outcome?: (typeof outcomes)[number] };

function moved(tx: DealTx, { outcome, ...move }: Omit<MoveFields, 'deal_id'>): Promise<void> {
  if (outcome === undefined) return moveDeal(tx, move as Move);
  return outcome === 'open' ? reopenDeal(tx) : closeDeal(tx, outcome, { lost_reason: move.lost_reason });
}

export const moveDealAction = databaseAction<MoveFields>({
  type: 'move_deal',
  description:
    'Moves a deal to a stage, or closes or reopens it with `outcome`: in the first stage of that kind of its pipeline. A deal that is there already stays as it is.',
  scopes: ['crm:write'],
  fields: Joi.object<MoveFields>({
    deal_id,
    stage_id: id,
    outcome: Joi.string().valid(...outcomes),
    ...moveFields,
  })
    .xor('stage_id', 'outcome')
    .oxor('before_id', 'after_id')
    .without('outcome', ['pipeline_id', 'before_id', 'after_id']),
  example: { outcome: 'won' },
  check: (own: Own, { pipeline_id, stage_id }) => placeFaults(own, { pipeline_id, stage_id }),
  async prepare(context, { deal_id: named, ...fields }) {
    const dealId = idOf(context, 'deal', named);
    const options = fields.stage_id ? moveOf(dealId, fields as Move) : dealWrite(dealId);
    return changing(context, dealId, (tx) => moved(tx, fields), options);
  },
});
