import { type Fields, missing, requiredFields, requiredList, requiredText } from './checks.ts';

const nameParts = ['first_name', 'last_name', 'middle_name', 'prefix', 'suffix'];

export function checkContacts(body: Fields): void {
  for (const [index, contact] of requiredList(parsed(body), 'contacts', 'contacts', 257).entries()) {
    const param = `contacts[${index}]`;
    const name = requiredFields(contact, 'name', `${param}['name']`);
    requiredText(name, 'formatted_name', `${param}['name']['formatted_name']`);
    if (!nameParts.some((part) => name[part])) throw missing(`${param}['name']: one of ${nameParts.join(', ')}`);
    if (contact.phones === undefined) continue;
    for (const phone of requiredList(contact, 'phones', `${param}['phones']`, 100))
      requiredText(phone, 'phone', `${param}['phone']`);
  }
}

/** The provider takes the list as a JSON text too. */
function parsed(body: Fields): Fields {
  if (typeof body.contacts !== 'string') return body;
  try {
    return { ...body, contacts: JSON.parse(body.contacts) };
  } catch {
    return body;
  }
}
