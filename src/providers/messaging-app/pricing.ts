import { cut } from '../../platform/cut.ts';
import { type Json, object, textOf } from './json.ts';

/** What a status tells of the price: how it is counted, never an amount. */
export type Pricing = { billable?: boolean; model?: string; category?: string; type?: string };

const longest = 64;
const word = (name: string, value: unknown) => {
  const text = cut(textOf(value), longest);
  return text ? { [name]: text } : {};
};

/** Older statuses tell the category as the origin of the conversation. */
export function pricingOf(status: Json): { pricing?: Pricing } {
  const { billable, pricing_model: model, category, type } = object(status.pricing);
  const origin = object(object(status.conversation).origin).type;
  const pricing: Pricing = {
    ...(typeof billable === 'boolean' && { billable }),
    ...word('model', model),
    ...word('category', category ?? origin),
    ...word('type', type),
  };
  return Object.keys(pricing).length > 0 ? { pricing } : {};
}
