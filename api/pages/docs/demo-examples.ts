import { readFile } from 'node:fs/promises';
import { exampleIdOf, exampleIds, examplePhone } from '../../../src/platform/examples.ts';

type Made = { id: string };
/** The file that `npm start` writes when its demo is ready. */
type Demo = {
  organization_id: string;
  channel: Made;
  contact: Made & { phone: string };
  conversation: Made;
  pipeline: Made & { stage_id: string };
  deal: Made;
  company: Made;
  task: Made;
  flow: Made;
  connections: { google: string };
  product: Made & { variant_id: string };
  service: Made & { staff_id: string };
  delivery_method: Made;
  segment: Made;
  campaign: Made;
};

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

const filledWith = (document: string, demo: Demo): string =>
  document
    .replaceAll(exampleIds.organization, demo.organization_id)
    .replaceAll(exampleIds.channel, demo.channel.id)
    .replaceAll(exampleIds.contact, demo.contact.id)
    .replaceAll(exampleIds.conversation, demo.conversation.id)
    .replaceAll(exampleIdOf('pipeline'), demo.pipeline.id)
    .replaceAll(exampleIdOf('stage'), demo.pipeline.stage_id)
    .replaceAll(exampleIdOf('deal'), demo.deal.id)
    .replaceAll(exampleIdOf('record'), demo.company.id)
    .replaceAll(exampleIdOf('task'), demo.task.id)
    .replaceAll(exampleIdOf('flow'), demo.flow.id)
    .replaceAll(exampleIdOf('connection'), demo.connections.google)
    .replaceAll(exampleIdOf('product'), demo.product.id)
    .replaceAll(exampleIdOf('variant'), demo.product.variant_id)
    .replaceAll(exampleIdOf('service'), demo.service.id)
    .replaceAll(exampleIdOf('staff'), demo.service.staff_id)
    .replaceAll(exampleIdOf('delivery_method'), demo.delivery_method.id)
    .replaceAll(exampleIdOf('segment'), demo.segment.id)
    .replaceAll(exampleIdOf('campaign'), demo.campaign.id)
    .replaceAll(examplePhone, demo.contact.phone.replace(/^\+/, ''));
