import { GraphError } from '../graph/errors.ts';
import { checkCarousel } from './carousel.ts';
import {
  distinct,
  type Fields,
  invalid,
  missing,
  optionalText,
  requiredFields,
  requiredList,
  requiredText,
  requiredUrl,
} from './checks.ts';
import { checkFlow } from './flow.ts';
import { checkList } from './list.ts';
import { checkMedia } from './media.ts';
import { checkCatalog, checkLocationRequest, checkProduct, checkProductList } from './products.ts';

const actionChecks: Record<string, (action: Fields) => void> = {
  button: checkButtons,
  list: checkList,
  cta_url: (action) => {
    const parameters = requiredFields(action, 'parameters', "action['parameters']");
    requiredText(parameters, 'display_text', "action['parameters']['display_text']", 20);
    requiredUrl(parameters, 'url', "action['parameters']['url']");
  },
  flow: checkFlow,
  carousel: checkCarousel,
  product: checkProduct,
  product_list: checkProductList,
  catalog_message: checkCatalog,
  location_request_message: checkLocationRequest,
};

/** Known to the provider, and taken here as they come. */
const uncheckedTypes = ['address_message', 'order_details', 'order_status', 'call_permission_request'];

/** Their words may be left to the provider. */
const bodyless = ['product', 'call_permission_request'];

export function checkInteractive(interactive: Fields): void {
  const type = requiredText(interactive, 'type', "interactive['type']");
  const checkAction = actionChecks[type];
  if (!checkAction && !uncheckedTypes.includes(type)) {
    const choices = [...Object.keys(actionChecks), ...uncheckedTypes].join(', ');
    throw new GraphError(100, { message: `(#100) Param interactive['type'] must be one of {${choices}} - got "${type}".` });
  }
  if (type === 'product' && interactive.header !== undefined) throw invalid('A product takes no header');
  if (type === 'product_list' && interactive.header === undefined) throw missing("interactive['header']");
  if (interactive.header !== undefined) checkHeader(requiredFields(interactive, 'header', "interactive['header']"), type);
  if (!bodyless.includes(type)) {
    const body = requiredFields(interactive, 'body', "interactive['body']");
    requiredText(body, 'text', "interactive['body']['text']", type === 'list' ? 4_096 : 1_024);
  }
  if (interactive.footer !== undefined) {
    requiredText(requiredFields(interactive, 'footer', "interactive['footer']"), 'text', "interactive['footer']['text']", 60);
  }
  const action = requiredFields(interactive, 'action', "interactive['action']");
  checkAction?.(action);
}

function checkHeader(header: Fields, interactiveType: string): void {
  const type = requiredText(header, 'type', "interactive['header']['type']");
  if (type === 'text') {
    requiredText(header, 'text', "interactive['header']['text']", 60);
    return;
  }
  if (!['image', 'video', 'document'].includes(type)) throw invalid(`Header type ${type} is not supported`);
  if (interactiveType === 'list' || interactiveType === 'product_list') throw invalid('A list takes a header of text only');
  checkMedia(requiredFields(header, type, `interactive['header']['${type}']`), type);
}

function checkButtons(action: Fields): void {
  const buttons = requiredList(action, 'buttons', "action['buttons']", 3);
  const replies = buttons.map((button, index) => {
    if (button.type !== 'reply') throw invalid(`action['buttons'][${index}]['type'] must be reply`);
    const param = `action['buttons'][${index}]['reply']`;
    const reply = requiredFields(button, 'reply', param);
    optionalText(reply, 'id', `${param}['id']`, 256);
    return { id: requiredText(reply, 'id', `${param}['id']`), title: requiredTitle(reply, 20) };
  });
  distinct(
    replies.map(({ id }) => id),
    'Button ids',
  );
  distinct(
    replies.map(({ title }) => title),
    'Button titles',
  );
}

function requiredTitle(reply: Fields, max: number): string {
  const title = requiredText(reply, 'title', "reply['title']");
  if ([...title].length > max) throw invalid(`Button title length invalid. Min length: 1, Max length: ${max}`);
  return title;
}
