/** Called with one short line of plain text whenever something worth telling the user happens. */
export type Progress = (line: string) => void;

/** Where a service's programs were found. */
export type Installation =
  | { kind: 'binaries'; origin: string; programs: Record<string, string> }
  | { kind: 'container'; origin: string; engine: string; image: string };

export interface Provisioning {
  /** Directory in which fetched programs are kept between runs. */
  toolsDir: string;
  progress: Progress;
}

export interface BackingServiceStart {
  installation: Installation;
  /** The service's own directory: data, configuration, pid file. Created when missing; data in it is kept. */
  dir: string;
  port: number;
  password: string;
  logFile: string;
  /** `durable` keeps data over a power cut; `throwaway` trades that for speed and is for tests only. */
  durability: 'durable' | 'throwaway';
  /** The command line flag that moves this service to another port, named in the message about a taken port. */
  portFlag?: string;
  /** How long the service may take until it answers. */
  readyTimeoutMs?: number;
}

export interface RunningService {
  url: string;
  pid: number;
  /** Resolves when the process is gone, whoever ended it. */
  exited: Promise<void>;
  /** Ends the process in good order, by force when it does not follow in time. Safe to call twice. */
  stop(): Promise<void>;
}

/** One service that the product needs around itself. A further one is a file of its own and a line in the list. */
export interface BackingService {
  readonly name: string;
  /** What it is called in messages. */
  readonly title: string;
  readonly defaultPort: number;
  /** Finds or fetches the programs; the error says in one sentence what to install. */
  provision(provisioning: Provisioning): Promise<Installation>;
  /** Starts the service and waits until it answers; the error carries the end of its log. */
  start(options: BackingServiceStart): Promise<RunningService>;
}
