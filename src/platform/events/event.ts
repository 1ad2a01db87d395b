import type Joi from 'joi';

/** A kind of thing that happens: what webhooks, the document and automations read. */
export type EventContract<Data extends Record<string, unknown> = Record<string, unknown>> = {
  type: string;
  description: string;
  /** Whose order the event keeps: the lock held when it is emitted, and the lane of ordered deliveries. */
  subject: { type: string; id: keyof Data & string };
  data: Joi.ObjectSchema<Data>;
  example: Data;
};

export const event = <Data extends Record<string, unknown>>(contract: EventContract<Data>): EventContract<Data> => contract;
