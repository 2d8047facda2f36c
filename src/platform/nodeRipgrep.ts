import { spawn } from 'node:child_process';
import { abortError } from './abort.js';

/** One run of ripgrep. */
export interface RipgrepRun {
  binary: string;
  args: string[];
  cwd: string;
  /** The byte that ends a record of its output. */
  separator: number;
  /** Gets each record without its separator; false stops the run. */
  onRecord(record: string): boolean;
  signal: AbortSignal;
  timeoutMs: number;
}

/** A record longer than this is cut: no line that people wrote is, and the memory of the host is finite. */
const longestRecord = 1024 * 1024;
const errorBytes = 16 * 1024;
const inherited = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'SystemRoot', 'USERPROFILE'];

/**
 * Runs ripgrep and hands on its output as it comes. Resolves when it has ended: `limit` where `onRecord` had enough, `timeout` where the time
 * was up. Rejects with the signal's reason when aborted, with Node's error where it cannot be started, and with ripgrep's own words for a
 * bad pattern, glob or type.
 */
export function runRipgrep(run: RipgrepRun): Promise<'done' | 'limit' | 'timeout'> {
  return new Promise((resolve, reject) => {
    if (run.signal.aborted) return reject(abortError(run.signal, 'The search was stopped.'));
    const child = spawn(run.binary, run.args, {
      cwd: run.cwd,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let stopped: 'limit' | 'timeout' | 'aborted' | undefined;
    let errors = '';
    const stop = (why: 'limit' | 'timeout' | 'aborted'): void => {
      stopped ??= why;
      child.kill('SIGKILL');
    };
    const abort = (): void => stop('aborted');
    const timer = setTimeout(() => stop('timeout'), run.timeoutMs);
    run.signal.addEventListener('abort', abort, { once: true });
    const split = splitRecords(
      run.separator,
      (record) => stopped === undefined && (run.onRecord(record) || (stop('limit'), false)),
    );
    child.stdout.on('data', split.push);
    child.stderr.on('data', (data: Buffer) => (errors = (errors + data.toString()).slice(0, errorBytes)));
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      run.signal.removeEventListener('abort', abort);
      finish();
    };
    child.on('error', (error) => settle(() => reject(error)));
    child.on('close', (code) =>
      settle(() => {
        if (stopped === 'aborted') return reject(abortError(run.signal, 'The search was stopped.'));
        if (stopped) return resolve(stopped);
        // Status 2 comes with files that could not be read, too; `--no-messages` leaves standard error to what is wrong with the query.
        if (code === 2 && errors.trim() !== '') return reject(new Error(tidy(errors)));
        split.end();
        resolve(stopped ?? 'done');
      }),
    );
  });
}

/** Cuts a stream of bytes at a separator. A record ends only there, so no character is ever split. */
function splitRecords(
  separator: number,
  onRecord: (record: string) => boolean,
): { push(data: Buffer): void; end(): void } {
  let pending: Buffer[] = [];
  let size = 0;
  let open = true;
  const emit = (): void => {
    const record = Buffer.concat(pending).toString('utf8');
    pending = [];
    size = 0;
    open = open && onRecord(record);
  };
  const keep = (part: Buffer): void => {
    if (size < longestRecord && part.length > 0) pending.push(part);
    size += part.length;
  };
  return {
    push(data) {
      let start = 0;
      for (let end = data.indexOf(separator); open && end >= 0; end = data.indexOf(separator, start)) {
        keep(data.subarray(start, end));
        emit();
        start = end + 1;
      }
      if (open) keep(data.subarray(start));
    },
    end() {
      if (open && size > 0) emit();
    },
  };
}

/** Only what ripgrep needs to find its libraries and the person's global ignore file: no key may reach a child process. */
function environment(): Record<string, string> {
  return Object.fromEntries(
    inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/** ripgrep frames the words of its engines with rules of tildes and prefixes them with its name. */
function tidy(errors: string): string {
  return errors
    .split('\n')
    .filter((line) => !/^~+$/.test(line.trim()))
    .join('\n')
    .replace(/^rg: /gm, '')
    .trim();
}
