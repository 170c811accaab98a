/**
 * Why a named test counts as having been seen to fail. `already-green` is no proof, nor is
 * `edited`: a person has changed the test since it was seen red, with the code already there.
 */
export type RedEvidence = 'assertion' | 'missing-module' | 'already-green' | 'edited';

export function isProof(red: RedEvidence): boolean {
  return red === 'assertion' || red === 'missing-module';
}

export interface CriterionEvidence {
  criterion: string;
  test: string;
  file: string;
  red: RedEvidence;
  /** Digest of the test file when it was seen red. */
  fileDigest: string;
}
