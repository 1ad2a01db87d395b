export const boardPath = '/ops/queues';
export const consolePath = '/console';
export const docsPath = '/docs';
export const iconPath = `${docsPath}/icon.svg`;
