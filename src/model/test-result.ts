/** One named test, or one file that could not be loaded (then `name` is empty). */
export interface TestResult {
  /** Path from the project root, forward slashes. */
  file: string;
  /** Full title: suite titles and the test's own, joined by a space. Empty when the file itself failed to load. */
  name: string;
  status: 'passed' | 'failed' | 'skipped';
  error?: {
    message: string;
    /** What could not be loaded: a path or module from the project root, or the name of a missing export. */
    missing?: string;
  };
}
