import type Joi from 'joi';

export type EventContract<Data extends Record<string, unknown> = Record<string, unknown>> = {
  type: string;
  description: string;
  /** The lock held when the event is emitted, and the lane of ordered deliveries. */
  subject: { type: string; id: keyof Data & string };
  data: Joi.ObjectSchema<Data>;
  example: Data;
};

export const event = <Data extends Record<string, unknown>>(contract: EventContract<Data>): EventContract<Data> => contract;
