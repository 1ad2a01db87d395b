import type { AccountFlow } from './accounts.ts';

/** A form of two screens, as Kanal's builder writes it: it can be shown and changed there. */
export const demoFlow: AccountFlow = {
  id: '200000000000101',
  name: 'Order feedback',
  categories: ['SURVEY'],
  flow_json: {
    version: '7.2',
    screens: [
      {
        id: 'RATING',
        title: 'Your order',
        data: {},
        layout: {
          type: 'SingleColumnLayout',
          children: [
            { type: 'TextHeading', text: 'How was it?' },
            {
              type: 'RadioButtonsGroup',
              name: 'rating',
              label: 'Your rating',
              required: true,
              'data-source': [
                { id: '3', title: 'Very good' },
                { id: '2', title: 'Fine' },
                { id: '1', title: 'Not good' },
              ],
            },
            {
              type: 'Footer',
              label: 'Next',
              'on-click-action': { name: 'navigate', next: { type: 'screen', name: 'COMMENT' }, payload: {} },
            },
          ],
        },
      },
      {
        id: 'COMMENT',
        title: 'Tell us more',
        data: {},
        terminal: true,
        success: true,
        layout: {
          type: 'SingleColumnLayout',
          children: [
            { type: 'TextArea', name: 'comment', label: 'Comment', required: false },
            {
              type: 'Footer',
              label: 'Send',
              'on-click-action': {
                name: 'complete',
                // biome-ignore lint/suspicious/noTemplateCurlyInString: the provider's own binding.
                payload: { rating: '${screen.RATING.form.rating}', comment: '${form.comment}' },
              },
            },
          ],
        },
      },
    ],
  },
};
