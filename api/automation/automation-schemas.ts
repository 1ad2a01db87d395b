export const tag = 'Automation';
export const path = '/v1/automation';
