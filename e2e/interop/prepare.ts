/**
 * Makes the real packages available to the suites, for the front door. Ends with 0 when they are, with 3 and one
 * sentence on standard output when they cannot be had on this machine; progress goes to standard error.
 */
import { installStock } from './stock/install.ts';

const UNAVAILABLE = 3;

const problem = await installStock((line) => process.stderr.write(`${line}\n`));
if (problem !== null) {
  process.stdout.write(`${problem}\n`);
  process.exitCode = UNAVAILABLE;
}
