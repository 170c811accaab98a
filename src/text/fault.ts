/**
 * What is wrong with a text, as data: the caller decides whether it is a finding or an error. Messages read
 * "Unexpected X, expected Y".
 */
export interface Fault {
  message: string;
  /** 1-based. */
  line?: number;
  /** 1-based, in UTF-16 units. */
  column?: number;
  /** How to mend it. */
  hint?: string;
}
