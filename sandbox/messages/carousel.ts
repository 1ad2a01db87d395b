import { asFields, type Fields, invalid, missing, requiredFields, requiredList, requiredText, requiredUrl } from './checks.ts';
import { checkMedia } from './media.ts';

/** Two to ten cards, each with a picture or a film and either a link or quick replies. */
export function checkCarousel(action: Fields): void {
  const cards = requiredList(action, 'cards', "action['cards']", 10);
  if (cards.length < 2) throw invalid("action['cards']: expected 2 to 10 entries, got 1");
  for (const [index, card] of cards.entries()) checkCard(card, index);
}

function checkCard(card: Fields, index: number): void {
  const param = `action['cards'][${index}]`;
  if (Number(card.card_index) !== index) throw invalid(`${param}['card_index'] must be ${index}`);
  const header = requiredFields(card, 'header', `${param}['header']`);
  const type = requiredText(header, 'type', `${param}['header']['type']`);
  if (type !== 'image' && type !== 'video') throw invalid(`${param}['header']['type'] must be image or video`);
  checkMedia(requiredFields(header, type, `${param}['header']['${type}']`), type);
  if (card.body !== undefined) requiredText(asFields(card.body) ?? {}, 'text', `${param}['body']['text']`, 160);
  checkAction(requiredFields(card, 'action', `${param}['action']`), `${param}['action']`);
}

function checkAction(action: Fields, param: string): void {
  if (action.buttons === undefined) {
    const parameters = requiredFields(action, 'parameters', `${param}['parameters']`);
    requiredText(parameters, 'display_text', `${param}['parameters']['display_text']`, 20);
    requiredUrl(parameters, 'url', `${param}['parameters']['url']`);
    return;
  }
  for (const button of requiredList(action, 'buttons', `${param}['buttons']`, 3)) {
    const reply = asFields(button.quick_reply);
    if (button.type !== 'quick_reply' || !reply) throw missing(`${param}['buttons']['quick_reply']`);
    requiredText(reply, 'id', `${param}['buttons']['quick_reply']['id']`, 256);
    requiredText(reply, 'title', `${param}['buttons']['quick_reply']['title']`, 20);
  }
}
