/** In the grammar of the lists' filters; `changed` and its two neighbours read the change that the event is about, `within_business_hours` the organization's clock. */
/** `field`: `<root>.<name>`, or `now` for the business hours of the moment at which it is asked. */
export type Comparison = { field: string; operator?: string; value?: unknown };
export type Conditions = Comparison | { all: Conditions[] } | { any: Conditions[] } | { not: Conditions };
