/** What came from a replica is not the HTTP/1.1 we take. The message is for the log and repeats none of the bytes. */
export class MalformedAnswerError extends Error {
  override readonly name = 'MalformedAnswerError';
}
