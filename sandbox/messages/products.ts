import { type Fields, invalid, optionalText, requiredFields, requiredList, requiredText } from './checks.ts';

const maxProducts = 30;

export function checkProduct(action: Fields): void {
  requiredText(action, 'catalog_id', "action['catalog_id']");
  requiredText(action, 'product_retailer_id', "action['product_retailer_id']", 100);
}

/** The limit of thirty holds for the products of all sections together. */
export function checkProductList(action: Fields): void {
  requiredText(action, 'catalog_id', "action['catalog_id']");
  const sections = requiredList(action, 'sections', "action['sections']", 10);
  const counts = sections.map((section, index) => {
    const param = `action['sections'][${index}]`;
    const title = optionalText(section, 'title', `${param}['title']`, 24);
    if (sections.length > 1 && !title) throw invalid(`${param}['title'] is needed where there are several sections`);
    const items = requiredList(section, 'product_items', `${param}['product_items']`, maxProducts);
    for (const item of items) requiredText(item, 'product_retailer_id', `${param}['product_items']['product_retailer_id']`, 100);
    return items.length;
  });
  if (counts.reduce((sum, count) => sum + count, 0) > maxProducts)
    throw invalid(`Total product count exceeds the maximum of ${maxProducts}`);
}

export function checkCatalog(action: Fields): void {
  if (action.name !== 'catalog_message') throw invalid("action['name'] must be catalog_message");
  if (action.parameters === undefined) return;
  optionalText(
    requiredFields(action, 'parameters', "action['parameters']"),
    'thumbnail_product_retailer_id',
    "action['parameters']['thumbnail_product_retailer_id']",
    100,
  );
}

export function checkLocationRequest(action: Fields): void {
  if (action.name !== 'send_location') throw invalid("action['name'] must be send_location");
}
