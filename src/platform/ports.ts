/**
 * Every effect the core has, as interfaces. Nothing in loops, tools, sessions or memory touches `fs`, processes, time or VS Code but through
 * these. `node.ts` implements all of them; `src/vscode/ports.ts` those that the editor does better.
 */

export interface Disposable {
  dispose(): void;
}

export interface FileStat {
  type: 'file' | 'directory' | 'other';
  /** Bytes. */
  size: number;
  /** Epoch milliseconds. */
  mtime: number;
  /** The file's number on its disk, where there is one: a file replaced by a rename has another. */
  ino?: number;
  /** Permission bits (`0o755`), where the file system has them. */
  mode?: number;
}

export interface DirEntry {
  name: string;
  type: 'file' | 'directory' | 'symlink' | 'other';
}

/** The machine's disk, for Nanobot's own home. Paths are absolute. Errors are Node's, with their `code`. */
export interface Files {
  /** Throws with code `ENOENT` where there is none. */
  read(path: string): Promise<Uint8Array>;
  /** At most `length` bytes from `offset`; fewer at the end of the file. */
  readRange(path: string, offset: number, length: number): Promise<Uint8Array>;
  stat(path: string): Promise<FileStat | undefined>;
  /** Sorted by name; empty where the folder is missing. */
  list(path: string): Promise<DirEntry[]>;
  /** Creates the file and its folders. With `flush` it resolves only after fsync. One write call, so lines of two processes never interleave. */
  append(path: string, data: string | Uint8Array, options?: { flush?: boolean }): Promise<void>;
  /**
   * Temporary file, flush, rename: readers see the old or the new content, never half, and a full disk leaves the old one. Creates folders.
   * `flush: false` leaves out the flush, for files that need not survive a power cut, such as leases.
   */
  writeAtomic(path: string, data: string | Uint8Array, options?: { flush?: boolean }): Promise<void>;
  /** Creates the file with this content, whole or not at all, or returns false if it already exists. Creates folders. */
  createExclusive(path: string, data: string | Uint8Array, options?: { flush?: boolean }): Promise<boolean>;
  truncate(path: string, size: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** No error where there is nothing. Folders go with their content. */
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  /** Calls back, coalesced, after something at or directly below the path changed. The path need not exist yet. */
  watch(path: string, changed: () => void): Disposable;
}

/** What the disk says of a name itself, links not followed. */
export interface GitStat {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  /** Bytes. */
  size: number;
  mode: number;
  ino: number;
  mtimeMs: number;
  ctimeMs: number;
}

/** The disk in the form that the git library asks for, which is that of node:fs. Errors are Node's, with their `code`. */
export interface GitFs {
  promises: {
    readFile(path: string, options?: unknown): Promise<unknown>;
    /** Whole or not at all, and flushed: a process that is killed midway leaves the old content. Creates folders. */
    writeFile(path: string, data: string | Uint8Array): Promise<void>;
    unlink(path: string): Promise<void>;
    readdir(path: string): Promise<string[]>;
    mkdir(path: string): Promise<unknown>;
    /** An empty folder only. */
    rmdir(path: string): Promise<void>;
    stat(path: string): Promise<GitStat>;
    lstat(path: string): Promise<GitStat>;
    readlink(path: string, options?: unknown): Promise<unknown>;
    symlink(target: string, path: string): Promise<void>;
    chmod(path: string, mode: number): Promise<void>;
  };
}

export interface Folder {
  name: string;
  /** Absolute path, or the URI as a string for a folder that is not on a disk. */
  path: string;
}

/** A file of the person's project as it is now: what the editor holds wins over the disk. */
export interface WorkspaceFile {
  bytes: Uint8Array;
  /** True where the editor holds changes that are not saved; `bytes` are then the editor's text as UTF-8. */
  dirty: boolean;
  stat: FileStat;
}

export interface WriteOutcome {
  /** The text as it stands after the write and whatever the editor did to it on saving (a formatter, a final newline); without a BOM, empty for binary content. */
  text: string;
  /** False where the file had unsaved changes of a person: the edit went into the buffer and stays unsaved. */
  saved: boolean;
}

export interface Diagnostic {
  path: string;
  /** 1-based. */
  line: number;
  column: number;
  severity: 'error' | 'warning' | 'info' | 'hint';
  message: string;
  source?: string;
}

/** What the person is looking at, told to the model with each message. Paths are shown relative to their folder where possible. */
export interface EditorContext {
  activeFile?: { path: string; language: string; selection?: { startLine: number; endLine: number } };
  visibleFiles: string[];
  dirtyFiles: string[];
  problems?: { errors: number; warnings: number };
  gitBranch?: string;
}

/**
 * The person's project. Paths are absolute, or URIs as strings (`vscode-vfs://…`) where a folder is not on a disk; `resolve` makes them.
 * With VS Code, writes go through its edits and can be undone; without, they are a temporary file and a rename.
 * Errors are Node's, with their `code`, whatever holds the file.
 */
export interface Workspace {
  folders(): Folder[];
  /** False in Restricted Mode. */
  trusted(): boolean;
  /** False for virtual folders: no commands can run there. */
  onDisk(): boolean;
  /** A path as the model wrote it (absolute, `~/…`, relative, or `folder-name/…` with several folders) made absolute. */
  resolve(path: string): string;
  /** Short form for people and results: relative to its folder, with the folder's name in front where there are several. */
  label(path: string): string;
  /** The path with symbolic links followed as far as it exists; throws like `read` only for unreadable parents. */
  realPath(path: string): Promise<string>;
  stat(path: string): Promise<FileStat | undefined>;
  read(path: string): Promise<WorkspaceFile>;
  /** At most `length` bytes from the start, for telling what a huge or binary file is. */
  readStart(path: string, length: number): Promise<Uint8Array>;
  /** At most `length` bytes of the saved file from `offset`; fewer at its end. For files too large to be read whole. */
  readRange(path: string, offset: number, length: number): Promise<Uint8Array>;
  list(path: string): Promise<DirEntry[]>;
  /**
   * Creates folders as needed. `bytes` are written as they are (encoding, BOM and line ends are the caller's). An existing file keeps its
   * permissions, a new one gets `mode` if given. Throws `EACCES` for a file without any write permission.
   */
  write(path: string, bytes: Uint8Array, options?: { mode?: number }): Promise<WriteOutcome>;
  /** Creates a folder and those above it; no error where it is there. */
  makeFolder(path: string): Promise<void>;
  /** A file, a link (not what it points to) or an empty folder (`ENOTEMPTY` otherwise). To the trash where there is one. */
  remove(path: string): Promise<{ trashed: boolean }>;
  /** Lets language services update imports where there are any; returns the files they changed. Throws `EEXIST` where `to` exists. */
  rename(from: string, to: string): Promise<{ alsoChanged: string[] }>;
  /** Problems the editor knows, of these files or of all. Waits briefly (≤ 1 s) after an edit for language services to settle. */
  diagnostics(paths?: string[], options?: { settle?: boolean; signal?: AbortSignal }): Promise<Diagnostic[]>;
  /** Whether `diagnostics` can know anything (false without an editor). */
  hasDiagnostics(): boolean;
  /** Whether a notebook is open in the editor. */
  showsNotebook(): boolean;
  editorContext(): EditorContext;
  /** Saves editors with unsaved changes, all or these. */
  save(paths?: string[]): Promise<void>;
}

export interface GrepQuery {
  pattern: string;
  /** Absolute folders or files to search. */
  roots: string[];
  fixedStrings?: boolean;
  ignoreCase?: boolean;
  multiline?: boolean;
  /** Globs; one starting with `!` excludes. */
  globs?: string[];
  /** ripgrep's type name, such as `ts`. */
  type?: string;
  before?: number;
  after?: number;
  mode: 'content' | 'files' | 'count';
  /** Results (lines, files) to stop after. */
  limit: number;
  /** Search in the order of paths, so that a limit always cuts at the same place. Slower: one thread. */
  sorted?: boolean;
}

/** One line of a result. `line` is 1-based; `text` has no line end and at most 2,000 characters. */
export interface GrepHit {
  path: string;
  line?: number;
  text?: string;
  /** False for a context line. */
  match?: boolean;
  count?: number;
}

export interface SearchOutcome<T> {
  hits: T[];
  /** True where `limit` stopped it. */
  limited: boolean;
  /** True where the time limit stopped it; what was found stands in `hits`. */
  timedOut: boolean;
}

/** Throws an Error with the engine's words for a bad pattern; nothing found is an empty result, never an error. */
export interface Search {
  grep(query: GrepQuery, options: { signal: AbortSignal; timeoutMs: number }): Promise<SearchOutcome<GrepHit>>;
  /** Files below the roots that match one of the globs (all if none), newest change first up to `limit`, .gitignore respected. */
  files(
    query: { roots: string[]; globs: string[]; limit: number; hidden?: boolean },
    options: { signal: AbortSignal; timeoutMs: number },
  ): Promise<SearchOutcome<string>>;
}

/** A running process with all its descendants. */
export interface Child {
  pid: number;
  /** Bytes of standard output and error in the order they came. Only one listener, which copies what it keeps (`slice()`): the bytes are gone after the call. */
  onData(listener: (bytes: Uint8Array) => void): void;
  /** Slows the process down instead of buffering without bound. */
  pause(): void;
  resume(): void;
  write(text: string): void;
  endInput(): void;
  /** SIGINT to the whole group, like Ctrl-C. */
  interrupt(): void;
  /** The whole tree: SIGTERM, then SIGKILL after `graceMs`. Resolves when no process of it is left or nothing more can be done. */
  kill(graceMs: number): Promise<void>;
  /**
   * `code` is null where a signal ended the shell, both are null where nobody saw it end. Resolves after all output was delivered; output of
   * processes that the shell left running may still come. `why` says more of an end that nobody saw.
   */
  exited: Promise<{ code: number | null; signal: string | null; why?: string }>;
  /** Whether a process of the group still runs: the shell, or what it left running (`server &`). */
  running(): Promise<boolean>;
}

export interface Shell {
  /** "bash", "PowerShell": what commands are written for. */
  name(): string;
  /** Whether the grammar of commands is POSIX (parsed for approval) or not (exact rules only). */
  posix(): boolean;
  /** Throws where the folder or the shell is missing. `env` is the whole environment. */
  spawn(command: string, options: { cwd: string; env: Record<string, string> }): Child;
}

/** A program that is spoken to over its standard input and output. */
export interface Program {
  pid: number;
  /** Bytes of standard output. One listener. */
  onOutput(listener: (bytes: Uint8Array) => void): void;
  /** Bytes of standard error. One listener. */
  onErrors(listener: (bytes: Uint8Array) => void): void;
  /** Lost where the program has ended. */
  write(text: string): void;
  endInput(): void;
  /** The whole tree: SIGTERM, then SIGKILL after `graceMs`. */
  kill(graceMs: number): Promise<void>;
  /** Resolves after all output was delivered; never rejects. */
  exited: Promise<{ code: number | null; signal: string | null }>;
}

export interface Programs {
  /** Starts a program without a shell. `env` is its whole environment. Rejects in plain words where the folder or the program is missing. */
  start(command: string, args: string[], options: { cwd: string; env: Record<string, string> }): Promise<Program>;
}

/** An address on this machine that a browser comes back to with an answer. */
export interface Callback {
  url: string;
  /** What it brought; stays open until it comes. */
  answer: Promise<URLSearchParams>;
  close(): void;
}

/** What a person sees of a session's commands: VS Code's terminal, or nothing. */
export interface Mirror {
  write(text: string): void;
  /** Lines typed by the person, for the running command's input. */
  onInput(listener: (line: string) => void): Disposable;
  onInterrupt(listener: () => void): Disposable;
}

/** Who we are among the processes of this machine, for leases that name their holder. */
export interface Processes {
  pid: number;
  /** The machine's name: process numbers mean something on the same host only. */
  host: string;
  /** False only where no process of this machine has this number. */
  alive(pid: number): boolean;
}

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** IANA name, such as `Europe/Berlin`. */
  zone(): string;
  after(ms: number, run: () => void): Disposable;
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/**
 * Code that runs off the host's thread. What is passed and what comes back is copied (structured clone), so large things go in pieces: copying
 * is work on the host's thread.
 */
export interface Worker {
  /**
   * Runs one of the worker's methods. Calls begin in the order they were made. Rejects with what the method threw (its message only), and where
   * the thread ended meanwhile. The first call starts the thread, as does the next one after a crash or `end`.
   */
  call<T>(method: string, ...args: unknown[]): Promise<T>;
  /** Ends the thread at once; calls under way reject. */
  end(): Promise<void>;
}

/** The threads there can be. Each is a script of its own in `dist`. */
export interface Workers {
  /** Starts nothing yet: the first call does. `data` is given to the thread whenever it starts. Whoever starts a worker ends it. */
  start(name: 'tokens' | 'recall' | 'web', data?: unknown): Worker;
}

/** Keys in the system's key store. */
export interface Secrets {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}

/** Must never be given a key; known forms of keys are masked all the same. */
export interface Log {
  debug(text: string): void;
  info(text: string): void;
  warn(text: string): void;
  error(text: string, cause?: unknown): void;
}

/** One request to the network. */
export interface WebRequest {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Redirects followed at most, each checked like the first address; 5 unless told. With 0 a redirect is the answer. */
  redirects?: number;
  /** The person named this address in their own settings: a private one is allowed. Never for an address from a model or a page. */
  anywhere?: boolean;
}

export interface WebResponse {
  /** After the redirects. */
  url: string;
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** The body, decompressed. */
  bytes: Uint8Array;
  /** True where the body went on behind `maxBytes` and was left there. */
  cut: boolean;
}

/**
 * The network for tools. Only http and https; addresses of this machine, of private networks and of cloud metadata are refused, whatever name leads
 * there: a name is resolved once, and the connection goes to what was checked. Behind a proxy names and literal addresses are checked and
 * resolving is the proxy's. Rejects with a `WebError` in plain words, or with the signal's reason when stopped.
 */
export interface Web {
  request(
    request: WebRequest,
    options: { signal: AbortSignal; timeoutMs: number; maxBytes: number },
  ): Promise<WebResponse>;
}

/** What a person sees outside the chat. */
export interface Ui {
  /** The channel by which people meet it. */
  readonly channel: 'vscode' | 'cli';
  /** Resolves with the chosen action, or undefined when dismissed. */
  notify(level: 'info' | 'warning' | 'error', text: string, actions?: string[]): Promise<string | undefined>;
  /** Shows a file or a chat, because the person asked for it. Absent where there is no place for that. */
  open?(target: { file: string } | { chat: string }): Promise<void>;
  /** The terminal of a session's commands, created hidden at the first call. */
  mirror(sessionKey: string): Mirror | undefined;
}
