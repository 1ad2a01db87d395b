import { readFile } from 'node:fs/promises';
import { exampleIds, examplePhone } from '../../../src/platform/examples.ts';

/** The file that `npm start` writes when its demo is ready. */
type Demo = { organization_id: string; channel: { id: string }; contact: { id: string; phone: string } };

/** With a demo, the examples use its ids, so that a try on the page finds them. Otherwise the document is unchanged. */
export function withDemo(document: () => Promise<string>, path: string | undefined): () => Promise<string> {
  let filled: string | undefined;
  return async () => {
    if (filled !== undefined) return filled;
    if (path === undefined) return document();
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) return document();
    filled = filledWith(await document(), JSON.parse(text) as Demo);
    return filled;
  };
}

const filledWith = (document: string, { organization_id, channel, contact }: Demo): string =>
  document
    .replaceAll(exampleIds.organization, organization_id)
    .replaceAll(exampleIds.channel, channel.id)
    .replaceAll(exampleIds.contact, contact.id)
    .replaceAll(examplePhone, contact.phone.replace(/^\+/, ''));
