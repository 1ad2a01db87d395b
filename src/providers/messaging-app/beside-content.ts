import { type Json, object } from './json.ts';

/** Names that no content of the provider has. */
export type BesideContent = {
  forwarded?: true;
  frequently_forwarded?: true;
  referred_product?: Json;
  referral?: Json;
  errors?: unknown[];
  /** Who wrote the message that is answered: a person, or our own number. */
  context_from?: string;
  /** Changes when the person's phone changes; only where the number asks for it. */
  identity?: Json;
};

/** What the provider says of a message outside its content: where it comes from, and what it could not show of it. */
export function besideContent({ context, referral, errors, identity }: Json): BesideContent {
  const { forwarded, frequently_forwarded, referred_product: product, from } = object(context);
  return {
    ...(forwarded === true && { forwarded }),
    ...(frequently_forwarded === true && { frequently_forwarded }),
    ...(isFilled(product) && { referred_product: product }),
    ...(isFilled(referral) && { referral }),
    ...(typeof from === 'string' && from !== '' && { context_from: from }),
    ...(isFilled(identity) && { identity }),
    ...(Array.isArray(errors) && errors.length > 0 && { errors }),
  };
}

const isFilled = (value: unknown): value is Json => !Array.isArray(value) && Object.keys(object(value)).length > 0;
