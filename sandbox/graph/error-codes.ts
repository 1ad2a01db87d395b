export interface ErrorCode {
  http: number;
  title: string;
  type?: string;
  isTransient?: boolean;
}

export const errorCodes: Record<number, ErrorCode> = {
  0: { http: 401, title: 'Authentication failed' },
  1: { http: 400, title: 'An unknown error occurred', isTransient: true },
  2: { http: 503, title: 'Service temporarily unavailable', isTransient: true },
  3: { http: 500, title: 'Application does not have the capability to make this API call' },
  4: { http: 400, title: 'Application request limit reached', isTransient: true },
  10: { http: 403, title: 'Application does not have permission for this action' },
  100: { http: 400, title: 'Invalid parameter' },
  104: { http: 401, title: 'An access token is required to request this resource' },
  190: { http: 401, title: 'Invalid OAuth access token' },
  200: { http: 403, title: 'Permissions error' },
  368: { http: 403, title: 'Temporarily blocked for policies violations' },
  80007: { http: 400, title: 'Rate limit issues', isTransient: true },
  130429: { http: 400, title: 'Rate limit hit', isTransient: true },
  130472: { http: 400, title: "User's number is part of an experiment" },
  130497: { http: 403, title: 'Business account is restricted from messaging users in this country' },
  131000: { http: 500, title: 'Something went wrong', isTransient: true },
  131005: { http: 403, title: 'Access denied' },
  131008: { http: 400, title: 'Required parameter is missing' },
  131009: { http: 400, title: 'Parameter value is not valid' },
  131016: { http: 500, title: 'Service unavailable', isTransient: true },
  131021: { http: 400, title: 'Recipient cannot be sender' },
  131026: { http: 400, title: 'Message undeliverable' },
  131030: { http: 400, title: 'Recipient phone number not in allowed list' },
  131031: { http: 403, title: 'Business Account locked' },
  131037: { http: 400, title: 'Display name approval needed' },
  131042: { http: 400, title: 'Business eligibility payment issue' },
  131047: { http: 400, title: 'Re-engagement message' },
  131048: { http: 400, title: 'Spam rate limit hit' },
  131049: { http: 400, title: 'Message not delivered to maintain healthy ecosystem engagement' },
  131050: { http: 400, title: 'User has stopped marketing messages' },
  131051: { http: 400, title: 'Unsupported message type' },
  131052: { http: 400, title: 'Media download error' },
  131053: { http: 400, title: 'Media upload error' },
  131056: { http: 400, title: 'Pair rate limit hit', isTransient: true },
  131057: { http: 500, title: 'Account in maintenance mode', isTransient: true },
  131062: { http: 400, title: 'Message type needs a phone number' },
  132000: { http: 400, title: 'Number of parameters does not match the expected number of params' },
  132001: { http: 404, title: 'Template name does not exist in the translation' },
  132005: { http: 400, title: 'Translated text too long' },
  132007: { http: 400, title: 'Template format character policy violated' },
  132012: { http: 400, title: 'Parameter format does not match format in the created template' },
  132015: { http: 400, title: 'Template is paused' },
  132016: { http: 400, title: 'Template is disabled' },
  132068: { http: 400, title: 'Flow is blocked' },
  132069: { http: 400, title: 'Flow is throttled' },
  133004: { http: 503, title: 'Server temporarily unavailable', isTransient: true },
  133010: { http: 400, title: 'Phone number not registered' },
  133016: { http: 400, title: 'Account register or deregister rate limit exceeded' },
};

export const unknownCode: ErrorCode = { http: 500, title: 'An unknown error has occurred' };
