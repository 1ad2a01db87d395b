import { announce } from './announce.js';
import { paths, post } from './api.js';
import { Acting } from './asking.js';
import { html } from './view.js';

const waits = {
  endpoint: 'The endpoint is disabled: it is delivered once the endpoint is enabled.',
  order: 'It waits behind other events of its subject.',
  attempt: 'An attempt is under way already.',
};

/** `asked()` is told when the API has taken it. */
export function Replay({ delivery: { id }, about, asked }) {
  const act = async () => {
    const { waits_for: waitsFor } = await post(`${paths.delivery(id)}/replay`);
    announce(waits[waitsFor] ?? 'It is being delivered again…');
    asked();
  };
  return html`<${Acting} label="Replay" about=${about} act=${act} />`;
}
