import { readFile } from 'node:fs/promises';
import { exampleIds, examplePhone } from '../../../src/platform/examples.ts';

/** Of the file that `npm start` writes once its demo is there. */
type Demo = { organization_id: string; channel: { id: string }; contact: { id: string; phone: string } };

/**
 * The document as it is served: with a demo its examples name what the demo has, so that a try on the page finds it. Without `path`, and until
 * the file is there, they are as they are.
 */
export function withDemo(document: string, path: string | undefined): () => Promise<string> {
  let filled: string | undefined;
  return async () => {
    if (path === undefined || filled !== undefined) return filled ?? document;
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) return document;
    filled = filledWith(document, JSON.parse(text) as Demo);
    return filled;
  };
}

const filledWith = (document: string, { organization_id, channel, contact }: Demo): string =>
  document
    .replaceAll(exampleIds.organization, organization_id)
    .replaceAll(exampleIds.channel, channel.id)
    .replaceAll(exampleIds.contact, contact.id)
    .replaceAll(examplePhone, contact.phone.replace(/^\+/, ''));
