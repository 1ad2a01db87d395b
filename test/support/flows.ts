/** A document of two screens that the provider finds no fault in. */
export const goodFlow = () => ({
  version: '7.2',
  screens: [
    {
      id: 'ASK',
      title: 'A question',
      layout: {
        type: 'SingleColumnLayout',
        children: [
          { type: 'TextHeading', text: 'How was it?' },
          { type: 'TextInput', name: 'words', label: 'In your words', required: true },
          { type: 'Footer', label: 'Next', 'on-click-action': navigate('THANKS', { words: bound('form', 'words') }) },
        ],
      },
    },
    {
      id: 'THANKS',
      title: 'Thank you',
      terminal: true,
      data: { words: { type: 'string', __example__: 'Good' } },
      layout: {
        type: 'SingleColumnLayout',
        children: [
          { type: 'TextBody', text: `You said ${bound('data', 'words')}` },
          { type: 'Footer', label: 'Done', 'on-click-action': { name: 'complete', payload: { words: bound('data', 'words') } } },
        ],
      },
    },
  ],
});

export const navigate = (to: string, payload: object = {}) => ({ name: 'navigate', next: { type: 'screen', name: to }, payload });

/** What the phone puts in: an answer of the screen, or what came to it. */
export const bound = (of: 'form' | 'data', name: string) => `$\{${of}.${name}}`;

/** The same, with an endpoint that is asked for the last screen. */
export const endpointFlow = () => ({
  ...goodFlow(),
  data_api_version: '3.0',
  routing_model: { ASK: ['THANKS'], THANKS: [] },
});
