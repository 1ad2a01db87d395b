type Screen = { id: string; title: string; actions: object[] | null; components: object[] | null };

/** A screen that completes the flow. */
export const screen = (id: string, more: object = {}): Screen => ({
  id,
  title: 'A screen',
  actions: [{ label: 'Done', type: 'complete' }],
  components: [{ id: `answer_${id.toLowerCase()}`, type: 'text_input', label: 'Answer' }],
  ...more,
});

export const visual = (screens: object[]) => ({ mode: 'visual', flow: { id: 'form', name: 'Form', screens } });

/** A document of the client's own, in place of screens. */
export const jsonFlow = (flow_json: unknown) => ({ builder_json: undefined, flow_json });

let made = 0;
export const flowBody = (more: object = {}) => {
  made += 1;
  return { name: `Form ${made}`, category: 'appointment_booking', builder_json: visual([screen('FIRST')]), ...more };
};

/** The eleven that the contract requires, whatever the state. */
const required = [
  ...['id', 'name', 'category', 'status', 'builder_json', 'builder_version', 'data_api_version', 'json_version', 'flow_json'],
  ...['has_local_changes', 'validation_errors'],
];

/** Of a reply that is a flow. */
export const missingIn = (flow: Record<string, unknown>) =>
  required.filter((field) => flow[field] === undefined || flow[field] === null);
