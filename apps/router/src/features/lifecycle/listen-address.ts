/** Where a listener binds; port 0 asks the system for a free one. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}
