/** One line for people. Standard output is kept for results. */
export function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** A result on standard output. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
