import Joi from 'joi';

export interface Behaviour {
  auto_status: string[];
  delay_ms: number;
  window: 'async' | 'sync' | 'off';
  mps: number | null;
  pair: { every_ms: number; burst: number } | null;
  block_limit: number;
  fail_code: number;
  fails: Record<string, number>;
  wa_ids: Record<string, string>;
  template_review: 'APPROVED' | 'REJECTED' | null;
  flow_edit: 'revert' | 'refuse';
  shipper_price_change: number | null;
  conference: 'success' | 'pending' | 'failure' | 'invalid';
  conference_delay_ms: number;
  calendar_rate: number | null;
  refund_status: 'pending' | 'succeeded';
  consent: 'page' | 'allow' | 'deny';
  token_seconds: number;
  retry_first_ms: number;
  retry_max_ms: number;
  retry_for_ms: number;
}

export const defaultBehaviour: Readonly<Behaviour> = {
  auto_status: ['sent', 'delivered', 'read'],
  delay_ms: 50,
  window: 'async',
  mps: null,
  pair: null,
  block_limit: 64_000,
  fail_code: 131026,
  fails: {},
  wa_ids: {},
  template_review: 'APPROVED',
  flow_edit: 'revert',
  shipper_price_change: null,
  conference: 'success',
  conference_delay_ms: 0,
  calendar_rate: null,
  refund_status: 'succeeded',
  consent: 'page',
  token_seconds: 3_599,
  retry_first_ms: 200,
  retry_max_ms: 5_000,
  retry_for_ms: 600_000,
};

const milliseconds = Joi.number().integer().min(0).max(86_400_000);

export const behaviourSchema = Joi.object<Partial<Behaviour>>({
  auto_status: Joi.array().items(Joi.string().valid('sent', 'delivered', 'read', 'played', 'failed')),
  delay_ms: milliseconds.description('Before the first status and between two'),
  window: Joi.string().valid('async', 'sync', 'off').description('How a free-form text outside the 24 hours is refused'),
  mps: Joi.number().positive().allow(null).description('Messages a second for each number; null for no limit'),
  pair: Joi.object({ every_ms: milliseconds.min(1).default(6_000), burst: Joi.number().integer().min(1).default(45) })
    .allow(null)
    .description('Messages from a number to one user: one in so many milliseconds once a burst is used up; null for no limit'),
  block_limit: Joi.number().integer().min(0).description('Most users a number can block'),
  fail_code: Joi.number().integer().description('The error of a "failed" in auto_status'),
  fails: Joi.object()
    .pattern(Joi.string(), Joi.number().integer())
    .description('User (wa_id or user_id) to the error it fails with'),
  wa_ids: Joi.object()
    .pattern(/^\d{7,15}$/, Joi.string().pattern(/^\d{7,15}$/, 'digits'))
    .description(
      'Phone (digits) to the wa_id that the answer to a send names for it, as where the id of a phone is another than its number',
    ),
  template_review: Joi.string()
    .valid('APPROVED', 'REJECTED')
    .allow(null)
    .description('What becomes of a new template; null: it waits'),
  flow_edit: Joi.string()
    .valid('revert', 'refuse')
    .description('An edit of a published flow makes a draft of it, or is refused (139001)'),
  refund_status: Joi.string().valid('pending', 'succeeded').description('What becomes of a refund at once'),
  shipper_price_change: Joi.number()
    .integer()
    .allow(null)
    .description('Rupiah by which the price of a shipment changes once it was ordered; null: it stays'),
  conference: Joi.string()
    .valid('success', 'pending', 'failure', 'invalid')
    .description('What becomes of a video room that an event asks for; pending: once this says something else'),
  conference_delay_ms: milliseconds.description('How long a video room is made'),
  calendar_rate: Joi.number()
    .integer()
    .min(1)
    .allow(null)
    .description('Requests a second for each account of the calendar service; null for no limit'),
  consent: Joi.string()
    .valid('page', 'allow', 'deny')
    .description('Who answers the consent page of the calendar service: a person, or the sandbox at once'),
  token_seconds: Joi.number().integer().min(1).max(86_400).description('How long an access token is good'),
  retry_first_ms: milliseconds.min(1),
  retry_max_ms: milliseconds.min(1),
  retry_for_ms: milliseconds,
});
