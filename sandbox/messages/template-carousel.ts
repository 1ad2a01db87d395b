import type { Template } from '../accounts.ts';
import { GraphError } from '../graph/errors.ts';
import { asFields, type Fields } from './checks.ts';

/** Each card of the message fills the card of the template with its place; `checkCard` holds the one against the other. */
export function checkCards(template: Template, sent: Fields[], checkCard: (card: Template, components: unknown) => void): void {
  const cards = template.components.find(({ type }) => type.toUpperCase() === 'CAROUSEL')?.cards ?? [];
  const carousel = sent.find(({ type }) => type === 'carousel');
  const given = Array.isArray(carousel?.cards) ? carousel.cards.map((card) => asFields(card) ?? {}) : [];
  if (given.length !== cards.length)
    throw new GraphError(132000, { details: `carousel: ${given.length} cards were sent, the template has ${cards.length}` });
  for (const { card_index, components } of given) {
    const card = cards[Number(card_index)];
    if (!card) throw new GraphError(132000, { details: `carousel: there is no card at index ${String(card_index)}` });
    checkCard({ ...template, components: card.components }, components);
  }
}
